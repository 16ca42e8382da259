"""Cache, recordings, journal and resume as a user meets them: real processes, a real server."""

import json
import os
import sqlite3
from pathlib import Path

from partbook.store import Store
from tests.e2e.kill_world import ANSWERS, STEPS, WORKFLOW, Server, kill
from tests.launcher import Launcher

KEY = "sk-planted-0123456789abcdef"


def write_files(folder: Path, server: Server, more: str = "") -> list[str]:
    """A pool with one worker on the server, and a workflow of four steps; the options for them."""
    (folder / "four.toml").write_text(WORKFLOW)
    (folder / "pool.toml").write_text(
        'name = "mine"\n[[workers]]\nname = "far"\nkind = "http"\nmodel = "m"\ncontext = "plain"\n'
        f'endpoint = "{server.url}"\nkey_env = "FAR_KEY"\n{more}'
        "price = { input_usd = 1, output_usd = 10 }\n"
    )
    return ["--pool", str(folder / "pool.toml"), "-w", str(folder / "four.toml")]


def kill_in_flight(options: list[str], server: Server, step: str, partbook: Launcher) -> str:
    """`partbook run`, killed while the server works on a step; gives the run's id."""
    while not server.happened.empty():
        server.happened.get()
    server.slow_step = step
    process = partbook.start("run", *options, "What?", FAR_KEY=KEY)
    while server.happened.get(timeout=30)[::2] != ("asked", step):
        pass
    kill(process)
    assert partbook.wait().returncode == -9
    server.slow_step = ""
    (row,) = json.loads(partbook.run("runs", "--json").stdout)
    assert row["status"] == "unfinished"
    return row["run_id"]


def test_a_killed_run_is_listed_shown_and_resumed_and_pays_for_nothing_twice(
    tmp_path, server, partbook
):
    run_id = kill_in_flight(write_files(tmp_path, server), server, "gamma", partbook)

    shown = partbook.run("show", run_id)
    resumed = partbook.run("resume", run_id[:6], FAR_KEY=KEY)
    trace = json.loads(partbook.run("show", "--json").stdout)

    assert "answer to alpha" in shown.stdout
    assert (resumed.returncode, resumed.stdout) == (0, "answer to delta\n")
    assert [step for _, step in server.asked] in (
        ["alpha", "beta", "gamma", "gamma", "delta"],
        ["beta", "alpha", "gamma", "gamma", "delta"],
    )
    assert (trace["run_id"], trace["status"], trace["calls"]) == (run_id, "answered", 5)
    assert trace["cost_usd"] is None  # the provider may bill the lost call
    assert not list(Path(f"{os.environ['PARTBOOK_STORE']}.unfinished").iterdir())


def test_a_limit_counts_what_was_spent_before(tmp_path, server, partbook):
    options = write_files(tmp_path, server)
    run_id = kill_in_flight([*options, "--max-calls", "4"], server, "gamma", partbook)

    resumed = partbook.run("resume", run_id, FAR_KEY=KEY)

    assert (resumed.returncode, resumed.stdout) == (1, "answer to gamma\n")
    assert resumed.stderr == "stopped: the limit of 4 calls is reached\n"


def test_a_pool_that_has_changed_is_refused_with_what_changed(tmp_path, server, partbook):
    run_id = kill_in_flight(write_files(tmp_path, server), server, "gamma", partbook)
    before = len(server.asked)
    write_files(tmp_path, server, 'sampling = { seed = 1 }\n[[workers]]\nname = "sums"\n')
    (tmp_path / "pool.toml").write_text(
        (tmp_path / "pool.toml").read_text().replace("price = { input", 'kind = "calculator"\n#')
    )

    refused = partbook.run("resume", run_id, FAR_KEY=KEY)

    assert refused.returncode == 2
    assert "worker 'far' has changed, worker 'sums' is new; undo that" in refused.stderr
    assert len(server.asked) == before
    write_files(tmp_path, server)
    assert partbook.run("resume", run_id, FAR_KEY=KEY).stdout == "answer to delta\n"


def test_a_run_that_a_worker_failed_goes_on_once_the_worker_is_back(tmp_path, server, partbook):
    options = write_files(tmp_path, server, "retries = 0\n")
    server.failing_step = "gamma"

    failed = partbook.run("run", *options, "What?", FAR_KEY=KEY)
    (row,) = json.loads(partbook.run("runs", "--json").stdout)
    server.failing_step = ""
    resumed = partbook.run("resume", row["run_id"], FAR_KEY=KEY)

    assert (failed.returncode, row["status"]) == (1, "failed")
    assert (resumed.returncode, resumed.stdout) == (0, "answer to delta\n")
    assert sorted(step for _, step in server.asked) == ["alpha", "beta", "delta", "gamma", "gamma"]


def test_a_run_that_is_over_asks_nobody_and_says_so(tmp_path, server, partbook):
    options = write_files(tmp_path, server)
    partbook.run("run", *options, "What?", FAR_KEY=KEY)
    (row,) = json.loads(partbook.run("runs", "--json").stdout)

    again = partbook.run("resume", row["run_id"])

    assert (again.returncode, again.stdout) == (0, "answer to delta\n")
    assert again.stderr == f"run {row['run_id']} is over (answered); nobody is asked\n"
    assert len(server.asked) == len(STEPS)


def test_a_store_that_stays_locked_costs_nothing_twice(tmp_path, server, partbook):
    options = write_files(tmp_path, server)
    store = os.environ["PARTBOOK_STORE"]
    Store.open(store).close()
    other = sqlite3.connect(store)
    other.execute("BEGIN IMMEDIATE")

    printed = partbook.run("run", *options, "What?", FAR_KEY=KEY)
    other.rollback()
    other.close()
    (row,) = json.loads(partbook.run("runs", "--json").stdout)
    kept = partbook.run("resume", row["run_id"])

    assert (printed.returncode, printed.stdout) == (2, "answer to delta\n")
    assert "is locked by another program" in printed.stderr
    assert f"`partbook resume {row['run_id']}` keeps it and asks nobody" in printed.stderr
    assert (kept.returncode, kept.stdout) == (0, "answer to delta\n")
    assert len(server.asked) == len(STEPS)
    assert json.loads(partbook.run("runs", "--json").stdout)[0]["status"] == "answered"


def test_a_recorded_run_is_replayed_without_key_and_network(tmp_path, server, partbook):
    options = write_files(tmp_path, server)
    recording = tmp_path / "rec"

    made = partbook.run("run", *options, "--json", "--record", str(recording), "What?", FAR_KEY=KEY)
    before = len(server.asked)
    again = partbook.run("run", *options, "--json", "--replay", str(recording), "What?", FAR_KEY="")
    one, other = json.loads(made.stdout), json.loads(again.stdout)

    assert again.returncode == 0
    assert len(server.asked) == before == len(STEPS)
    for name in ("answer", "calls", "usage", "cost_usd", "workers"):
        assert one[name] == other[name]
    assert [step["answer"] for step in other["rounds"][0]["steps"]] == [
        ANSWERS[step] for step in STEPS
    ]


def test_a_recording_and_a_journal_hold_no_key_and_no_header(tmp_path, server, partbook):
    options = write_files(tmp_path, server)
    server.says = "You sent {authorization}."
    recording = tmp_path / "rec"

    partbook.run("run", *options, "--record", str(recording), "What?", FAR_KEY=KEY)
    recorded = (recording / "calls.jsonl").read_bytes()
    Path(os.environ["PARTBOOK_STORE"]).unlink()
    kill_in_flight(options, server, "gamma", partbook)
    (journal,) = Path(f"{os.environ['PARTBOOK_STORE']}.unfinished").iterdir()

    assert recorded.count(b'"text":"You sent Bearer [key]."') == len(STEPS)
    assert journal.read_bytes().count(b'"answer":"You sent Bearer [key]."') == 2
    for file in tmp_path.rglob("*"):
        if file.is_file():
            data = file.read_bytes()
            assert KEY.encode() not in data
            assert b"authorization" not in data.lower()


def test_the_first_call_that_was_not_recorded_is_told(tmp_path, server, partbook):
    options = write_files(tmp_path, server)
    recording = str(tmp_path / "rec")
    partbook.run("run", *options, "--record", recording, "What?", FAR_KEY=KEY)

    missing = partbook.run("run", *options, "--replay", recording, "What else?")

    assert missing.returncode == 2
    assert "error: worker 'far': a call was not recorded in" in missing.stderr
    assert "'What?' there, 'What else?' here" in missing.stderr
    assert "Traceback" not in missing.stderr


def test_record_and_replay_exclude_each_other(tmp_path, partbook):
    done = partbook.run("run", "--record", str(tmp_path), "--replay", str(tmp_path), "q")

    assert (done.returncode, done.stderr) == (
        2,
        "error: --record and --replay exclude each other\n",
    )


def test_a_worker_with_a_cache_is_asked_once_for_the_same(tmp_path, server, partbook):
    options = write_files(tmp_path, server, "cache = true\n")
    env = {"FAR_KEY": KEY, "PARTBOOK_CACHE": str(tmp_path / "cache")}

    partbook.run("run", *options, "What?", **env)
    again = json.loads(partbook.run("run", *options, "--json", "What?", **env).stdout)

    assert len(server.asked) == len(STEPS)
    assert (again["answer"], again["calls"], again["cost_usd"]) == ("answer to delta", 0, "0")
    assert [step["cached"] for step in again["rounds"][0]["steps"]] == [True] * 4
