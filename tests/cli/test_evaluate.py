"""`partbook evaluate` as a user meets it, killed and all."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import pytest
from typer.testing import CliRunner

from partbook.cli.main import app
from partbook.errors import ConfigError
from partbook.evaluate.running.calls import CALLS
from partbook.evaluate.running.results import RESULTS
from tests.paid_server import paid_server

LAB = ["evaluate", "lab", "--systems", "worker:gus,worker:tim,random", "--limit", "12"]


def run(*arguments: object):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def untimed(text: str) -> str:
    """What is printed, without the line of seconds and the paths."""
    kept = [line for line in text.splitlines() if not line.startswith(("Seconds", "wrote"))]
    return "\n".join(kept)


def test_the_lab_is_evaluated_and_reported_in_all_forms(tmp_path):
    result = run(*LAB, "--out", tmp_path, "--html")

    assert result.exit_code == 0, result.output
    assert "3 systems on 12 problems of lab" in result.output
    assert (tmp_path / "report.html").read_text().startswith("<!doctype html>")
    assert (tmp_path / "report.md").read_text().startswith("# 3 systems on 12 problems of lab")
    assert len((tmp_path / "report.csv").read_text().splitlines()) == 4
    assert json.loads((tmp_path / "report.json").read_text())["problems"] == 12


def test_the_report_is_printed_again_from_what_is_there(tmp_path):
    first = run(*LAB, "--out", tmp_path)

    again = run("evaluate", "--report", tmp_path)

    assert again.exit_code == 0
    assert untimed(again.stdout) == untimed(first.stdout)


def test_the_focus_can_be_chosen(tmp_path):
    run(*LAB, "--out", tmp_path)

    result = run("evaluate", "--report", tmp_path, "--focus", "worker:tim")

    assert "worker:tim is " in result.stdout
    unknown = run("evaluate", "--report", tmp_path, "--focus", "tim")
    assert "there are worker:gus, worker:tim, random" in str(unknown.exception)


def test_a_focus_that_nobody_is_costs_nothing(tmp_path):
    result = run(*LAB, "--out", tmp_path / "x", "--focus", "tim")

    assert "--focus: no system 'tim' here; there are worker:gus" in str(result.exception)
    assert not (tmp_path / "x").exists()


def test_where_nothing_was_found_nothing_is_said_to_be_kept(tmp_path):
    result = run(*LAB, "--out", tmp_path / "x", "--grader", "nobody")

    assert isinstance(result.exception, ConfigError)
    assert "what was found so far" not in result.stderr


def test_a_dry_run_says_what_it_takes_and_writes_nothing(tmp_path):
    result = run(*LAB, "--out", tmp_path / "x", "--dry-run")

    assert result.exit_code == 0
    assert "Nothing was spent" in result.stdout
    assert list(tmp_path.iterdir()) == []


def test_any_trace_of_a_cell_can_be_opened(tmp_path):
    run(*LAB, "--out", tmp_path)
    cell = next(line["cell"] for line in lines(tmp_path / RESULTS) if "cell" in line)

    result = run("show", cell["runs"][0])

    assert result.exit_code == 0
    assert cell["played"][0]["steps"][0][1] in result.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name a task"),
        (["lob"], "no task 'lob'"),
        (["math5000"], "did you mean 'math500'?"),
        (["lab", "--systems", "wurker:gus"], "did you mean worker?"),
        (["lab", "--systems", "worker:guss"], "did you mean gus?"),
        (["lab", "--systems", "prompted"], "needs a Conductor"),
        (["lab", "gsm8k"], "evaluate it by itself"),
        (["lab", "--split", "exam"], "train, validation, test"),
        (["lab", "--match", "seconds=3"], "--match"),
        (["lab", "--match", "usd"], "--match"),
        (["lab", "--max-usd", "much"], "--max-usd"),
        pytest.param(
            ["lab", "--systems", "routerdc", "--encoder", "word2vec"],
            "--encoder",
            marks=pytest.mark.skipif(find_spec("numpy") is None, reason="needs partbook[eval]"),
        ),
        (["--config", "nowhere.toml"], "nowhere.toml"),
        (["--report", "nowhere"], "no results"),
    ],
)
def test_bad_input_is_said_before_anything_is_written(tmp_path, arguments, said):
    result = run("evaluate", *arguments, "--out", tmp_path / "x")

    assert isinstance(result.exception, ConfigError), result.output
    assert said in str(result.exception)
    assert not (tmp_path / "x").exists()


def test_results_of_another_evaluation_are_refused(tmp_path):
    run(*LAB, "--out", tmp_path)

    seed = run(*LAB, "--seed", "1", "--out", tmp_path)
    matched = run(*LAB, "--match", "calls=2", "--out", tmp_path)

    assert "its task is lab test, seed 0, here it is lab test, seed 1" in str(seed.exception)
    assert "its limit per problem is none, here it is calls=2" in str(matched.exception)


def test_results_of_another_version_are_refused(tmp_path):
    run(*LAB, "--out", tmp_path)
    path = tmp_path / RESULTS
    path.write_text(path.read_text().replace('"results":1', '"results":2', 1))

    result = run(*LAB, "--out", tmp_path)

    assert "use that version" in str(result.exception)


def test_a_limit_on_money_stops_the_run_and_leaves_it_to_be_continued(tmp_path):
    # The dearest worker may write 4096 tokens at $40 a million, which is $0.164 for each call.
    stopped = run(*LAB, "--max-usd", "0.167", "--concurrency", "1", "--out", tmp_path)
    assert stopped.exit_code == 1
    assert "are not judged" in stopped.output

    whole = run(*LAB, "--max-usd", "5", "--out", tmp_path)

    assert whole.exit_code == 0, whole.output


def test_routers_learn_from_another_split_and_are_measured_once(tmp_path):
    pytest.importorskip("numpy", reason="needs pip install 'partbook[eval]'")
    learned = ["evaluate", "lab", "--systems", "best,routerdc,smoothie:independent", "--limit", "8"]
    learned += ["--learn", "12", "--encoder", "words", "--out", tmp_path]

    first, again = run(*learned), run(*learned)

    assert first.exit_code == 0, first.output
    assert "measuring 8 workers on 12 problems" in first.output
    assert "measuring" not in again.output
    assert untimed(again.stdout) == untimed(first.stdout)


def start(arguments: list[object], env: dict[str, str] | None = None) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "partbook", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | (env or {}),
    )


def kill_after(process: subprocess.Popen[str], path: Path, size: int) -> None:
    """Kill it as soon as the file has so many bytes."""
    while not path.exists() or path.stat().st_size < size:
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.01)
            break
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL, "it ended before it could be killed"


def test_an_evaluation_that_is_killed_again_and_again_gives_the_identical_table(tmp_path):
    """The lab, in real processes that SIGKILL ends at two moments."""
    lab = ["evaluate", "lab", "--systems", "worker:*,random,self-consistency@gus", "--limit", "16"]
    unbroken = run(*lab, "--out", tmp_path / "a")
    killed = [*lab, "--concurrency", "3", "--out", tmp_path / "b"]

    for size in (9_000, 60_000):
        kill_after(start(killed), tmp_path / "b" / RESULTS, size)
    ended = run(*killed)

    assert ended.exit_code == 0, ended.output
    assert untimed(ended.stdout) == untimed(unbroken.stdout)
    tables = [
        [row.rsplit(",", 1)[0] for row in (tmp_path / name / "report.csv").read_text().splitlines()]
        for name in "ab"
    ]
    assert tables[0] == tables[1]
    cells = Counter(
        (line["cell"]["system"], line["cell"]["problem"])
        for line in lines(tmp_path / "b" / RESULTS)
        if "cell" in line
    )
    assert set(cells.values()) == {1}


USAGE = {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25}


def counting_server():
    return paid_server(answer="<answer>4</answer>", usage=USAGE)


POOL = """
name = "two"
[[workers]]
name = "one"
kind = "http"
endpoint = "{url}"
model = "m1"
key_env = "{key}"
roles = ["general"]
price = {{ input_usd = 1.0, output_usd = 2.0 }}
[[workers]]
name = "two"
kind = "http"
endpoint = "{url}"
model = "m2"
{price}
"""


def write_world(folder: Path, url: str, *, key: str = "", price: str = "") -> None:
    price = price or "price = { input_usd = 1.0, output_usd = 2.0 }"
    (folder / "pool.toml").write_text(POOL.format(url=url, key=key, price=price))
    rows = [
        {"id": str(i), "question": f"What is {i} + 1?", "answer": str(i + 1)} for i in range(12)
    ]
    (folder / "task.jsonl").write_text("\n".join(map(json.dumps, rows)))


def test_no_finished_call_is_paid_again_after_a_kill(tmp_path):
    with counting_server() as server:
        write_world(tmp_path, server.url)
        asked = ["evaluate", tmp_path / "task.jsonl", "--pool", tmp_path / "pool.toml"]
        asked += ["--systems", "worker:*,moa:3@one,self-reflection@two", "--concurrency", "2"]
        asked += ["--out", tmp_path / "out"]
        env = {"PARTBOOK_STORE": str(tmp_path / "runs.db")}
        kill_after(start(asked, env), tmp_path / "out" / CALLS, 9_000)
        kill_after(start(asked, env), tmp_path / "out" / CALLS, 20_000)

        ended = run(*asked)

    assert ended.exit_code == 0, ended.output
    # One answer of twelve is 4. A worker alone is the first layer of the mixture, word for word.
    calls = 12 * (2 + 5 + 5)
    repeated = 12 * 2 + 12
    assert server.requests >= calls
    # At each kill, the calls of the two cells in flight may have been on their way: two at a time.
    assert server.requests <= calls + 2 * 2 * 2
    assert len(server.asked) >= calls - repeated - 12 * 3


def test_a_worker_without_its_key_is_said_before_anything_is_asked(tmp_path, monkeypatch):
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    with counting_server() as server:
        write_world(tmp_path, server.url, key="NO_SUCH_KEY")
        asked = ["evaluate", tmp_path / "task.jsonl", "--pool", tmp_path / "pool.toml"]

        result = run(*asked, "--systems", "worker:*", "--out", tmp_path / "out")
        dry = run(*asked, "--systems", "worker:*", "--dry-run")
        other = run(*asked, "--systems", "worker:two", "--out", tmp_path / "two")

    assert "NO_SUCH_KEY" in str(result.exception)
    assert dry.exit_code == 0, dry.output
    assert other.exit_code == 0, other.output
    assert all('"m2"' in text for text in server.asked)


def test_an_unknown_price_under_a_money_limit_is_said_before_anything_is_asked(tmp_path):
    with counting_server() as server:
        write_world(tmp_path, server.url, price=" ")
        asked = ["evaluate", tmp_path / "task.jsonl", "--pool", tmp_path / "pool.toml"]
        asked += ["--systems", "worker:*", "--out", tmp_path / "out"]

        refused = [run(*asked, "--max-usd", "1"), run(*asked, "--match", "usd=0.1")]
        assert not server.asked
        assumed = run(*asked, "--max-usd", "1", "--assume-price", "5/25")

    assert all("unknown: two" in str(result.exception) for result in refused)
    assert assumed.exit_code == 0, assumed.output


def test_a_finished_run_is_replayed_without_asking_anybody(tmp_path):
    with counting_server() as server:
        write_world(tmp_path, server.url)
        asked = ["evaluate", tmp_path / "task.jsonl", "--pool", tmp_path / "pool.toml"]
        asked += ["--systems", "worker:*,moa:2@one"]
        first = run(*asked, "--out", tmp_path / "a")
        before = server.requests

        again = run(*asked, "--out", tmp_path / "b", "--replay", tmp_path / "a")
        more = run(*asked[:-1], "random", "--out", tmp_path / "c", "--replay", tmp_path / "a")

    assert server.requests == before
    assert untimed(again.stdout) == untimed(first.stdout)
    assert "was not recorded" in str(more.exception)
