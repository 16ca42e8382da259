"""System: what is evaluated, be it a Conductor, a worker alone or a router.

All systems get the same pool, the same limits and the same judge, so they differ in nothing but
whom they ask for what. A system plays workflows through the `Sitting` that it is handed; what it
played is kept there, and calls, tokens and money are read off these traces and nowhere else.
"""

import random
from dataclasses import dataclass, field
from typing import Protocol

from partbook.conduct import Proposer
from partbook.pool import AgentPool
from partbook.trace import Trace

__all__ = ["Play", "Sitting", "System"]


class Play(Protocol):
    """Conducts under the limits that are left for this problem."""

    async def __call__(
        self, question: str, pool: AgentPool, proposer: Proposer, rounds: int = 1
    ) -> Trace:
        """Answer a question in at most so many rounds."""
        ...


@dataclass(slots=True)
class Sitting:
    """One problem as a system meets it. Nothing in it tells the right answer."""

    question: str
    """Everything that is asked, with choices and answer format."""
    pool: AgentPool
    rng: random.Random
    """All that is random about the system; seeded by run, system, problem and repeat."""
    conduct: Play
    traces: list[Trace] = field(default_factory=list)
    """What was played so far, in order of its end."""

    async def play(
        self,
        proposer: Proposer,
        *,
        pool: AgentPool | None = None,
        rounds: int = 1,
    ) -> Trace:
        """Play one workflow and keep its trace.

        Args:
            proposer: who settles the workflow.
            pool: who may be called; None: the whole pool.
            rounds: the most rounds.
        """
        trace = await self.conduct(self.question, pool or self.pool, proposer, rounds)
        self.traces.append(trace)
        return trace


class System(Protocol):
    """Answers questions with a pool."""

    @property
    def name(self) -> str:
        """What tables call it; with its settings, where there can be several of a kind."""
        ...

    async def answer(self, sitting: Sitting) -> str | None:
        """Answer one question.

        Returns:
            The answer; None where there is none. Whether that was the system's fault or an
            outage's, the runner reads off the traces.
        """
        ...
