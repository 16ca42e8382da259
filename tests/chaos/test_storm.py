"""A server and its workers in bad weather, killed and locked out of its store meanwhile.

Each request has two steps, the second reads the first. Connections to the provider are reset, cut,
delayed, left half-open or filled with wrong bytes; the server is killed with SIGKILL and started
again on the same store; the store is locked for a second now and then. `PARTBOOK_STORM=3000`
(`make chaos`) sends so many requests; what was counted is printed.
"""

import asyncio
import json
import math
import os
import random
import re
import signal
import sqlite3
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import IO, Self

import aiohttp
import pytest

from partbook.store import ApiKeys, Store
from tests.chaos.provider import PRICE, Provider, answer_of

pytest.importorskip("uvicorn", reason="needs pip install 'partbook[serve]'")

REQUESTS = int(os.environ.get("PARTBOOK_STORM", "120"))
AT_ONCE = 12
KILLS = max(2, REQUESTS // 150)
LOCKED_S = 1.0
WRITTEN_S = LOCKED_S + 3.0
"""By then a run that was answered is in the store, also where that was locked."""

PATIENCE_S = 60.0
"""The longest that a client waits for an end: more than all tries of a step can take."""

LIMIT_USD = Decimal("0.00045") * REQUESTS
"""About two thirds of what the storm would cost, so that the limit is reached in it."""

POOL = """
name = "stormy"
workflow = "{folder}/two.toml"
[[workers]]
name = "far"
kind = "http"
model = "m"
endpoint = "{url}"
timeout_s = 3
retries = 3
max_concurrency = 50
sampling = {{ max_tokens = 40 }}
price = {{ input_usd = {price[0]}, output_usd = {price[1]} }}
"""
WORKFLOW = """
name = "two"
about = "two steps, the second reads the first"
[[steps]]
worker = "far"
subtask = "Do step-a."
[[steps]]
worker = "far"
subtask = "Do step-b."
access = [0]
"""


@dataclass
class Storm:
    """One server process after another, on one store, and what clients saw of them."""

    folder: Path
    provider: Provider
    key: str = ""
    process: Process | None = None
    url: str = ""
    ends: Counter[str] = field(default_factory=Counter)
    answered: dict[str, float] = field(default_factory=dict)
    """When whole replies were there, by the id of their run."""
    killed: list[float] = field(default_factory=list)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Leave no server behind where a test fails."""
        if self.process is not None and self.process.returncode is None:
            await self.kill()

    async def end(self) -> int:
        """Ask the server to end, and wait for its status."""
        assert self.process is not None
        self.process.terminate()
        return await self.process.wait()

    async def start(self) -> None:
        """Start a server and wait until it says where it listens."""
        with (self.folder / "stderr.txt").open("a") as stderr:
            self.process = await self._launched(stderr)
        assert self.process.stdout is not None
        line = (await self.process.stdout.readline()).decode()
        found = re.search(r"http://[^ ]+/v1", line)
        assert found, (self.folder / "stderr.txt").read_text()
        self.url = found[0]

    async def _launched(self, stderr: IO[str]) -> Process:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "partbook", "serve", "--pool", f"{self.folder}/pool.toml"),
            *("--keep", "--no-log", "--port", "0"),
            env=os.environ | {"PARTBOOK_STORE": f"sqlite:///{self.folder}/store.db"},
            stdout=PIPE,
            stderr=stderr,
        )

    async def kill(self) -> None:
        """End the server as a power cut would."""
        assert self.process is not None
        self.killed.append(time.monotonic())
        self.process.send_signal(signal.SIGKILL)
        await self.process.wait()

    def outlived(self, run_id: str) -> float:
        """Seconds from a reply to the next death of a server; infinite where none died after it."""
        replied = self.answered[run_id]
        return min((death - replied for death in self.killed if death >= replied), default=math.inf)

    async def ask(self, session: aiohttp.ClientSession, number: int) -> None:
        """Ask one question and note how it ended."""
        question = f"question-{number}"
        body = {"model": "partbook", "messages": [{"role": "user", "content": question}]}
        headers = {"Authorization": f"Bearer {self.key}"}
        try:
            async with asyncio.timeout(PATIENCE_S):
                asked = session.post(
                    f"{self.url}/chat/completions",
                    json=body | {"stream": number % 2 == 1},
                    headers=headers,
                )
                async with asked as reply:
                    end = _end(question, reply.status, await reply.text())
                    if end == "answered" and number % 2 == 0:
                        self.answered[reply.headers["x-partbook-run-id"]] = time.monotonic()
        except aiohttp.ClientError:
            end = "the server is gone"
        self.ends[end] += 1

    async def all_questions(self, draw: random.Random) -> None:
        """Ask everything, so many at once; kill the server and lock its store meanwhile."""
        waiting = iter(range(REQUESTS))
        deaths = set(draw.sample(range(REQUESTS // 8, REQUESTS * 5 // 8), KILLS))
        begun = 0
        lock = asyncio.Lock()

        async def client(session: aiohttp.ClientSession) -> None:
            nonlocal begun
            for number in waiting:
                begun += 1
                if number in deaths:
                    async with lock:
                        await self.kill()
                        await self.start()
                async with lock:
                    pass
                await self.ask(session, number)

        async def locking() -> None:
            while begun < REQUESTS:
                await asyncio.sleep(2 * LOCKED_S)
                await asyncio.to_thread(_lock_for_a_while, self.folder / "store.db")

        async with aiohttp.ClientSession() as session, asyncio.TaskGroup() as group:
            group.create_task(locking())
            for _ in range(AT_ONCE):
                group.create_task(client(session))


def _end(question: str, status: int, text: str) -> str:
    if text.startswith("data: "):
        events = [line[6:] for line in text.splitlines() if line.startswith("data: ")]
        assert events[-1] == "[DONE]", text
        chunks = [json.loads(one) for one in events[:-1]]
        errors = [chunk["error"]["code"] for chunk in chunks if "error" in chunk]
        said = "".join(
            choice["delta"].get("content") or "" for c in chunks for choice in c.get("choices", ())
        )
    else:
        body = json.loads(text)
        errors = [body["error"]["code"]] if status != 200 else []
        said = "" if errors else body["choices"][0]["message"]["content"]
    if errors:
        return f"error {errors[0]}"
    # Eight wrong bytes inside of a text are a text like any other to whoever reads it.
    return "answered" if said == answer_of(question, "step-b") else "answered, changed on the way"


def _lock_for_a_while(path: Path) -> None:
    with sqlite3.connect(path, timeout=30, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        time.sleep(LOCKED_S)
        other.execute("ROLLBACK")
    other.close()


async def test_in_a_storm_nothing_is_lost_or_paid_twice_and_the_limit_holds(tmp_path):
    draw = random.Random(11)
    (tmp_path / "two.toml").write_text(WORKFLOW)
    async with Provider(random.Random(12)) as provider:
        (tmp_path / "pool.toml").write_text(
            POOL.format(folder=tmp_path, url=provider.url, price=PRICE)
        )
        storm = Storm(tmp_path, provider)
        with ApiKeys.open(tmp_path / "store.db") as keys:
            kept, storm.key = keys.create("ann", usd_per_day=LIMIT_USD)
        async with storm:
            await storm.all_questions(draw)
            status = await storm.end()
    with ApiKeys.open(tmp_path / "store.db") as keys:
        days = keys.spent(time.strftime("%Y-%m", time.gmtime()))[kept.key_id]
    with Store.open(tmp_path / "store.db") as store:
        runs = Counter(row.run_id for row in store.runs(limit=2 * REQUESTS))
    with sqlite3.connect(tmp_path / "store.db") as plain:
        whole = plain.execute("PRAGMA integrity_check").fetchone()[0]
    billed = f"${provider.billed_usd} of ${LIMIT_USD} billed"
    print(f"{KILLS} kills: {dict(storm.ends)}; {billed}, {dict(provider.fates)}")  # noqa: T201

    assert status == 0
    assert whole == "ok"
    assert sum(storm.ends.values()) == REQUESTS
    assert provider.billed_usd <= sum(days.values()) <= LIMIT_USD
    assert max(provider.clean.values()) == 1
    # A reply does not wait for the store, which may be locked when the server dies.
    lost = {run: storm.outlived(run) for run in storm.answered.keys() - runs.keys()}
    assert max(lost.values(), default=0.0) < WRITTEN_S, lost
    assert set(runs.values()) == {1}
    assert storm.ends["answered"] > REQUESTS // 4
    known = {"answered", "answered, changed on the way", "the server is gone"}
    assert {end for end in storm.ends if not end.startswith("error ")} <= known
