"""Partbook: the same workflow through its own conductor, executor, budget and HTTP workers.

With `STORE=1` every run is also kept in a store, as the command line and the server keep it.
"""

import os
import tempfile
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from driver import P1, P2, P3, Run, main

from partbook.conduct import Fixed, conduct
from partbook.fixed import FixedStep, FixedWorkflow
from partbook.models.http import HttpModel, open_session
from partbook.models.limited import Limited
from partbook.pool import AgentPool, Price, Worker, WorkerSpec
from partbook.store import BatchWriter, Store

WORKFLOW = FixedWorkflow(
    "bench",
    "two independent steps, then one that reads both",
    (FixedStep("w1", P1), FixedStep("w2", P2), FixedStep("w3", P3, (0, 1))),
)


async def setup(base_url: str, limit: int) -> Run:
    session = open_session()
    spec = WorkerSpec("", "http", price=Price(Decimal("1.25"), Decimal(10)))
    workers = tuple(
        Worker(replace(spec, name=name), Limited(HttpModel(session, base_url, name, "x"), 1000))
        for name in ("w1", "w2", "w3")
    )
    pool, proposer = AgentPool("bench", workers), Fixed(WORKFLOW)
    writer = None
    if os.environ.get("STORE"):
        folder = tempfile.mkdtemp(prefix="partbook-bench-")
        writer = BatchWriter(Store.open(Path(folder) / "runs.db"))

    async def run(i: int) -> str:
        trace = await conduct("Solve the problem.", pool, proposer)
        if writer is not None:
            writer.put(trace)
        return trace.answer or ""

    return run


if __name__ == "__main__":
    main("Partbook" + (" with its store" if os.environ.get("STORE") else ""), setup)
