"""Stage: what all steps of a run share, and what a call costs."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from partbook.budget import Budget, worst_case
from partbook.errors import WorkerError
from partbook.event import OnEvent
from partbook.message import Message, Sampling, Usage
from partbook.model import ChatModel
from partbook.pool import AgentPool, Worker, WorkerSpec
from partbook.price import FREE, Price
from partbook.prompt import Turn
from partbook.retry import JITTER, OnRetry, Retrying, Sleep
from partbook.rounds import failed_workers, present, question_of, standing, turns_before
from partbook.trace import Trace

__all__ = ["Inner", "Stage", "cost_of"]

Inner = Callable[[int, int, Sequence[tuple[str, str]]], Awaitable[str]]
"""Carries out a step by a round of its own: (round, step, what it reads) -> answer."""


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
    rng: random.Random = JITTER
    """Source of the jitter between tries."""
    sleep: Sleep = asyncio.sleep
    """Waits between tries."""
    turns: tuple[Turn, ...] = ()
    """The rounds before this one."""
    before: tuple[str, str] | None = None
    """(subtask, answer) of the answer that stands before this round; None: there is none."""
    gone: frozenset[str] = frozenset()
    """Workers that failed in an earlier round: nobody's fallback any more."""
    inner: Inner | None = None
    """Who carries out the steps of a worker that is the Conductor itself."""

    def at_round(self, past: Trace, index: int) -> "Stage":
        """The stage of a round, with all that it knows of those before it.

        Args:
            past: what the run has done so far.
            index: the round: the next one, or one of those in `past`.
        """
        if index == 0:  # nothing came before it
            return self
        found = standing(past, index)
        return replace(
            self,
            question=question_of(past, index),
            turns=turns_before(past, index, self.pool),
            before=None if found is None else (found.subtask, found.answer),
            gone=frozenset(failed_workers(past, index, self.pool)),
        )

    def for_conductor(self, past: Trace, index: int) -> tuple["Stage", list[int]]:
        """The stage with those workers alone that a round may call, and their indices.

        Raises:
            WorkerError: nobody is left.
        """
        there = present(past, index, self.pool)
        if not there:
            raise WorkerError("no worker is left that could be called")
        if len(there) == len(self.pool):
            return self, there
        return replace(self, pool=self.pool.pick(there)), there

    def reserve_lost(
        self, messages: Sequence[Message], sampling: Sampling, price: Price | None
    ) -> None:
        """Count a call that was in flight when the process ended: it may be billed, so its worst
        case stands.

        Raises:
            BudgetError, ConfigError: as `Budget.reserve`.
        """
        price = price or self.budget.limits.assumed_price
        held = self.budget.reserve(*worst_case(messages, sampling, price))
        self.budget.settle(held, None, None)

    def retrying(self, model: ChatModel, retries: int, on_retry: OnRetry) -> Retrying:
        """The model, asked again by the rules of this run."""
        return Retrying(model, retries, on_retry, self._left_s, rng=self.rng, sleep=self.sleep)

    def fallbacks(self, spec: WorkerSpec) -> list[Worker]:
        """A worker's fallback workers; a pool that is a part of another may lack some."""
        if not spec.fallbacks:
            return []
        workers = {worker.name: worker for worker in self.pool.workers}
        return [workers[name] for name in spec.fallbacks if name in workers.keys() - self.gone]

    def _left_s(self) -> float:
        return self.budget.left_s(self.clock())


def cost_of(usage: Usage | None, price: Price | None) -> Decimal | None:
    """What a call cost; None where that is unknown.

    No tokens cost nothing at any price, and free ones nothing in any number.
    """
    if usage is None:
        return Decimal(0) if price == FREE else None
    if not usage.total_tokens:
        return Decimal(0)
    return None if price is None else price.cost_usd(usage)
