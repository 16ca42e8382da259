"""Sittings on which systems can be tried out, shared by the tests of systems."""

import random

from partbook.budget import Limits
from partbook.conduct import Proposer, conduct
from partbook.evaluate.system import Sitting
from partbook.lab import lab_problems
from partbook.pool import AgentPool
from partbook.trace import Trace


async def play(question: str, pool: AgentPool, proposer: Proposer, rounds: int = 1) -> Trace:
    """Conduct without limits."""
    return await conduct(question, pool, proposer, limits=Limits(timeout_s=20, rounds=rounds))


def sitting(pool: AgentPool, question: str = "How many?", seed: int = 0) -> Sitting:
    """A fresh sitting."""
    return Sitting(question, pool, random.Random(seed), play)


def calls_of(sat: Sitting) -> int:
    """Calls of all that was played in it."""
    return sum(trace.calls for trace in sat.traces)


def workers_of(sat: Sitting) -> list[str]:
    """Who carried out the steps of all that was played in it, in order."""
    return [step.worker for trace in sat.traces for one in trace.rounds for step in one.steps]


def subtasks_of(sat: Sitting) -> list[str]:
    """What these steps were told."""
    plans = [one.workflow for trace in sat.traces for one in trace.rounds]
    return [step.subtask for plan in plans if plan is not None for step in plan.steps]


LAB_QUESTION = lab_problems(1, "test", 0, (1,))[0].question
"""A question of one part that every lab worker understands."""
