"""`kill -9` at any moment, then `partbook resume`: no finished call is paid again.

The short form makes about twenty kills; `PARTBOOK_KILLS=200` (`make kill-test`) makes so many. What
was counted is printed.
"""

import json
import os
import queue
import random
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from partbook.resume import known_texts
from partbook.store import Store
from partbook.trace import Trace
from tests.e2e.kill_world import STEPS, WORKFLOW, Server, kill
from tests.launcher import Launcher

KILLS = int(os.environ.get("PARTBOOK_KILLS", "20"))
LONGEST_WAIT_S = 0.015
"""Between a moment that the server sees and the kill."""

LONGEST_START_S = 3.0
"""A process that has made no call by then makes none."""

KEY = "key-of-launch-{:08d}"


@dataclass
class Tally:
    """What a whole test counted."""

    kills: Counter[str] = field(default_factory=Counter)
    runs: int = 0
    calls: int = 0
    lost: int = 0
    """Calls that were seen by the server and whose answer was not kept when the process died."""
    start_s: float = 0.06
    """How long it took lately until a process made its first call; a busy machine takes longer."""


@dataclass
class Chain:
    """One run that is killed and resumed until it is done."""

    folder: Path
    server: Server
    launcher: Launcher
    rng: random.Random
    tally: Tally
    conductor: bool
    launches: int = 0
    run_id: str | None = None

    def play(self, kills: int) -> None:
        """Kill it so often, or until it is over; then let it end, and check what the server saw."""
        self.folder.mkdir()
        (self.folder / "four.toml").write_text(WORKFLOW)
        (self.folder / "pool.toml").write_text(
            f'name = "mine"\nfallback = "{self.folder}/four.toml"\n'
            f'[[workers]]\nname = "far"\nkind = "http"\nmodel = "m"\ncontext = "plain"\n'
            f'endpoint = "{self.server.url}"\nkey_env = "FAR_KEY"\n'
            "price = { input_usd = 1, output_usd = 10 }\n"
        )
        begin = self.tally.calls
        keys: list[str] = []
        lost_before = self.tally.lost
        status = -9
        while status == -9:
            known = self.known()
            status = self.launch(keys, kill_it=len(keys) < kills)
            self.check_no_call_again(keys[-1], known)
        assert status == 0
        seen = [step for key in keys for step in self.server.seen(key)]
        wanted = len(STEPS) + self.conductor
        trace = self.trace()
        assert trace is not None
        assert trace.answer == "answer to delta"
        assert len(seen) == wanted + self.tally.lost - lost_before
        assert len(seen) <= trace.calls
        self.tally.runs += 1
        self.tally.calls = begin + len(seen)

    def launch(self, keys: list[str], *, kill_it: bool) -> int:
        """Run or resume, kill it at some moment if wanted, and give the exit status."""
        key = KEY.format(self.rng.randrange(10**8))
        keys.append(key)
        who = ["-c", "far"] if self.conductor else ["-w", str(self.folder / "four.toml")]
        begun = ["run", "--pool", str(self.folder / "pool.toml"), *who, "--json", "What?"]
        arguments = begun if self.run_id is None else ["resume", self.run_id, "--json"]
        process = self.launcher.start(*arguments, FAR_KEY=key, PARTBOOK_STORE=self.store)
        kind = self.wait_for_moment(key) if kill_it else "none"
        if kill_it:
            kill(process)
        done = self.launcher.wait()
        status = done.returncode
        if status == -9:
            self.tally.kills[kind] += 1
        else:
            assert json.loads(done.stdout)["answer"] == "answer to delta", done.stderr
        # What the dead process had sent may still be on its way to the server.
        self.settle(key)
        after = self.trace()
        if after is not None:
            self.run_id = after.run_id
        kept = self.answered(after)
        if status == -9:
            self.tally.lost += sum(step not in kept for step in self.server.seen(key))
        return status

    def wait_for_moment(self, key: str) -> str:
        """Wait for the moment of the kill: at a call's border, or any time."""
        wait = threading.Event().wait
        if self.rng.random() < 0.4:
            wait(self.rng.uniform(0, 2 * self.tally.start_s))
            return "at a random instant"
        border, begun = self.rng.randrange(1, 9), time.monotonic()
        for i in range(border):
            try:
                self.server.happened.get(timeout=0.3 if i else LONGEST_START_S)
            except queue.Empty:
                break
            if i == 0:
                self.tally.start_s = time.monotonic() - begun
        wait(self.rng.uniform(0, LONGEST_WAIT_S))
        return "at a border"

    def settle(self, key: str) -> None:
        """Wait until the server has answered all that it was asked."""
        while True:
            try:
                self.server.happened.get(timeout=0.03)
            except queue.Empty:
                return

    @property
    def store(self) -> str:
        return str(self.folder / "runs.db")

    def trace(self) -> Trace | None:
        """What is kept of the run: in its journal, or in the store."""
        if not (self.folder / "runs.db").exists():
            return None
        with Store.open(self.store) as store:
            return store.latest()

    def known(self) -> set[str]:
        """The calls whose answer is kept."""
        return self.answered(self.trace())

    def answered(self, trace: Trace | None) -> set[str]:
        if trace is None or not trace.rounds:
            return set()
        steps = {STEPS[s.step] for s in trace.rounds[0].steps if s.answer is not None}
        return steps | ({"plan"} if known_texts(trace, 0) else set())

    def check_no_call_again(self, key: str, known: set[str]) -> None:
        again = known & set(self.server.seen(key))
        assert not again, f"asked again although the answer was kept: {again}"


@pytest.mark.parametrize("conductor", [False, True], ids=["fixed", "conductor"])
def test_no_finished_call_is_paid_again_whenever_the_process_is_killed(
    conductor, tmp_path, server, partbook, capsys
):
    rng = random.Random(7 + conductor)
    tally = Tally()
    runs = 0

    while sum(tally.kills.values()) < KILLS // 2:
        Chain(tmp_path / f"run-{runs}", server, partbook, rng, tally, conductor).play(kills=4)
        runs += 1
        assert runs < 10 * KILLS, f"too few kills hit: {tally}"

    with capsys.disabled():
        sys.stdout.write(f"\n{tally}\n")
    calls = (len(STEPS) + conductor) * tally.runs
    assert tally.calls == calls + tally.lost
