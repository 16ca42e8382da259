"""The Conductor that comes with the package, on its real base model."""

import json
import subprocess
import sys

import pytest

WORKERS = ("coder", "reader", "talker", "calculator", "python")
"""Of the pool `embedded`, in its order."""

pytestmark = [pytest.mark.models, pytest.mark.usefixtures("smollm2")]


def planned(question: str) -> list[tuple[str, list[int]]]:
    done = subprocess.run(
        [sys.executable, "-m", "partbook", "plan", "--json", "-c", "embedded", question],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    plan = json.loads(done.stdout)
    assert plan["source"] == "conductor"
    return [(WORKERS[step["worker"]], step["access"]) for step in plan["steps"]]


def test_an_expression_goes_to_the_calculator():
    assert planned("What is 387 * 46?") == [("calculator", [])]


def test_a_text_is_written_by_the_reader():
    assert planned("Write a haiku about snow.") == [("reader", [])]


def test_what_has_to_be_computed_gets_a_program_that_is_run():
    steps = planned("How many primes are there below 200?")

    assert steps == [("coder", []), ("python", [0])]
