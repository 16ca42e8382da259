"""The command that finds work of several stages."""

import csv
import io
import json

import pytest
import typer
from typer.testing import CliRunner

from partbook.cli.audit import audit_command
from partbook.errors import ConfigError
from partbook.store import Store
from tests.traces import a_trace

app = typer.Typer()
app.command("audit")(audit_command)


def output(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "120"})
    if result.exception is not None:
        raise result.exception
    return result.stdout


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "log.jsonl"
    rows = [
        {"prompt": "Search for kim@example.com, then judge it.", "cost": "0.10"},
        {"prompt": "- Extract the figures, analyse them, write it up.", "cost": "0.20"},
        {"prompt": "Classify this, then draft a reply.", "cost": "0.30"},
        {"prompt": "Hello", "cost": "0.01"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_candidates_are_listed_with_an_example_and_a_workflow(log):
    text = output(log)

    assert "3 of 4 prompts ask for several stages." in text
    assert "analyse → write" in text
    assert "panel" in text
    assert "Search for kim@example.com, then judge it." in text


def test_examples_can_be_masked(log):
    found = json.loads(output(log, "--json", "--mask"))

    assert found["candidates"][-1]["example"] == "Search for [email], then judge it."
    assert found["several"] == 3


def test_csv_has_exact_figures_and_no_formulas(log):
    rows = list(csv.DictReader(io.StringIO(output(log, "--csv"))))

    assert rows[0]["known_usd"] == "0.3"
    assert rows[0]["split_usd"] == "0.6"
    assert not [row for row in rows if row["example"].startswith("-")]


def test_it_speaks_korean(log):
    assert "프롬프트 4개 가운데 3개가 여러 단계를 요구합니다." in output(log, "--lang", "ko")


def test_the_questions_of_kept_runs_are_a_log(tmp_path):
    with pytest.raises(ConfigError, match="no prompt"):
        output("--store")
    with Store.open(tmp_path / "runs.db") as store:
        store.save(a_trace())

    assert json.loads(output("--store", "--json"))["prompts"] == 1


def test_a_log_must_be_named():
    with pytest.raises(ConfigError, match="which log"):
        output()
