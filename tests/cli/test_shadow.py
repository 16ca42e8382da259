"""The command that shows a shadow experiment, and the options that begin one."""

import json
from dataclasses import replace
from decimal import Decimal

import pytest
import typer
from typer.testing import CliRunner

from partbook.cli.shadow import shadow_command
from partbook.cli.shadow_options import ShadowWish, shadow_wish
from partbook.errors import ConfigError
from partbook.evaluate.shadowing.shadow import Experiment, Pair, Took
from partbook.evaluate.shadowing.shadow_journal import ShadowJournal

app = typer.Typer()
app.command("shadow")(shadow_command)

AT = 1_790_000_000.0
EXPERIMENT = Experiment("partbook-2026-11-30-abc123", "single:w1", "judge", pairs=40)
PAIR = Pair("run", AT, "win", Took(3, Decimal("0.03"), 6.0), Took(1, Decimal("0.01"), 2.0), Took())


def output(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "160"})
    if result.exception is not None:
        raise result.exception
    return result.stdout


@pytest.fixture
def journal(tmp_path):
    path = tmp_path / "shadow.jsonl"
    opened = ShadowJournal.open(path, EXPERIMENT, AT)
    for outcome in ("win", "win", "loss", "tie", "no verdict"):
        opened.add(replace(PAIR, outcome=outcome, torn=outcome == "tie"))
    opened.close()
    return str(path)


def test_the_verdict_is_said_with_its_interval_its_rule_and_what_it_took(journal):
    text = " ".join(output(journal).split())

    assert "Wins of single:w1: 67 % (6.7 % to 99.6 %, at every moment with 95 %)" in text
    assert "Open: the interval of the share of wins holds one half." in text
    assert "It goes on until the interval excludes one half, or to 40 judged pairs." in text
    assert "single:w1 1.0 calls, $0.0100, 2.0 s; what is served 3.0 calls, $0.0300, 6.0 s" in text


def test_json_is_exact(journal):
    found = json.loads(output(journal, "--json"))

    assert (found["wins"], found["losses"], found["ties"], found["no_verdict"]) == (2, 1, 1, 1)
    assert found["verdict"] == "open"


def test_it_speaks_korean_and_writes_a_page(journal, tmp_path):
    page = tmp_path / "shadow.html"
    text = output(journal, "--lang", "ko", "--html", str(page))

    assert "아직 알 수 없습니다" in text
    assert '<html lang="ko">' in page.read_text()
    assert "single:w1의 승률" in page.read_text()


def test_without_a_journal_it_says_how_one_begins():
    with pytest.raises(ConfigError, match="partbook serve --shadow"):
        output()


def test_the_options_say_what_is_wanted():
    wish = shadow_wish("5%", "single:w1", "$2.50", None, 100, None)

    assert wish == ShadowWish(0.05, "single:w1", Decimal("2.50"), None, 100, None)
    assert "5 % of the answered requests also go to single:w1, for $2.50 a day" in wish.told()


@pytest.mark.parametrize(
    ("rate", "system", "usd", "said"),
    [
        (None, "single:w1", None, "add it"),
        ("5%", None, "1", "needs --shadow-system"),
        ("5%", "single:w1", None, "--shadow-usd-per-day USD"),
        ("0", "single:w1", "1", "above 0"),
        ("500%", "single:w1", "1", "up to 100%"),
        ("often", "single:w1", "1", "a number"),
    ],
)
def test_options_that_do_not_go_together_are_refused(rate, system, usd, said):
    with pytest.raises(ConfigError, match=said):
        shadow_wish(rate, system, usd, None, 200, None)
