import json
import re
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest
from typer.testing import CliRunner

from partbook.cli.lab import lab_app
from partbook.errors import ConfigError

run = CliRunner().invoke


def test_a_problem_is_shown_with_its_answer_and_its_best_workflow():
    result = run(lab_app, ["problem", "--seed", "0", "--difficulty", "2"])

    assert result.exit_code == 0
    assert result.output == (
        "Please find which weekday 2026-10-01 is. Finally remove the vowels from the result.\n"
        "\n"
        "answer: thrsdy\n"
        "skills: dates, letters\n"
        "\n"
        "best workflow, right with probability 0.871:\n"
        "  0  dee  find which weekday 2026-10-01 is\n"
        "  1  val  Check the earlier answer.  reads 0\n"
        "  2  bo   remove the vowels from the result  reads 1\n"
    )


@pytest.mark.parametrize("options", [["--difficulty", "9"], ["--split", "exam"]])
def test_a_problem_that_does_not_exist_is_a_users_mistake(options):
    result = run(lab_app, ["problem", *options])

    assert isinstance(result.exception, ConfigError)


def test_the_table_is_printed_as_markdown_or_for_a_terminal():
    small = ["table", "--problems", "8"]
    marked, plain = run(lab_app, [*small, "--markdown"]), run(lab_app, small)

    assert marked.output.startswith("| system | right | 95 % interval |")
    assert "| optimum | " in marked.output
    assert re.search(r"^optimum +\d\.\d{3} ", plain.output, re.MULTILINE)


def test_the_table_is_put_between_the_markers_of_a_file(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "before\n<!-- begin: partbook lab table -->\nold\n<!-- end: partbook lab table -->\nafter\n"
    )

    for _ in range(2):
        result = run(lab_app, ["table", "--problems", "8", "--write", str(page)])

    assert result.exit_code == 0
    text = page.read_text()
    assert text.startswith("before\n<!-- begin: partbook lab table -->\n| system |")
    assert text.endswith("\n<!-- end: partbook lab table -->\nafter\n")
    assert "old" not in text
    assert text.count("| optimum |") == 1


@pytest.mark.parametrize("content", [b"no markers\n", b"caf\xe9", None])
def test_a_file_without_markers_is_left_alone(tmp_path, content):
    page = tmp_path / "page.md"
    if content is not None:
        page.write_bytes(content)

    result = run(lab_app, ["table", "--problems", "4", "--write", str(page)])

    assert isinstance(result.exception, ConfigError)
    assert str(page) in str(result.exception)
    assert content is None or page.read_bytes() == content


def test_the_endpoint_is_served_until_it_is_interrupted():
    code = "from partbook.cli.lab import lab_app; lab_app(['serve', '--port', '0'])"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        line = process.stdout.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+/v1", line)[0]
        with urllib.request.urlopen(f"{address}/models", timeout=10) as reply:
            models = json.load(reply)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=10)

    assert [model["id"] for model in models["data"]][:2] == ["ada", "bo"]


def test_a_port_that_is_taken_is_a_users_mistake():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run(lab_app, ["serve", "--port", str(port)])

    assert isinstance(result.exception, ConfigError)
    assert f"cannot listen on 127.0.0.1:{port}" in str(result.exception)
