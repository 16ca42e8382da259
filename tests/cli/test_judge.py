import asyncio
import json

import pytest
import typer
from typer.testing import CliRunner

from partbook.cli.judge import judge_command
from partbook.errors import ConfigError
from tests.models.scripted_server import ScriptedServer, completion, reply

app = typer.Typer()
app.command()(judge_command)


def run(kind, case, *options):
    text = case if isinstance(case, str) else json.dumps(case)
    return CliRunner().invoke(app, [kind, *options], input=text)


@pytest.mark.parametrize(
    ("kind", "case", "verdict", "answer"),
    [
        ("maths", {"gold": "1/2", "pred": r"\boxed{0.5}", "note": "kept"}, "right", "0.5"),
        ("maths", {"gold": "1/2", "pred": "no idea, I am sorry"}, "wrong", None),
        ("maths", {"gold": "see the figure over there", "pred": "5"}, "not judged", "5"),
        ("short", {"gold": "Paris", "pred": "The answer is Paris."}, "right", "Paris"),
        ("choice", {"text": "Answer: b", "letters": ["A", "B"], "gold": "B"}, "right", "B"),
        ("choice", {"text": "Answer: b", "letters": ["A", "B"], "gold": "A"}, "wrong", "B"),
        ("choice", {"text": "Answer: b", "letters": ["A", "B"]}, "not judged", "B"),
        ("choice", {"text": "who knows", "letters": ["A", "B"]}, "not judged", None),
        (
            "choice",
            {"text": "the moon", "letters": ["A", "B"], "choices": {"A": "Mars", "B": "Moon"}},
            "not judged",
            "B",
        ),
    ],
)
def test_a_case_is_judged(kind, case, verdict, answer):
    result = run(kind, case, "--json")

    assert result.exit_code == 0
    found = json.loads(result.output)
    assert (found["verdict"], found["answer"]) == (verdict, answer)
    assert found["reason"]


def test_a_verdict_by_rule_names_no_model():
    result = run("short", {"gold": "Paris", "pred": "Paris"}, "--json")

    assert json.loads(result.output)["judged_by"] is None


async def test_a_rubric_is_judged_by_a_worker_and_its_model_is_named(tmp_path):
    case = {"question": "Which metal?", "rubric": "names one", "gold": "Tin", "pred": "Iron."}
    right = reply(completion("It does.\nVERDICT: right"))
    async with ScriptedServer(right, right, right, right) as server:
        pool = tmp_path / "mine.toml"
        pool.write_text(
            'name = "mine"\nabout = "one judge"\n[[workers]]\nname = "critic"\nkind = "http"\n'
            f'model = "m"\nendpoint = "{server.url}"\ncard = "grades"\n'
        )
        options = ("--grader", "critic", "--pool", str(pool))
        shown = await asyncio.to_thread(run, "rubric", case, *options)
        found = await asyncio.to_thread(run, "rubric", case, *options, "--json")

    assert shown.output == "right (judged by a model: m-1): both orders agree: It does.\n"
    assert json.loads(found.output) == {
        "verdict": "right",
        "answer": "Iron.",
        "reason": "both orders agree: It does.",
        "judged_by": "m-1",
    }
    assert "REFERENCE begins\nTin" in server.requests[0].json()["messages"][1]["content"]


def test_without_json_a_person_reads_the_verdict():
    result = run("maths", {"gold": "8", "pred": r"\boxed{9}"})

    assert result.output == "wrong: the answer (in the last box) does not equal 8\n"


@pytest.mark.parametrize(
    ("kind", "case"),
    [
        ("maths", "not JSON"),
        ("maths", "[1]"),
        ("maths", "[" * 100_000),
        ("maths", {"gold": "1"}),
        ("maths", {"gold": 1, "pred": "1"}),
        ("choice", {"text": "A", "letters": "AB"}),
        ("choice", {"text": "A", "letters": ["A"], "choices": ["x"]}),
        ("choice", {"text": "A", "letters": ["A"], "gold": "B"}),
        ("rubric", {"question": "q", "rubric": "r", "pred": "p"}),
        ("rubric", {"question": "q", "pred": "p"}),
    ],
)
def test_a_bad_case_is_a_users_mistake(kind, case):
    result = run(kind, case)

    assert isinstance(result.exception, ConfigError)
