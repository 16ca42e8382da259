"""The sample package of `examples/plugin`, built and installed by pip, and used by the command."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SAMPLE = Path(__file__).parent.parent.parent / "examples" / "plugin"
POOL = str(SAMPLE / "pool.toml")
QUESTION = "How many times does the letter r occur in 'strawberry'?"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder with the installed package; nothing is fetched."""
    folder = tmp_path_factory.mktemp("site")
    options = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run(
        [sys.executable, "-m", "pip", "install", *options, "--target", folder, SAMPLE], check=True
    )
    return folder


def run(site: Path, *command: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *command],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"PYTHONPATH": str(site), "COLUMNS": "200"},
        check=False,
    )


def test_all_four_are_listed_without_trouble(site):
    listed = run(site, "partbook", "plugins", "--json")

    found = {(one["group"], one["name"], one["trouble"]) for one in json.loads(listed.stdout)}
    assert listed.returncode == 0
    assert found == {
        ("partbook.workers", "letter-counter", None),
        ("partbook.judges", "count", None),
        ("partbook.tasks", "letter-count", None),
        ("partbook.systems", "relay", None),
    }


def test_its_worker_answers_from_a_pool_file(site):
    done = run(site, "partbook", "run", "--pool", POOL, "--only", "local", QUESTION)

    assert (done.returncode, done.stdout, done.stderr) == (0, "3\n", "")


def test_its_judge_judges_one_answer(site):
    done = run(site, "partbook", "judge", "count", stdin='{"gold": "3", "pred": "Three"}')

    assert done.stdout == "right: 3 was expected, found 3\n"


def test_its_task_is_evaluated_with_its_worker_and_its_system(site, tmp_path):
    asked = ("partbook", "evaluate", "letter-count", "--pool", POOL, "-n", "10")
    asked += ("--systems", "worker:counter,relay:3", "--out", str(tmp_path))

    dry = run(site, *asked, "--dry-run")
    done = run(site, *asked)

    report = json.loads((tmp_path / "report.json").read_text())
    assert (dry.returncode, done.returncode) == (0, 0)
    figures = {one["system"]: one for one in report["systems"]}
    assert figures["worker:counter"]["accuracy"] == 1.0
    assert (figures["relay:3"]["calls"], figures["relay:3"]["judged"]) == (3.0, 10)


def test_its_system_plays_in_the_lab(site, tmp_path):
    done = run(
        site, "partbook", "evaluate", "lab", "--systems", "relay", "-n", "4", "--out", str(tmp_path)
    )

    assert (done.returncode, "relay:2" in done.stdout) == (0, True)


def test_its_own_tests_pass(site, tmp_path):
    done = run(
        site,
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-c",
        str(SAMPLE / "pyproject.toml"),
        str(SAMPLE / "tests"),
    )

    assert done.returncode == 0, done.stdout
