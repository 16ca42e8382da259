import json

import pytest
import typer
from typer.testing import CliRunner

from partbook.cli.judge import judge_command
from partbook.errors import ConfigError

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


def test_without_json_a_person_reads_the_verdict():
    result = run("maths", {"gold": "8", "pred": r"\boxed{9}"})

    assert result.output == "wrong: the answer (in the last box) does not equal 8\n"


@pytest.mark.parametrize(
    ("kind", "case"),
    [
        ("maths", "not JSON"),
        ("maths", "[1]"),
        ("maths", {"gold": "1"}),
        ("maths", {"gold": 1, "pred": "1"}),
        ("choice", {"text": "A", "letters": "AB"}),
        ("choice", {"text": "A", "letters": ["A"], "choices": ["x"]}),
        ("choice", {"text": "A", "letters": ["A"], "gold": "B"}),
    ],
)
def test_a_bad_case_is_a_users_mistake(kind, case):
    result = run(kind, case)

    assert isinstance(result.exception, ConfigError)
