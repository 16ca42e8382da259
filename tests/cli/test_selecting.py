import pytest
import typer
from typer.testing import CliRunner

from partbook.cli.choosing import choose
from partbook.cli.plan import plan_command
from partbook.cli.run import run_command
from partbook.cli.selecting import Selection, selected
from partbook.config import load_pool
from partbook.errors import ConfigError

app = typer.Typer()
app.command("run")(run_command)
app.command("plan")(plan_command)

POOL = """
name = "mine"
conductor = "planner"
[[workers]]
name = "planner"
kind = "http"
endpoint = "openai"
model = "gpt-5"
roles = ["general"]
labels = ["no-customer-data", "eu"]
[[workers]]
name = "far-open"
kind = "http"
endpoint = "https://eu.openrouter.ai/api/v1"
model = "q"
labels = ["open"]
fallbacks = ["planner"]
[[workers]]
name = "near"
kind = "http"
endpoint = "vllm"
model = "m"
[[workers]]
name = "inside"
kind = "local"
model = "smollm2-135m"
labels = ["no-customer-data"]
[[workers]]
name = "sums"
kind = "calculator"
[[workers]]
name = "myself"
kind = "conductor"
"""


@pytest.fixture
def pool(tmp_path):
    path = tmp_path / "pool.toml"
    path.write_text(POOL)
    return str(path)


def names(pool: str, selection: Selection) -> list[str]:
    return [spec.name for spec in selection.of(load_pool(pool)).workers]


@pytest.mark.parametrize(
    ("selection", "left"),
    [
        (Selection(), ["planner", "far-open", "near", "inside", "sums", "myself"]),
        (Selection(exclude=("near", "sums")), ["planner", "far-open", "inside", "myself"]),
        (Selection(only="local"), ["near", "inside", "sums", "myself"]),
        (Selection(only="open"), ["far-open", "inside", "sums", "myself"]),
        (Selection(only="provider:openai"), ["planner", "sums", "myself"]),
        (Selection(only="provider:openrouter.ai"), ["far-open", "sums", "myself"]),
        (Selection(demand=("no-customer-data",)), ["planner", "inside", "myself"]),
        (Selection(demand=("no-customer-data", "eu")), ["planner", "myself"]),
        (Selection(("planner",), "local", ("no-customer-data",)), ["inside", "myself"]),
    ],
)
def test_who_may_be_called(pool, selection, left):
    assert names(pool, selection) == left


def test_a_request_whose_demands_leave_nobody_says_why_for_each_and_exits_before_any_call(pool):
    refused = CliRunner().invoke(app, ["run", "-p", pool, "--demand", "iso-27001", "q"])

    assert isinstance(refused.exception, ConfigError)
    assert str(refused.exception) == (
        "nobody in pool 'mine' may be called for this request: planner has no label 'iso-27001'; "
        "far-open has no label 'iso-27001'; near has no label 'iso-27001'; inside has no label "
        "'iso-27001'; sums has no label 'iso-27001'"
    )


def test_tools_alone_are_nobody(pool):
    with pytest.raises(ConfigError, match="nobody in pool 'mine' may be called"):
        names(pool, Selection(only="provider:anthropic"))


def test_an_unknown_worker_is_refused_with_the_nearest(pool):
    with pytest.raises(ConfigError, match="no worker 'plannr'; did you mean 'planner'"):
        names(pool, Selection(exclude=("plannr",)))


@pytest.mark.parametrize("only", ["closed", "provider", "provider:", "local:x", ":"])
def test_an_unknown_only_is_refused(only):
    with pytest.raises(ConfigError, match="--only: open, local or provider:NAME was expected"):
        selected(None, only, None)


@pytest.mark.parametrize(
    ("selection", "why"),
    [
        (Selection(exclude=("planner",)), "is excluded"),
        (Selection(only="local"), "is not on this machine"),
        (Selection(only="open"), "has no label 'open'"),
    ],
)
def test_a_conductor_that_may_not_be_called_does_not_read_the_question_either(pool, selection, why):
    with pytest.raises(ConfigError, match=f"'planner' would read the question, and {why}"):
        choose(load_pool(pool), None, None, selection)


def test_a_conductor_elsewhere_that_is_no_worker_has_no_labels(pool):
    demanding = Selection(demand=("no-customer-data",))

    with pytest.raises(ConfigError, match="has no labels and is not in this process"):
        choose(load_pool(pool), None, "https://api.example.com/v1#m", demanding)

    inside = choose(load_pool(pool), None, "smollm2-135m", demanding)
    assert inside.name == "(conductor)"


def test_a_fallback_that_needs_an_excluded_worker_is_left_out(pool):
    everybody = choose(load_pool(pool), None, "inside")
    without = choose(load_pool(pool), None, "inside", Selection(exclude=("planner",)))

    assert everybody.fallback is not None
    assert without.fallback is None


def test_a_fixed_workflow_for_an_excluded_role_is_refused(pool):
    refused = CliRunner().invoke(
        app, ["run", "-p", pool, "-w", "single", "--exclude", "planner", "q"]
    )

    assert isinstance(refused.exception, ConfigError)
    assert "no worker with the name or role 'general'" in str(refused.exception)


def test_a_fixed_workflow_has_no_conductor_to_name(pool, tmp_path):
    (tmp_path / "own.toml").write_text(
        'name = "own"\n[[steps]]\nworker = "myself"\nsubtask = "plan"\n'
    )

    refused = CliRunner().invoke(app, ["run", "-p", pool, "-w", str(tmp_path / "own.toml"), "q"])

    assert isinstance(refused.exception, ConfigError)
    assert "worker 'myself' is the Conductor, and a fixed workflow has none" in str(
        refused.exception
    )


def test_the_pools_that_come_along_say_whose_weights_are_open():
    left = Selection(only="open").of(load_pool("frontier"))

    assert "gpt-5" not in [spec.name for spec in left.workers]
    assert len(left.workers) > 3
    assert Selection(only="open").of(load_pool("open")) == load_pool("open")
    assert Selection(only="local").of(load_pool("embedded")) == load_pool("embedded")
