import csv
import io
import json
from decimal import Decimal

import pytest
import typer
from typer.testing import CliRunner

from partbook.cli.runs import runs_command
from partbook.errors import ConfigError
from partbook.message import Usage
from partbook.step_trace import StepTrace
from partbook.store import Tags
from partbook.trace import RoundTrace, Trace
from tests.traces import a_trace, events

app = typer.Typer()
app.command("runs")(runs_command)

NOON = 1_764_072_000.0  # 2025-11-25 12:00 UTC


@pytest.fixture(autouse=True)
def far_east(live_in):
    """Days are those of UTC, wherever the machine is."""
    live_in("UTC-14")


def output(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["--costs", *arguments], env={"COLUMNS": "100"})
    if result.exception is not None:
        raise result.exception
    return result.stdout


def lines(*arguments: str) -> list[str]:
    return [line.rstrip() for line in output(*arguments).splitlines()]


def rows(*arguments: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(output("--csv", *arguments))))


def failed(run_id: str, at: float = NOON, worker: str = "coder", model: str = "") -> Trace:
    """A run whose only call took nobody knows what."""
    steps = (StepTrace(0, worker, (), 0.0, 1.0, error="down", model=model),)
    rounds = (RoundTrace(steps=steps),)
    return Trace(run_id, "Why?", "p", ("coder",), at, 1.0, "failed", rounds)


def test_costs_are_a_table_by_day_with_the_sum_of_all(store):
    store.save(a_trace("one", at=NOON))
    store.save(a_trace("two", at=NOON + 86_400))
    store.save(failed("three", at=NOON + 86_400))

    assert lines() == [
        "day         runs  calls  tokens read  cached  written                     price",
        "2025-11-25     1      4        1,000      10      200                   $0.0010",
        "2025-11-26     2      5      1,000+?    10+?    200+?  $0.0010 + 1 call unknown",
        "in all         3      9      2,000+?    20+?    400+?  $0.0020 + 1 call unknown",
    ]


def test_without_runs_the_sum_is_0():
    assert lines()[-1].split() == ["in", "all", "0", "0", "0", "0", "0", "$0"]


def test_a_group_of_unknown_cost_is_unknown_and_not_0(store):
    store.save(failed("one"))

    (row,) = rows("--by", "worker")

    assert (row["worker"], row["cost_usd"], row["calls_of_unknown_cost"]) == ("coder", "", "1")
    assert lines("--by", "worker")[1].split() == ["coder", "1", "1", "0+?", "0+?", "0+?", "unknown"]


def test_csv_holds_the_exact_numbers(store):
    costs = (Decimal("0.000000000001"), Decimal("1000000.1"))
    for i, cost in enumerate(costs):
        steps = (StepTrace(0, "w", (), 0.0, 1.0, "a", model="m", usage=Usage(1, 1), cost_usd=cost),)
        rounds = (RoundTrace(steps=steps),)
        store.save(Trace(f"r{i}", "q", "p", ("w",), NOON, 1.0, "answered", rounds))

    assert output("--csv", "--by", "model").splitlines() == [
        "model,runs,calls,prompt_tokens,cached_tokens,cache_write_tokens,completion_tokens,"
        "reasoning_tokens,cost_usd,known_usd,calls_of_unknown_cost,calls_of_unknown_usage",
        "m,2,2,2,0,0,2,0,1000000.100000000001,1000000.100000000001,0,0",
    ]


def test_json_holds_groups_and_the_sum_of_all(store):
    store.save(a_trace("one", at=NOON), Tags(task="digits"))
    store.save(failed("two"))

    found = json.loads(output("--json", "--by", "task"))

    assert found["by"] == "task"
    assert [(g["task"], g["calls"], g["cost_usd"], g["known_usd"]) for g in found["groups"]] == [
        (None, 1, None, "0"),
        ("digits", 4, "0.001", "0.001"),
    ]
    assert (found["total"]["cost_usd"], found["total"]["known_usd"]) == (None, "0.001")
    assert found["total"]["calls_of_unknown_usage"] == 1


def test_by_worker_the_conductor_stands_apart(store):
    store.save(a_trace("one", at=NOON))

    assert [(row["worker"], row["cost_usd"]) for row in rows("--by", "worker")] == [
        ("(conductor)", "0.0002"),
        ("checker", "0.0004"),
        ("coder", "0.0001"),
        ("thinker", "0.0003"),
    ]


def test_costs_can_be_narrowed_like_the_list(store):
    store.save(a_trace("one", at=NOON))
    store.save(failed("two"))

    assert [row["runs"] for row in rows("--text", "digits")] == ["1"]
    assert [row["runs"] for row in rows("--worker", "coder")] == ["2"]
    assert rows("--worker", "nobody") == []


def test_a_run_that_is_not_finished_has_spent_all_the_same(store):
    journal = store.journal()
    for event in events("open", at=NOON)[:6]:
        journal.add(event)

    (row,) = rows()

    assert (row["runs"], row["calls"], row["known_usd"]) == ("1", "3", "0.0002")
    assert row["calls_of_unknown_cost"] == "2"  # in flight when the process ended


def test_a_name_is_no_formula_and_cannot_move_the_cursor(store):
    store.save(failed("one", model='=HYPERLINK("x")'))
    store.save(failed("two", model="a\x1b[2Jb"))

    assert [row["model"] for row in rows("--by", "model")] == ['\'=HYPERLINK("x")', "ab"]
    assert all(c.isprintable() for line in lines("--by", "model") for c in line)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--costs", "--jsonl"], "--costs sums all runs"),
        (["--costs", "--limit", "3"], "--costs sums all runs"),
        (["--costs", "--csv", "--json"], "--costs sums all runs"),
        (["--by", "day"], "--by and --csv are for --costs"),
        (["--csv"], "--by and --csv are for --costs"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options, message):
    result = CliRunner().invoke(app, options)

    assert isinstance(result.exception, ConfigError)
    assert str(result.exception).startswith(message)
