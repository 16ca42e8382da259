"""What it costs a request that its limits are counted in the store, on SQLite and on PostgreSQL.

    python bench/shared_limits.py [--calls 2000] [--at-once 20] [URL ...]

Each call takes one of a key's requests, and passes a worker's gate and its minute, as a request
does that one worker answers. The same is done with the limits of one process, in memory. Time and
CPU time are of this process; what the database's server takes is not in them. Without URLs: a file
in a temporary folder, and a PostgreSQL server as the tests start it, which forces nothing to the
disk.
"""

import argparse
import asyncio
import functools
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # for the tests' server

from partbook.message import Completion, Message, Sampling, Usage
from partbook.models.breaker import Breaker
from partbook.models.limited import Limited
from partbook.models.paced import Paced
from partbook.pool import WorkerSpec
from partbook.server.rate import Rate
from partbook.server.shared_limits import SharedLimits
from partbook.store import ApiKeys
from tests.postgres import postgres_programs, running_postgres

MANY = 10**6
SPEC = WorkerSpec(
    "w", "http", "m", endpoint="http://e/v1", max_concurrency=64, requests_per_minute=MANY
)
ASK = (Message("user", "What is 6*7?"),)


class Quick:
    async def chat(self, messages, sampling, on_text=None) -> Completion:
        await asyncio.sleep(0)
        return Completion("42", Usage(10, 5), "m")


async def timed(
    calls: int, at_once: int, call: Callable[[], Awaitable[object]]
) -> tuple[float, float]:
    """Milliseconds and CPU milliseconds of a call."""
    left = iter(range(calls))

    async def some() -> None:
        for _ in left:
            await call()

    begun, used = time.perf_counter(), time.process_time()
    await asyncio.gather(*(some() for _ in range(at_once)))
    seconds, cpu = time.perf_counter() - begun, time.process_time() - used
    return 1000 * seconds / calls, 1000 * cpu / calls


async def measure(place: str, calls: int, at_once: int) -> list[tuple[str, float, float]]:
    found = []
    with ApiKeys.open(place) as keys:
        kept, _ = keys.create("bench", requests_per_minute=MANY)
        model = Limited(Breaker(Paced(Quick(), requests=MANY)), 64)
        limits = SharedLimits(keys.counting, "bench")
        take = functools.partial(keys.counting.take, kept.key_id)
        async with limits.alive():
            shared = limits.guarded(SPEC, Quick())
            for name, rate, worker in (
                ("in memory", Rate(MANY), model),
                ("in the store", Rate(MANY, shared=take), shared),
            ):

                async def call(rate: Rate = rate, worker=worker) -> None:
                    await rate.take()
                    await worker.chat(ASK, Sampling())

                found.append((name, *await timed(calls, at_once, call)))
    return found


def show(kind: str, place: str, calls: int, at_once: int) -> None:
    for name, ms, cpu_ms in asyncio.run(measure(place, calls, at_once)):
        print(f"{kind:12} {name:14} {ms:8.3f} ms {cpu_ms:8.3f} CPU ms a call")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--at-once", type=int, default=20)
    parser.add_argument("urls", nargs="*")
    asked = parser.parse_args()
    if asked.urls:
        for url in asked.urls:
            show(url.partition(":")[0], url, asked.calls, asked.at_once)
        return
    with tempfile.TemporaryDirectory() as folder:
        show("SQLite", f"{folder}/limits.db", asked.calls, asked.at_once)
    if (programs := postgres_programs()) is None:
        sys.exit("PostgreSQL's programs are not installed: apt-get install postgresql")
    with running_postgres(programs) as server:
        show("PostgreSQL", server.database(), asked.calls, asked.at_once)


if __name__ == "__main__":
    main()
