from decimal import Decimal
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from partbook.budget import Limits
from partbook.cli.asking import check_prices, limits_of, rounds_of
from partbook.cli.plan import plan_command
from partbook.cli.run import run_command
from partbook.errors import ConfigError
from partbook.price import FREE, Price
from partbook.rounds import StopRule
from tests.fakes import Echo, pool_of

app = typer.Typer()
app.command("run")(run_command)
app.command("plan")(plan_command)

NOBODY = "http://127.0.0.1:9/v1"  # the port that discards; nothing listens there


def worker(name: str, more: str = "") -> str:
    return (
        f'[[workers]]\nname = "{name}"\nkind = "http"\nmodel = "{name}"\nendpoint = "{NOBODY}"\n'
        f'roles = ["general"]\nretries = 0\n{more}\n'
    )


PRICED = "price = { input_usd = 1, output_usd = 2 }"


@pytest.fixture
def pool(tmp_path):
    """Two workers, the second of unknown price."""
    path = tmp_path / "pool.toml"
    text = 'name = "mine"\nworkflow = "chain"\n' + worker("known", PRICED) + worker("far")
    path.write_text(text.replace('"chain"', f'"{_chain(tmp_path)}"'), encoding="utf-8")
    return str(path)


def _chain(folder: Path) -> Path:
    path = folder / "two.toml"
    path.write_text(
        'name = "two"\n[[steps]]\nworker = "known"\nsubtask = "a"\n'
        '[[steps]]\nworker = "far"\nsubtask = "b"\naccess = [0]\n',
        encoding="utf-8",
    )
    return path


def invoke(*arguments: str):
    return CliRunner().invoke(app, list(arguments))


def test_a_limit_in_dollars_with_an_unknown_price_refuses_to_start_and_names_the_worker(pool):
    result = invoke("run", "--pool", pool, "--max-usd", "1", "q")

    assert isinstance(result.exception, ConfigError)
    assert str(result.exception) == (
        "--max-usd needs the price of every worker; unknown: far; give each a `price` in the pool "
        "file or in your prices file, or say with --assume-price IN/OUT what they cost at most"
    )


def test_told_a_worst_case_it_starts(pool):
    result = invoke("run", "--pool", pool, "--max-usd", "1", "--assume-price", "5/25", "q")

    # Nobody listens, so the run fails; but it began, and the first worker was called.
    assert result.exit_code == 1
    assert "no connection" in result.stderr


def test_a_worker_that_is_not_called_needs_no_price(tmp_path, pool):
    one = tmp_path / "one.toml"
    one.write_text('name = "one"\n[[steps]]\nworker = "known"\nsubtask = "a"\n')

    result = invoke("run", "--pool", pool, "--workflow", str(one), "--max-usd", "1", "q")

    assert result.exit_code == 1


def test_a_price_of_one_s_own_is_enough(tmp_path, pool):
    prices = tmp_path / "prices.toml"
    prices.write_text('[[prices]]\nmodel = "far"\ninput_usd = 1\noutput_usd = 2\n')

    result = invoke("run", "--pool", pool, "--prices", str(prices), "--max-usd", "1", "q")

    assert result.exit_code == 1


def test_a_plan_needs_the_conductor_s_price_alone(pool):
    asked = ("plan", "--pool", pool, "--max-usd", "1", "q", "--conductor")

    assert "unknown: far" in str(invoke(*asked, "far").exception)
    assert invoke(*asked, "known").exit_code == 1


def test_too_little_for_the_assumed_worst_case_stops_the_run_before_the_call(tmp_path, pool):
    one = tmp_path / "one.toml"
    one.write_text('name = "one"\n[[steps]]\nworker = "far"\nsubtask = "a"\n')
    limits = ("--max-usd", "0.10", "--assume-price", "5/25")

    result = invoke("run", "--pool", pool, "--workflow", str(one), *limits, "q")

    assert result.exit_code == 1
    assert "stopped: the next call may cost $0.10" in result.stderr


@pytest.mark.parametrize("text", ["5", "5/", "/5", "a/b", "-1/5", "5/nan", "5/25/1"])
def test_an_assumed_price_is_two_amounts(text):
    with pytest.raises(ConfigError, match="like 5/25 were expected, found"):
        limits_of("1", None, None, None, text)


def test_an_assumed_price_is_read():
    limits = limits_of("1", None, None, None, "$1.25/10")

    assert limits == Limits(Decimal(1), assumed_price=Price(Decimal("1.25"), Decimal(10)))


def test_an_assumed_price_is_for_a_limit_in_dollars():
    with pytest.raises(ConfigError, match="--assume-price is for --max-usd"):
        limits_of(None, None, None, None, "5/25")


def test_a_prices_file_that_is_not_there_is_refused_though_nobody_needs_a_price(tmp_path):
    result = invoke("run", "--pool", "lab", "--prices", str(tmp_path / "nowhere.toml"), "q")

    assert isinstance(result.exception, ConfigError)
    assert "nowhere.toml" in str(result.exception)


def test_without_a_limit_in_dollars_no_price_is_needed():
    check_prices(pool_of(Echo("a"), price=None), None, Limits(calls=3))
    check_prices(pool_of(Echo("a"), price=FREE), None, Limits(Decimal(0)))


@pytest.mark.parametrize(
    ("rounds", "rule", "expected"),
    [
        (None, None, (1, StopRule("never"))),
        (1, None, (1, StopRule("never"))),
        (3, None, (3, StopRule("conductor"))),
        (None, "never", (1, StopRule("never"))),
        (None, "once", (2, StopRule("once"))),
        (None, "unsure", (2, StopRule("unsure"))),
        (4, "checker:reader", (4, StopRule("checker", "reader"))),
    ],
)
def test_rounds_and_stop_rule_complete_each_other(rounds, rule, expected):
    assert rounds_of(rounds, rule) == expected


@pytest.mark.parametrize(
    ("rounds", "rule", "message"),
    [
        (None, "always", "one of never, once, unsure, conductor or checker:WORKER was expected"),
        (None, "checker", "or checker:WORKER was expected"),
        (None, "once:w", "or checker:WORKER was expected"),
        (3, "once", "--stop-rule once goes with --rounds 2, found 3"),
        (2, "never", "--stop-rule never goes with --rounds 1, found 2"),
        (1, "unsure", "--stop-rule unsure goes with --rounds 2 to 10, found 1"),
    ],
)
def test_a_stop_rule_that_does_not_fit_is_refused(rounds, rule, message):
    with pytest.raises(ConfigError) as refused:
        rounds_of(rounds, rule)

    assert message in str(refused.value)


def test_rounds_of_a_fixed_workflow_are_refused(pool):
    result = invoke("run", "--pool", pool, "--rounds", "2", "q")

    assert isinstance(result.exception, ConfigError)
    assert "is played once; rounds need a Conductor" in str(result.exception)


def test_an_unknown_checker_is_refused_before_anybody_is_called(pool):
    result = invoke("run", "--pool", pool, "-c", "far", "--stop-rule", "checker:who", "q")

    assert isinstance(result.exception, ConfigError)
    assert "no worker with the name or role 'who'" in str(result.exception)
