"""Partbook: the same workflow through its own conductor, executor, budget and HTTP workers.

With `STORE=1` every run is also kept in a store, as the command line and the server keep it; with
`STORE=journal` its journal is written, too, so that `kill -9` at any moment loses nothing.
"""

import atexit
import os
import shutil
import tempfile
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from driver import LAST, P3, PARTS, Run, main

from partbook.conduct import Fixed, conduct
from partbook.fixed import FixedStep, FixedWorkflow
from partbook.models.http import HttpModel, open_session
from partbook.models.limited import Limited
from partbook.pool import AgentPool, Worker, WorkerSpec
from partbook.price import Price
from partbook.secret import Secret

WORKFLOW = FixedWorkflow(
    "bench",
    "independent steps, then one that reads all of them",
    (
        *(FixedStep(name, prompt) for name, prompt in PARTS),
        FixedStep(LAST, P3, tuple(range(len(PARTS)))),
    ),
)

STORE = os.environ.get("STORE", "")
NAMES = {"": "", "1": " with its store", "journal": " with store and journal"}


async def setup(base_url: str, limit: int) -> Run:
    session = open_session()
    spec = WorkerSpec("", "http", price=Price(Decimal("1.25"), Decimal(10)))
    workers = tuple(
        Worker(
            replace(spec, name=name), Limited(HttpModel(session, base_url, name, Secret("x")), 1000)
        )
        for name in (*(name for name, _ in PARTS), LAST)
    )
    pool, proposer = AgentPool("bench", workers), Fixed(WORKFLOW)
    if not STORE:

        async def run(i: int) -> str:
            trace = await conduct("Solve the problem.", pool, proposer)
            return trace.answer or ""

        return run

    from partbook.store import BatchWriter, Store  # noqa: PLC0415 - where none is kept, none is there

    folder = tempfile.mkdtemp(prefix="partbook-bench-")
    atexit.register(shutil.rmtree, folder)
    store = Store.open(Path(folder) / "runs.db")
    writer, journalled = BatchWriter(store), STORE == "journal"

    async def run_and_keep(i: int) -> str:
        journal = store.journal() if journalled else None
        add = None if journal is None else journal.add
        trace = await conduct("Solve the problem.", pool, proposer, journal=add)
        writer.put(trace, journal=journal)
        return trace.answer or ""

    return run_and_keep


if __name__ == "__main__":
    main("Partbook" + NAMES[STORE], setup)
