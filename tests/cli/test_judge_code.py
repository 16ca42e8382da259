import json

import pytest
import typer
from typer.testing import CliRunner

from partbook.cli.judge import judge_command
from partbook.cli.judge_code import tests_of as read
from partbook.errors import ConfigError
from partbook.tasks.programs import Case, SourceTests, pack_cases

app = typer.Typer()
app.command()(judge_command)


@pytest.mark.parametrize(
    ("case", "tests"),
    [
        (
            {"tests": [{"stdin": "4\n", "stdout": "5\n"}]},
            pack_cases([Case("4\n", "5\n")]),
        ),
        (
            {"tests": [{"input": "4", "output": "5"}], "function": "next_"},
            pack_cases([Case("4", "5")], "next_"),
        ),
        ({"tests": "assert f(1) == 2"}, SourceTests("assert f(1) == 2")),
        ({"tests": ["assert f(1) == 2"]}, SourceTests("assert f(1) == 2")),
        (
            {"asserts": ["f(1) == 2", "assert f(2)"], "entry_point": "f"},
            SourceTests("assert f(1) == 2\nassert f(2)", entry_point="f"),
        ),
    ],
)
def test_the_tests_of_a_case_are_read_in_every_spelling(case, tests):
    assert read(case) == tests


@pytest.mark.parametrize(
    "case", [{}, {"tests": []}, {"asserts": []}, {"tests": [{"stdin": "4"}]}, {"asserts": ["("]}]
)
def test_a_case_without_usable_tests_is_a_users_mistake(case):
    with pytest.raises(ConfigError):
        read(case)


@pytest.mark.sandbox
def test_a_program_is_judged_on_the_command_line():
    case = {"response": "```python\nprint(int(input()) + 1)\n```", "tests": [
        {"stdin": "4", "stdout": "6"}]}  # fmt: skip

    result = CliRunner().invoke(app, ["code", "--json"], input=json.dumps(case))

    assert json.loads(result.output) == {
        "verdict": "wrong",
        "answer": "print(int(input()) + 1)",
        "reason": "test 1 of 1: expected '6', printed '5'",
        "judged_by": None,
    }
