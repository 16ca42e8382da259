"""Workflows as files: written, checked, drawn."""

import asyncio
import json

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from partbook.cli.run import run_command
from partbook.cli.workflow import workflow_app
from partbook.cli.workflow_text import fixed_of, workflow_in_run, workflow_text, write_workflow
from partbook.config import load_workflow, workflow_names
from partbook.errors import ConfigError
from partbook.fixed import FixedStep, FixedWorkflow
from partbook.store import Store
from partbook.workflow import Step, Workflow
from tests.models.scripted_server import ScriptedServer, completion, reply
from tests.traces import a_trace

app = typer.Typer()
app.add_typer(workflow_app, name="workflow")
app.command("run")(run_command)


def output(*arguments: str, command: str = "workflow", status: int = 0) -> str:
    result = CliRunner().invoke(app, [command, *arguments], env={"COLUMNS": "120"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == status
    return result.stdout


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def kept(here):
    with Store.open(here / "runs.db") as store:
        store.save(a_trace())


def write(here, text: str) -> str:
    (here / "w.toml").write_text(text)
    return "w.toml"


WORDS = st.text(min_size=1).map(str.strip).filter(bool)


@settings(max_examples=40, deadline=None)
@given(WORDS, st.text(), st.lists(WORDS, min_size=1, max_size=3))
def test_whatever_is_written_reads_back(tmp_path_factory, worker, about, subtasks):
    clean = [text.encode("utf-8", "replace").decode() for text in (worker, about, *subtasks)]
    steps = tuple(FixedStep(clean[0], text, tuple(range(i))) for i, text in enumerate(clean[2:]))
    workflow = FixedWorkflow("name", clean[1], steps)
    path = tmp_path_factory.mktemp("w") / "w.toml"

    write_workflow(path, workflow_text(workflow, about))

    assert load_workflow(str(path)) == workflow


def test_a_new_file_is_a_sketch_that_can_be_played():
    output("new", "mine")

    assert "mine: 2 calls in 2 waves on the pool embedded" in output("check", "mine.toml")


@pytest.mark.parametrize("name", workflow_names())
def test_a_copy_of_a_workflow_that_comes_along_is_the_same_under_another_name(name):
    output("new", "copy", "--from", name)

    assert load_workflow("copy.toml").steps == load_workflow(name).steps


@pytest.mark.usefixtures("kept")
def test_the_workflow_of_a_run_is_saved_without_its_question(here):
    text = output("new", "saved", "--from-run", "run-1", "--about", "Sums.")

    assert "Its subtasks may quote the question" in text
    found = load_workflow("saved.toml")
    assert found.about == "Sums."
    assert [step.worker for step in found.steps] == ["coder", "thinker", "checker"]
    assert found.steps[2] == FixedStep(
        "checker", "Compare both answers and give the right one", (0, 1)
    )
    assert a_trace().question not in (here / "saved.toml").read_text()


def test_a_saved_workflow_can_ask_for_roles_so_that_it_fits_other_pools(here):
    with Store.open(here / "runs.db") as store:
        output("Count the vowels in castle.", "--pool", "lab", "-w", "chain", command="run")
        (row,) = store.runs()

    output("new", "saved", "--from-run", row.run_id, "--roles")

    assert [step.worker for step in load_workflow("saved.toml").steps] == [
        "general",
        "check",
        "general",
    ]


async def test_a_conductor_writes_one_for_a_question(here):
    text = 'model_id = [0, 1]\nsubtasks = ["Find it.", "Judge it."]\naccess_list = [[], "all"]'
    async with ScriptedServer(reply(completion(text))) as server:
        here.joinpath("pool.toml").write_text(
            'name = "mine"\nconductor = "a"\n'
            + "".join(
                f'[[workers]]\nname = "{name}"\nkind = "http"\nmodel = "m"\n'
                f'endpoint = "{server.url}"\nroles = ["general", "check"]\n'
                for name in "ab"
            )
        )

        await asyncio.to_thread(
            output, "new", "asked", "--from-question", "Which?", "--pool", "pool.toml", "--roles"
        )

    assert load_workflow("asked.toml").steps == (
        FixedStep("general", "Find it."),
        FixedStep("general#2", "Judge it.", (0,)),
    )


def test_a_file_that_is_there_is_never_written_over(here):
    (here / "mine.toml").write_text("precious")

    with pytest.raises(ConfigError, match=r"mine\.toml is there already"):
        output("new", "mine")

    assert (here / "mine.toml").read_text() == "precious"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["a/b"], "a name of up to 64 letters"),
        ([""], "a name of up to 64 letters"),
        (["panel"], "'panel' comes along with Partbook"),
        (["mine", "--from", "pannel"], "did you mean 'panel'"),
        (["mine", "--from", "panel", "--from-run", "x"], "exclude each other"),
        (["mine", "--from-run", "run-1", "--round", "3"], "no workflow in round 3; there is one"),
    ],
)
@pytest.mark.usefixtures("kept")
def test_what_cannot_be_written_is_refused(here, arguments, says):
    with pytest.raises(ConfigError, match=says):
        output("new", *arguments)

    assert list(here.glob("*.toml")) == []


def test_a_step_that_reads_the_round_before_fits_no_file():
    workflow = Workflow((Step(0, "again", before=True),))

    with pytest.raises(ConfigError, match="step 0 reads the answer of the round before"):
        fixed_of(workflow, ["a"], "x")


def test_the_workflow_of_a_run_is_the_one_that_gave_its_answer():
    trace = a_trace()

    assert workflow_in_run(trace) == trace.rounds[0].workflow


def test_check_says_which_worker_each_step_would_be():
    text = output("check", "panel")

    assert "panel: 4 calls in 2 waves on the pool embedded" in text
    rows = [line.split() for line in text.splitlines() if line[:1].isdigit()]
    assert [row[:3] for row in rows] == [
        ["0", "general#1", "reader"],
        ["1", "general#2", "talker"],
        ["2", "general#3", "reader"],
        ["3", "general#1", "reader"],
    ]
    assert "only 2 have the role 'general', so general#3 is reader" in text


BAD = """\
name = "bad"

[[steps]]
worker = "genral"
subtask = "Do it."
access = [0]

[[steps]]
worker = "check"
subtask = "  "
"""


def test_all_faults_are_named_with_their_line(here):
    path = write(here, BAD)

    with pytest.raises(ConfigError) as refused:
        output("check", path)
    found = json.loads(output("check", path, "--json", status=2))

    assert str(refused.value).splitlines() == [
        "w.toml:",
        "  line 3, step 0: access 0 is not an earlier step (there is none)",
        "  line 3, step 0: pool 'embedded' has no worker with the name or role 'genral'; names: "
        "coder, reader, talker, calculator, python; roles: calculate, check, code, general, run, "
        "write; did you mean 'general'?",
        "  line 8, step 1: the subtask is blank",
    ]
    assert (found["valid"], len(found["faults"])) == (False, 3)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (('subtask = "  "', 'subtsk = "x"'), r"w\.toml, line 8: steps\[1\]: `subtask` is missing"),
        (("access = [0]", "access = 0"), r"w\.toml, line 3: steps\[0\]: `access` must be a list"),
        (('name = "bad"', 'title = "x"'), r"w\.toml: `name` is missing"),
        (('"Do it."', '"Do it.'), r"w\.toml: not TOML: .*line 5"),
        (('subtask = "  "', 'subtask = "x"\nacces = [0]'), "did you mean `access`"),
    ],
)
def test_a_file_that_is_no_workflow_says_where_it_is_not(here, change, says):
    path = write(here, BAD.replace(*change))

    with pytest.raises(ConfigError, match=says):
        output("check", path)


def test_six_steps_are_one_too_many(here):
    step = '[[steps]]\nworker = "general"\nsubtask = "x"\n'
    path = write(here, 'name = "long"\n' + step * 6)

    with pytest.raises(ConfigError, match="line 17, step 5: a workflow has at most 5 steps"):
        output("check", path)


def test_what_is_allowed_and_perhaps_not_meant_is_remarked(here):
    path = write(
        here,
        'name = "odd"\n[[steps]]\nworker = "general"\nsubtask = "x"\n'
        '[[steps]]\nworker = "run"\nsubtask = "Run it."\n',
    )

    text = output("check", path)

    assert "note: line 2, step 0: nobody reads its answer" in text
    assert "note: line 5, step 1: python runs the program in an answer that it reads" in text


@pytest.mark.usefixtures("kept")
def test_show_draws_a_name_a_file_and_a_run(here):
    output("new", "mine", "--from", "search-judge")

    assert "search-judge: 3 calls in 2 waves" in output("show", "search-judge")
    assert "general#2" in output("show", "mine.toml")
    assert "talker" in output("show", "mine.toml", "--pool", "embedded")
    assert "run run-1: 3 calls in 2 waves" in output("show", "run-1")
    data = json.loads(output("show", "run-1", "--json"))
    assert data["workers"] == ["coder", "thinker", "checker"]


def test_show_says_what_it_was_looking_for():
    with pytest.raises(
        ConfigError, match=r"no workflow, file or run 'panle'; did you mean 'panel'"
    ):
        output("show", "panle")


def test_list_has_what_comes_along_and_what_a_pool_can_play():
    names = [one["name"] for one in json.loads(output("list", "--json"))]

    assert names == workflow_names()
    assert {"search-judge", "plan-do-check"} <= {*names}
    assert "code-then-run" not in output("list", "--pool", "lab")


def test_a_file_of_ones_own_is_played(here):
    output("new", "mine", "--from", "chain")

    text = output("Count the vowels in castle.", "--pool", "lab", "-w", "mine.toml", command="run")

    assert text
