"""The command that finds work of several stages."""

import asyncio
import csv
import io
import json

import pytest
import typer
from typer.testing import CliRunner

from partbook.cli.audit import audit_command
from partbook.errors import ConfigError
from partbook.store import Store
from tests.models.scripted_server import ScriptedServer, completion, reply
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


PLAN = "model_id = [0, 1]\nsubtasks = ['Add.', 'Say.']\naccess_list = [[], 'all']"


async def conducted(*arguments: str):
    """What the command says whose Conductor is at an endpoint, and what that was asked."""
    async with ScriptedServer(*[reply(completion(PLAN))] * 4) as server:
        command = [*arguments, "--pool", "lab", "--conductor", f"{server.url}#m-1"]
        result = await asyncio.to_thread(CliRunner().invoke, app, command)
        assert result.exit_code == 0, result.output
        return result, [request.json()["messages"][0]["content"] for request in server.requests]


async def test_a_conductor_reads_the_prompts_and_is_set_beside_the_rules(log, tmp_path):
    page = tmp_path / "audit.html"
    result, asked = await conducted(log, "--json", "--mask", "--html", str(page))

    found = json.loads(result.stdout)
    assert found["several"] == 3
    said = found["conductor"]
    assert (said["read"], said["several"], said["rules_several"], said["both"]) == (4, 4, 3, 3)
    assert [one["example"] for one in said["alone"]] == ["Hello"]
    assert "Search for [email], then judge it." in asked[0]
    assert "masked" in result.stderr
    assert "ada → bo" in page.read_text()


async def test_a_conductor_reads_as_many_as_it_is_told(log):
    result, asked = await conducted(log, "--conductor-limit", "2", "--lang", "ko")

    assert len(asked) == 2
    assert "4개에서 무작위로 뽑은 2개" in " ".join(result.stdout.split())
    assert "그대로 보냅니다" in result.stderr


def test_a_limit_in_dollars_is_for_a_conductor(log):
    with pytest.raises(ConfigError, match="--conductor"):
        output(log, "--max-usd", "1")


def test_a_cost_in_another_currency_needs_a_rate(tmp_path):
    path = tmp_path / "log.csv"
    path.write_bytes('질문,비용,통화\n"자료를 검색하고 골라 주세요.",1500,KRW\n'.encode("cp949"))

    with pytest.raises(ConfigError, match=r"line 2: the currency is KRW.*--rate KRW="):
        output(str(path))
    assert json.loads(output(str(path), "--json", "--rate", "KRW=0.001"))["known_usd"] == "1.5"


def test_a_report_that_cannot_be_written_does_not_take_the_answer_along(log, tmp_path):
    result = CliRunner().invoke(app, [log, "--json", "--html", str(tmp_path)])

    assert isinstance(result.exception, ConfigError)
    assert json.loads(result.stdout)["prompts"] == 4
