"""Rounds as a user meets them: real processes, a real server, `kill -9` between and in rounds."""

import json
import os
from pathlib import Path

import pytest

from partbook.store import Store
from tests.e2e.kill_world import STEPS, WORKFLOW, Server, kill

KEY = "sk-planted-0123456789abcdef"


def write_pool(folder: Path, server: Server, more: str = "") -> list[str]:
    """A pool whose one worker also conducts; each round of it is five calls."""
    (folder / "four.toml").write_text(WORKFLOW)
    (folder / "pool.toml").write_text(
        f'name = "mine"\nfallback = "{folder}/four.toml"\nconductor = "far"\n'
        f'[[workers]]\nname = "far"\nkind = "http"\nmodel = "m"\ncontext = "plain"\n'
        f'endpoint = "{server.url}"\nkey_env = "FAR_KEY"\nretries = 0\n{more}'
        "price = { input_usd = 1, output_usd = 10 }\n"
    )
    return ["--pool", str(folder / "pool.toml")]


def test_two_rounds_are_one_run_with_one_bill(tmp_path, server, partbook):
    pool = write_pool(tmp_path, server)

    done = partbook.run("run", *pool, "--rounds", "2", "--json", "What?", FAR_KEY=KEY)
    trace = json.loads(done.stdout)
    shown = partbook.run("show").stdout

    assert (done.returncode, trace["answer"], trace["calls"]) == (0, "answer to delta", 10)
    assert [len(round_["steps"]) for round_ in trace["rounds"]] == [4, 4]
    assert trace["cost_usd"] == "0.0006"
    assert shown.index("round 0 ──") < shown.index("round 1 ──")
    assert "answered after" in shown


def test_every_round_is_in_the_live_view(tmp_path, server, partbook):
    pool = write_pool(tmp_path, server)

    done = partbook.run("run", *pool, "--rounds", "2", "--show", "What?", FAR_KEY=KEY)

    assert done.stdout.count("workflow of the Conductor") == 2
    assert done.stdout.count("wave 0") == 2
    assert "round 1 ──" in done.stdout


def test_a_round_that_a_limit_ends_leaves_the_answer_and_status_0(tmp_path, server, partbook):
    pool = write_pool(tmp_path, server)

    done = partbook.run("run", *pool, "--rounds", "2", "--max-calls", "7", "What?", FAR_KEY=KEY)

    assert (done.returncode, done.stdout) == (0, "answer to delta\n")
    assert "the limit of 7 calls is reached; the answer of round 0 stands" in done.stderr
    assert len(server.asked) == 7


def test_a_demand_that_leaves_nobody_ends_with_status_2_and_asks_nobody(tmp_path, server, partbook):
    pool = write_pool(tmp_path, server, 'labels = ["no-customer-data"]\n')

    refused = partbook.run("run", *pool, "--demand", "eu", "What?", FAR_KEY=KEY)
    allowed = partbook.run("run", *pool, "--demand", "no-customer-data", "What?", FAR_KEY=KEY)

    assert refused.returncode == 2
    assert refused.stderr == (
        "error: nobody in pool 'mine' may be called for this request: far has no label 'eu'\n"
    )
    assert (allowed.returncode, len(server.asked)) == (0, 5)


@pytest.mark.parametrize("border", [3, 5, 6, 8, 10])
def test_a_run_that_is_killed_in_or_between_rounds_pays_no_kept_call_twice(
    border, tmp_path, server, partbook
):
    pool = write_pool(tmp_path, server)
    process = partbook.start("run", *pool, "--rounds", "2", "What?", FAR_KEY="first-key-of-16chars")
    answered = 0
    while answered < border:
        answered += server.happened.get(timeout=30)[0] == "answered"
    kill(process)
    killed = partbook.wait()
    with Store.open(os.environ["PARTBOOK_STORE"]) as store:
        earlier = store.latest()
    if killed.returncode == 0:  # the last answer can be faster than the kill
        assert border == 10
        return
    kept = sum(len(r.proposals) for r in earlier.rounds) + sum(
        step.answer is not None for r in earlier.rounds for step in r.steps
    )

    resumed = partbook.run("resume", earlier.run_id, "--json", FAR_KEY="second-key-of-16char")
    trace = json.loads(resumed.stdout)

    assert (resumed.returncode, trace["status"], trace["answer"]) == (
        0,
        "answered",
        "answer to delta",
    )
    assert [len(round_["steps"]) for round_ in trace["rounds"]] == [4, 4]
    assert len(server.seen("second-key-of-16char")) == 2 * (len(STEPS) + 1) - kept
    assert len(server.asked) <= trace["calls"]


def test_a_worker_that_is_down_is_not_there_in_the_second_round(tmp_path, server, partbook):
    pool = write_pool(tmp_path, server)
    down = (
        '[[workers]]\nname = "down"\nkind = "http"\nmodel = "m"\nretries = 0\n'
        f'endpoint = "{server.url}"\nkey_env = "DOWN_KEY"\ncard = "says nothing"\n'
    )
    file = tmp_path / "pool.toml"
    head, workers = file.read_text().split("[[workers]]", 1)
    file.write_text(f"{head}{down}[[workers]]{workers}")
    server.failing_key = "the-key-of-the-worker-down"
    keys = {"FAR_KEY": KEY, "DOWN_KEY": "the-key-of-the-worker-down"}

    one = partbook.run("run", *pool, "What?", **keys)
    two = partbook.run("run", *pool, "--rounds", "2", "--json", "What?", **keys)
    trace = json.loads(two.stdout)

    assert (one.returncode, two.returncode, trace["answer"]) == (1, 0, "answer to delta")
    assert [round_["unanswered"] for round_ in trace["rounds"]] == ["worker", None]
    # The Conductor's 0 is the only worker that it was shown, the trace's 1 is the pool's second.
    assert [step["worker"] for step in trace["rounds"][1]["workflow"]["steps"]] == [1] * 4
    assert trace["workers"] == ["down", "far"]
