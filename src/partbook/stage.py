"""Stage: what all steps of a run share, and what a call costs."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from partbook.budget import Budget
from partbook.event import OnEvent
from partbook.message import Usage
from partbook.model import ChatModel
from partbook.pool import FREE, AgentPool, Price, Worker, WorkerSpec
from partbook.retry import OnRetry, Retrying, RetryPolicy, Sleep
from partbook.trace import Trace

__all__ = ["Stage", "cost_of"]

_JITTER = random.Random()
"""Jitter is to differ between processes, so it has no seed."""

_POLICY = RetryPolicy()


@dataclass(frozen=True, slots=True)
class Stage:
    """What all steps of a run share."""

    question: str
    pool: AgentPool
    budget: Budget
    emit: OnEvent
    clock: Callable[[], float]
    """Seconds since the run began."""
    stream: bool = False
    """Whether pieces of text are wanted as they arrive."""
    earlier: Trace | None = None
    """What the run had done before its process ended; its answers are taken, not asked for."""
    retry: RetryPolicy = _POLICY
    rng: random.Random = _JITTER
    """Source of the jitter between tries."""
    sleep: Sleep = asyncio.sleep
    """Waits between tries."""

    def retrying(self, model: ChatModel, retries: int, on_retry: OnRetry) -> Retrying:
        """The model, asked again by the rules of this run."""
        return Retrying(model, retries, self.retry, on_retry, self.rng, self.sleep, self._left_s)

    def fallbacks(self, spec: WorkerSpec) -> list[Worker]:
        """A worker's fallback workers; a pool that is a part of another may lack some."""
        if not spec.fallbacks:
            return []
        workers = {worker.name: worker for worker in self.pool.workers}
        return [workers[name] for name in spec.fallbacks if name in workers]

    def _left_s(self) -> float:
        limit_s = self.budget.limits.timeout_s
        return float("inf") if limit_s is None else limit_s - self.clock()


def cost_of(usage: Usage | None, price: Price | None) -> Decimal | None:
    """What a call cost; None where that is unknown.

    No tokens cost nothing at any price, and free ones nothing in any number.
    """
    if usage is None:
        return Decimal(0) if price == FREE else None
    if not usage.total_tokens:
        return Decimal(0)
    return None if price is None else price.cost_usd(usage)
