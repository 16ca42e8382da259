"""Fifty writers on one store, and how fast it lists what they wrote, on SQLite and on PostgreSQL.

    python bench/store.py [--writers 50] [--runs 10000] [URL ...]

Each writer has connections of its own, as a server has, and there are ten of them in a process.
Together they write the runs, ten in a transaction, and reserve more dollars than their key has.
Without URLs: a file in a temporary folder, and a PostgreSQL server as the tests start it, which
forces nothing to the disk. A URL names an empty database. Of the list, the best of nine times
counts, and the CPU time of this process beside it: other work on the machine makes both no smaller.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # for the tests' server

from figures import keep

from partbook.errors import StoreError
from partbook.message import Usage
from partbook.step_trace import StepTrace
from partbook.store import ApiKeys, Store
from partbook.trace import RoundTrace, Trace
from partbook.workflow import Step, Workflow
from tests.postgres import postgres_programs, running_postgres

PATIENT_S = 120.0
THREADS = 10
BATCH = 10
RESERVATIONS = 20
"""Of one dollar, by each writer."""
PAGE = 50
TRIES = 9
DAY = "2026-11-30"

STEPS = tuple(
    StepTrace(
        i, name, (), i * 0.5, i * 0.5 + 0.5, "An answer of some words. " * 20, None, "m",
        Usage(800, 200), Decimal("0.0004"), "stop",
    )
    for i, name in enumerate(("coder", "thinker", "checker"))
)  # fmt: skip
RUN = Trace(
    run_id="",
    question="What is the sum of the digits of 2**100, and how do you know that it is?",
    pool="demo",
    workers=("coder", "thinker", "checker"),
    started_at=1_764_000_000.0,
    seconds=2.5,
    status="answered",
    rounds=(
        RoundTrace(
            workflow=Workflow((Step(0, "Write it"), Step(1, "Reason"), Step(2, "Compare", (0, 1)))),
            source="conductor",
            steps=STEPS,
            answer="115",
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Task:
    """What one writer does."""

    place: str
    key_id: str
    limit: Decimal
    writer: int
    runs: int


def write(task: Task) -> tuple[int, int]:
    """Write the runs and reserve; how many were granted, and how many writes failed."""
    granted = failed = 0
    with (
        Store.open(task.place, PATIENT_S) as store,
        ApiKeys.open(task.place, PATIENT_S) as keys,
    ):
        for i in range(RESERVATIONS):
            _, is_added = keys.spend(task.key_id, DAY, Decimal(1), 1, (task.limit, None))
            granted += is_added
            first, last = (task.runs * at // RESERVATIONS for at in (i, i + 1))
            for j in range(first, last, BATCH):
                numbers = range(
                    task.writer * task.runs + j, task.writer * task.runs + min(j + BATCH, last)
                )
                batch = [
                    replace(RUN, run_id=f"{n:032x}", started_at=RUN.started_at + n) for n in numbers
                ]
                while True:
                    try:
                        store.save_many(batch)
                        break
                    except StoreError:
                        failed += 1
    return granted, failed


def write_ten(tasks: list[Task]) -> list[tuple[int, int]]:
    with ThreadPoolExecutor(THREADS) as threads:
        return list(threads.map(write, tasks))


def measure(place: str, name: str, writers: int, runs: int) -> dict[str, object]:
    each = runs // writers
    limit = Decimal(writers * RESERVATIONS * 6 // 10)
    with ApiKeys.open(place) as keys:
        kept, _ = keys.create("bench", usd_per_day=limit)
    tasks = [Task(place, kept.key_id, limit, writer, each) for writer in range(writers)]
    by_process = [tasks[i : i + THREADS] for i in range(0, writers, THREADS)]
    begun = time.perf_counter()
    with ProcessPoolExecutor(len(by_process), get_context("spawn")) as processes:
        done = [each for ten in processes.map(write_ten, by_process) for each in ten]
    took_s = time.perf_counter() - begun
    with ApiKeys.open(place) as keys:
        spent = sum(keys.spent(DAY[:7])[kept.key_id].values())
    with Store.open(place) as store:
        rows = store.runs()
        distinct = len({row.run_id for row in rows})
        print(
            f"{name}: {writers} writers, {writers * each} runs: lost {writers * each - distinct}, "
            f"twice {len(rows) - distinct}, failed writes {sum(failed for _, failed in done)}; "
            f"budget {limit}: granted {sum(granted for granted, _ in done)}, booked {spent}; "
            f"{took_s:.1f} s with the start of the processes"
        )
        for what, limited in ((f"{len(rows)} runs", None), (f"the last {PAGE}", PAGE)):
            wall_ms, cpu_ms = best_ms(store, limited)
            print(f"{name}: listing {what}: {wall_ms:.1f} ms, of them {cpu_ms:.1f} ms CPU here")
            if limited is None:
                listing = {"runs": len(rows), "wall_ms": wall_ms, "cpu_ms": cpu_ms}
    return {"name": name, "lost": writers * each - distinct, **listing}


def best_ms(store: Store, limit: int | None) -> tuple[float, float]:
    walls, cpus = [], []
    for _ in range(TRIES):
        begun, begun_cpu = time.perf_counter(), time.process_time()
        store.runs(limit)
        walls.append(time.perf_counter() - begun)
        cpus.append(time.process_time() - begun_cpu)
    return 1000 * min(walls), 1000 * min(cpus)


@contextmanager
def own_server() -> Iterator[str | None]:
    """A URL on a server as the tests start it; None: its programs are not there."""
    if (programs := postgres_programs()) is None:
        yield None
        return
    with running_postgres(programs) as server:
        yield server.database()


def main() -> None:
    parser = argparse.ArgumentParser(description="Fifty writers on one store.")
    parser.add_argument("urls", nargs="*", metavar="URL", help="empty databases; default: own ones")
    parser.add_argument("--writers", type=int, default=50)
    parser.add_argument("--runs", type=int, default=10_000)
    given = parser.parse_args()
    size = (given.writers, given.runs)
    found = [measure(url, url.partition(":")[0], *size) for url in given.urls]
    if not given.urls:
        with tempfile.TemporaryDirectory() as folder:
            found.append(measure(f"{folder}/runs.db", "SQLite", *size))
        with own_server() as url:
            if url is None:
                print("PostgreSQL: not measured, its programs are not installed")
            else:
                found.append(measure(url, "PostgreSQL", *size))
    keep({"databases": found})


if __name__ == "__main__":
    main()
