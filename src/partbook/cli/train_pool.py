"""What training needs of a pool: opened for its share of the calls, priced, and asked once."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from partbook.cli.opening import Absent, closed_pool, opened_pool
from partbook.cli.probing import probe_of
from partbook.cli.settling import settled
from partbook.config import load_pool
from partbook.errors import PartbookError
from partbook.message import Message
from partbook.own_prices import read_own_prices
from partbook.pool import AgentPool, Worker, WorkerSpec

if TYPE_CHECKING:
    from partbook.spread.post import Away
    from partbook.train.data import Data

__all__ = ["Asked", "ask_workers", "opened_for_training", "priced_pool"]

_TOKENS = 16
"""What a worker may write when it is asked whether it is there: some models refuse fewer."""

_PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class Asked:
    """What one call told about a worker."""

    worker: str
    seconds: float | None
    """None: it did not answer."""
    cost_usd: Decimal | None
    """None: unknown."""
    detail: str


@asynccontextmanager
async def opened_for_training(data: "Data", away: "Away | None" = None) -> AsyncIterator[AgentPool]:
    """The pool of a preset, with this process's share of all limits.

    Args:
        data: the preset's.
        away: gives what stands for models that nodes open; None: they are opened here.

    Raises:
        ConfigError: there is no such pool or worker, or it cannot be opened.
    """
    from partbook.train.options import processes

    config = load_pool(data.pool)
    closed = closed_pool(config)
    called = {closed[closed.find(name)].name for name in data.workers} or set(closed.names)
    if data.grader:
        called.add(closed[closed.find(data.grader)].name)
    workers = tuple(_share(spec, processes()) for spec in config.workers)
    async with opened_pool(replace(config, workers=workers), called, away=away) as pool:
        yield pool


def _share(spec: WorkerSpec, processes: int) -> WorkerSpec:
    def part(limit: int | None) -> int | None:
        return None if limit is None else max(1, limit // processes)

    return replace(
        spec,
        max_concurrency=max(1, spec.max_concurrency // processes),
        requests_per_minute=part(spec.requests_per_minute),
        tokens_per_minute=part(spec.tokens_per_minute),
    )


def priced_pool(data: "Data") -> AgentPool:
    """The workers who may be called with their prices, unopened: no key is read.

    Raises:
        ConfigError: there is no such pool or worker.
    """
    from partbook.train.course import training_pool

    own = read_own_prices(None)
    config = load_pool(data.pool)
    workers = (
        Worker(replace(spec, price=settled(spec, own).price), Absent(spec.name))
        for spec in config.workers
    )
    return training_pool(AgentPool(config.name, tuple(workers)), data)


async def ask_workers(pool: AgentPool) -> list[Asked]:
    """Ask every worker something short, all at once."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_ask(worker)) for worker in pool.workers]
    return [task.result() for task in tasks]


async def _ask(worker: Worker) -> Asked:
    began = time.monotonic()
    sampling = replace(worker.spec.sampling, max_tokens=_TOKENS)
    try:
        async with asyncio.timeout(_PATIENCE_S):
            found = await worker.model.chat([Message("user", probe_of(worker.spec))], sampling)
    except PartbookError as err:
        return Asked(worker.name, None, None, str(err))
    except TimeoutError:
        return Asked(worker.name, None, None, f"no answer within {_PATIENCE_S:.0f} s")
    price = worker.spec.price
    cost = None if price is None or found.usage is None else price.cost_usd(found.usage)
    return Asked(worker.name, time.monotonic() - began, cost, "answers")
