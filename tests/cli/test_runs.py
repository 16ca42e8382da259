import json
from decimal import Decimal

import pytest
import typer
from typer.testing import CliRunner

from partbook.cli.runs import runs_command, short_ids
from partbook.errors import ConfigError
from partbook.step_trace import StepTrace
from partbook.store import Tags
from partbook.trace import RoundTrace, Trace
from partbook.trace_json import trace_from_dict
from tests.traces import a_trace

app = typer.Typer()
app.command("runs")(runs_command)


pytestmark = pytest.mark.usefixtures("utc")


def runs(*arguments: str, width: int = 80) -> list[str]:
    result = CliRunner().invoke(app, list(arguments), env={"COLUMNS": str(width)})
    if result.exception is not None:
        raise result.exception
    return [line.rstrip() for line in result.stdout.splitlines()]


def failed(run_id: str, at: float) -> Trace:
    steps = (StepTrace(0, "coder", (), 0.0, 1.0, None, error="down", cost_usd=None),)
    rounds = (RoundTrace(steps=steps),)
    return Trace(run_id, "[b]Why[/b]\x1b[2J\n?", "p", ("coder",), at, 61.04, "failed", rounds)


def test_runs_are_listed_with_what_they_took_the_newest_first(store):
    store.save(a_trace("0123456789ab", at=1_764_000_000.0))
    store.save(failed("fedcba987654", at=1_764_000_060.0))

    assert runs() == [
        "run      started     status   calls tokens   price    s question",
        "fedcba98 11-24 16:01 failed       1      0       ? 61.0 [b]Why[/b] ?",
        "01234567 11-24 16:00 answered     4  1,200 $0.0010  2.5 What is the sum of the …",
    ]


def test_without_runs_it_says_so():
    assert runs() == ["No runs yet."]


def test_without_a_match_it_says_so(store):
    store.save(a_trace())

    assert runs("--text", "unheard of") == ["No runs."]


def test_twenty_runs_are_listed_where_no_limit_is_given(store):
    store.save_many([a_trace(f"run-{i:02}", at=float(i)) for i in range(25)])

    assert len(runs()) == 1 + 20
    assert len(runs("--limit", "3")) == 1 + 3


def test_runs_can_be_searched(store):
    store.save(a_trace("one"))
    store.save(failed("two", at=1.0))

    assert [line.split()[0] for line in runs("--text", "why")[1:]] == ["two"]
    assert [line.split()[0] for line in runs("--worker", "thinker")[1:]] == ["one"]


def test_the_list_is_printed_as_one_json_array(store):
    store.save(a_trace("one", at=1_764_000_000.0), Tags(task="digits"))
    store.save(failed("two", at=1.0))

    rows = json.loads("\n".join(runs("--json", width=20)))

    assert [row["run_id"] for row in rows] == ["one", "two"]
    assert rows[0] == {
        "run_id": "one",
        "started_at": 1_764_000_000.0,
        "seconds": 2.5,
        "status": "answered",
        "reason": None,
        "question": "What is the sum of the digits of 2**100?",
        "answer": "115",
        "pool": "demo",
        "source": "conductor",
        "workflow_name": "",
        "calls": 4,
        "prompt_tokens": 1000,
        "completion_tokens": 200,
        "cost_usd": "0.001",
        "task": "digits",
        "label": None,
        "verdict": None,
    }
    assert rows[1]["cost_usd"] is None


def test_no_runs_are_an_empty_json_array():
    assert runs("--json") == ["[]"]


def test_an_export_is_every_trace_on_a_line_of_its_own(store):
    kept = [a_trace(f"run-{i:02}", at=float(i)) for i in range(25)]
    store.save_many(kept)

    lines = runs("--jsonl", width=20)

    assert [trace_from_dict(json.loads(line)) for line in lines] == kept[::-1]


def test_an_export_can_be_limited(store):
    store.save_many([a_trace("old", at=1.0), a_trace("new", at=2.0)])

    (line,) = runs("--jsonl", "--limit", "1")

    assert json.loads(line)["run_id"] == "new"


def test_json_reaches_a_terminal_without_control_characters(store):
    store.save(failed("\x9b31m", at=1.0))

    assert all(c.isprintable() for form in ("--json", "--jsonl") for c in "".join(runs(form)))


def test_two_forms_at_once_are_refused():
    with pytest.raises(ConfigError, match="give one of them"):
        runs("--json", "--jsonl")


def test_money_in_json_is_exact(store):
    cost = Decimal("0.000000123456789")
    steps = (StepTrace(0, "coder", (), 0.0, 1.0, "a", cost_usd=cost),)
    store.save(Trace("r", "q", "p", ("coder",), 0.0, 1.0, "answered", (RoundTrace(steps=steps),)))

    assert json.loads("".join(runs("--json")))[0]["cost_usd"] == "0.000000123456789"


@pytest.mark.parametrize(
    ("ids", "short"),
    [
        ([], []),
        (["0123456789"], ["01234567"]),
        (["short"], ["short"]),
        (["0123456789-a1", "0123456789-b1"], ["0123456789-a", "0123456789-b"]),
        (["0123456789", "0123456789-b", "x"], ["0123456789", "0123456789-", "x"]),
    ],
)
def test_short_ids_are_long_enough_to_tell_the_listed_runs_apart(ids, short):
    assert short_ids(ids) == short
