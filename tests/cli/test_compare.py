"""The command that puts one prompt to several systems."""

import asyncio
import json
import os

import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

from partbook.cli.compare import compare_command
from partbook.cli.compare_screen import Progress, SideBySide
from partbook.errors import ConfigError
from partbook.store import Store
from tests.models.scripted_server import ScriptedServer, completion, reply
from tests.traces import a_trace, events

CASTLE = "Count the vowels in the word castle."

app = typer.Typer()
app.command("compare")(compare_command)


def invoke(*arguments: str, typed: str = "", status: int = 0, columns: int = 120):
    env = {"COLUMNS": str(columns)}
    result = CliRunner().invoke(app, list(arguments), input=typed, env=env)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == status
    return result


def answers(*arguments: str) -> list[dict]:
    return [json.loads(line) for line in invoke(*arguments, "--json").stdout.splitlines()]


def test_answers_stand_side_by_side_with_what_each_took(tmp_path):
    text = invoke(CASTLE, "--pool", "lab").stdout

    lines = text.splitlines()
    assert "single:gus" in lines[0]
    assert "workflow:chain" in lines[0]
    assert "Here is what I found. Answer: 2" in text
    gus = next(line.split() for line in lines if line.startswith("single:gus"))
    assert gus[1] == "1"
    with Store.open(tmp_path / "runs.db") as store:
        assert sorted(row.run_id[:8] for row in store.runs()) == sorted(
            line.split()[-1]
            for line in lines
            if line.startswith(("single:gus ", "workflow:chain "))
        )


def test_on_a_narrow_terminal_answers_stand_below_each_other():
    lines = invoke(CASTLE, "--pool", "lab", columns=60).stdout.splitlines()

    assert "single:gus" in lines[0]
    assert "workflow:chain" not in lines[0]


def test_as_json_everything_is_one_object():
    systems = "single:gus,single:ada,workflow:chain"

    (found,) = answers(CASTLE, "--pool", "lab", "--systems", systems, "--one-by-one")

    assert (found["question"], found["pool"], found["ratings"]) == (CASTLE, "lab", [])
    assert [one["system"] for one in found["systems"]] == systems.split(",")
    assert [one["calls"] for one in found["systems"]] == [1, 1, 3]
    assert found["systems"][0]["answer"] == "Here is what I found. Answer: 2"
    assert found["systems"][0]["status"] == "answered"


def test_a_person_rates_without_names_and_then_sees_them(tmp_path):
    ratings = str(tmp_path / "r.jsonl")

    text = invoke(CASTLE, "--pool", "lab", "--rate", "--ratings", ratings, typed="a\n").stdout

    shown, _, revealed = text.partition("Which is best?")
    assert "gus" not in shown
    assert "chain" not in shown
    assert "single:gus" in revealed
    (line,) = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text().splitlines()]
    assert (line["by"], line["first"], line["second"]) == ("person", "single:gus", "workflow:chain")
    letter = next(row[0] for row in revealed.splitlines() if "single:gus" in row)
    assert line["outcome"] == ("first" if letter == "A" else "second")


def test_the_sums_of_all_ratings_can_be_printed(tmp_path):
    with pytest.raises(ConfigError, match="there are no ratings yet"):
        invoke("--summary")
    for _ in range(2):
        invoke(CASTLE, "--pool", "lab", "--rate", typed="t\n")
    invoke(CASTLE, "--pool", "lab", "--rate", typed="s\n")

    (row,) = json.loads(invoke("--summary", "--json").stdout)
    text = invoke("--summary").stdout

    assert (row["first_better"], row["second_better"], row["ties"]) == (0, 0, 2)
    assert (row["share"], row["interval"]) == (None, None)
    assert (tmp_path / "runs.db.ratings.jsonl").exists()
    assert "person    lab   single:gus  workflow:chain" in text


def test_a_file_of_prompts_goes_on_where_it_stopped(tmp_path):
    prompts, out = tmp_path / "prompts.txt", tmp_path / "out.jsonl"
    prompts.write_text(f"{CASTLE}\n\n{CASTLE}\nCount the vowels in the word tree.\n")
    options = ["--file", str(prompts), "--pool", "lab", "--out", str(out)]

    first = invoke(*options, "--limit", "1")
    second = invoke(*options)

    assert "1 of 2 are done already" in second.stderr
    assert "1 of 2" not in first.stdout
    questions = [json.loads(line)["question"] for line in out.read_text().splitlines()]
    assert questions == [CASTLE, "Count the vowels in the word tree."]


def test_a_log_of_requests_is_a_file_of_prompts(tmp_path):
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps({"messages": [{"role": "user", "content": CASTLE}]}) + "\n")

    (found,) = answers("--file", str(log), "--pool", "lab")

    assert found["question"] == CASTLE


def test_a_limit_in_dollars_ends_a_file_and_nothing_cut_short_counts_as_done(tmp_path):
    prompts, out = tmp_path / "prompts.txt", tmp_path / "out.jsonl"
    prompts.write_text("Count the vowels in the word castle.\nCount the vowels in tree.\nMore?\n")

    done = invoke(
        *("--file", str(prompts), "--pool", "lab", "--max-usd", "0.001", "--out", str(out)),
        status=1,
    )

    assert "the limit in dollars is reached; 2 are left" in done.stderr
    assert "stopped" in done.stdout
    assert not out.exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["Why?", "--rate", "--json"], "leave out --json"),
        (["--rate"], "the prompt cannot come from there"),
        (["Why?", "--limit", "2"], "--limit is for --file"),
        (["Why?", "--file", "x.txt"], "not both"),
        (["Why?", "--judge", "nobody"], "no worker with the name or role 'nobody'"),
        (["Why?", "--pool", "embedded", "--judge", "calculator"], "a language model was expected"),
        ([" "], "the text is blank"),
    ],
)
def test_what_does_not_go_together_is_refused(arguments, says):
    with pytest.raises(ConfigError, match=says):
        invoke(*arguments, *([] if "--pool" in arguments else ["--pool", "lab"]))


@pytest.mark.parametrize("line", ["{}", "[1]", "no JSON", '{"question": 1, "systems": [2]}'])
def test_an_out_file_of_something_else_is_refused_with_its_line(tmp_path, line):
    out = tmp_path / "out.jsonl"
    out.write_text(f"{line}\n")

    with pytest.raises(ConfigError, match=r"out\.jsonl, line 1: no comparison"):
        invoke(CASTLE, "--pool", "lab", "--out", str(out))


def test_an_out_file_that_is_a_folder_is_refused_with_what_to_do(tmp_path):
    with pytest.raises(ConfigError, match=r"--out: cannot read .*: Is a directory; name another"):
        invoke(CASTLE, "--pool", "lab", "--out", str(tmp_path))


def test_ratings_that_cannot_be_kept_are_said_before_anybody_is_asked(tmp_path):
    with pytest.raises(ConfigError, match="cannot read the ratings"):
        invoke(CASTLE, "--pool", "lab", "--judge", "gus", "--ratings", str(tmp_path))

    with Store.open(os.environ["PARTBOOK_STORE"]) as store:
        assert store.runs(10) == []


async def test_a_model_judges_in_both_orders_and_is_counted_apart(tmp_path):
    scripts = ["one", "draft", "checked", "two", "Better.\nVERDICT: B", "Better.\nVERDICT: A"]
    async with ScriptedServer(*(reply(completion(text)) for text in scripts)) as server:
        worker = f'kind = "http"\nmodel = "m"\nendpoint = "{server.url}"\n'
        price = "price = { input_usd = 1, output_usd = 1 }\n"
        pool = tmp_path / "pool.toml"
        pool.write_text(
            f'name = "mine"\nworkflow = "chain"\n[[workers]]\nname = "w"\n{worker}{price}'
            f'roles = ["general", "check"]\n[[workers]]\nname = "j"\n{worker}{price}'
        )
        options = ["Why?", "--pool", str(pool), "--judge", "j", "--one-by-one"]

        text = (await asyncio.to_thread(invoke, *options)).stdout

    assert "judge j  2 calls, <$0.0001" in text
    assert "workflow:chain is better, in both orders" in text
    line = json.loads((tmp_path / "runs.db.ratings.jsonl").read_text())
    assert (line["by"], line["outcome"]) == ("judge:j", "second")
    assert line["orders"] == ["second", "second"]


def test_hostile_answers_are_shown_as_text(capsys):
    trace = a_trace()
    console = Console(width=100)

    console.print(SideBySide(["[bold]one\x1b[2J", "two"], [trace, trace]))

    printed = capsys.readouterr().out
    assert "[bold]one" in printed
    assert "\x1b" not in printed


def test_progress_says_where_each_system_is(capsys):
    progress = Progress(["a", "b"])
    for event in events()[:6]:
        progress.add(1, event)

    Console(width=60).print(progress)

    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()] == [
        "a  waits",
        "b  step 2 of 3: thinker",
    ]
