import json

import typer
from typer.testing import CliRunner

from partbook.cli.parse import parse_command

PLAN = 'model_id = [1, 0]\nsubtasks = ["Sketch\\nit.", "Judge it."]\naccess_list = [[], ["all"]]\n'

app = typer.Typer()
app.command()(parse_command)


def run(text, *options):
    return CliRunner().invoke(app, options, input=text)


def test_a_workflow_is_printed_as_json():
    result = run(PLAN, "--workers", "2", "--json")

    assert result.exit_code == 0
    assert json.loads(result.stdout) == {
        "steps": [
            {"worker": 1, "subtask": "Sketch\nit.", "access": []},
            {"worker": 0, "subtask": "Judge it.", "access": [0]},
        ]
    }


def test_a_workflow_is_printed_one_step_a_line():
    result = run(PLAN, "--workers", "2")

    assert result.stdout == "step 0, worker 1: Sketch it.\nstep 1, worker 0, reads 0: Judge it.\n"


def test_what_is_wrong_is_json_with_its_reason_and_exit_status_1():
    result = run(PLAN, "--workers", "1", "--json")

    assert result.exit_code == 1
    assert json.loads(result.stdout) == {
        "error": "step 0: worker 1 does not exist, the pool has 0..0",
        "reason": "unknown_worker",
    }


def test_what_is_wrong_is_said_on_standard_error():
    result = run("no lists", "--workers", "2")

    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("error: no lists found; write model_id = [...]")


def test_bytes_that_are_no_text_are_shown_as_such():
    text = 'model_id = [0]\nsubtasks = ["다리 \\ud800"]\naccess_list = [[]]'.encode() + b"\xff"

    result = run(text, "--workers", "1", "--json")

    assert json.loads(result.stdout)["steps"][0]["subtask"] == "다리 \ufffd"


def test_a_subtask_cannot_move_the_cursor():
    text = 'model_id = [0]\nsubtasks = ["a\x1b[2Jb"]\naccess_list = [[]]'

    assert run(text, "--workers", "1").stdout == "step 0, worker 0: ab\n"


def test_a_pool_has_at_least_one_worker():
    assert run(PLAN, "--workers", "0").exit_code == 2
