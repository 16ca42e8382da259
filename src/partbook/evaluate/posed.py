"""Posed: one problem as all systems meet it, with its judge and the pool that it is asked of.

There are two sources: the lab, whose every problem has the workers in an order of its own, and the
tasks. A limit takes the same problems again as the larger run that it is raised to.
"""

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from partbook.config import load_pool
from partbook.lab import LabProblem, lab_pool, lab_problem
from partbook.lab.pool import PROFILES
from partbook.lab.problem import DIFFICULTIES
from partbook.lab.values import Split
from partbook.lab.worker import stated_value
from partbook.pool import AgentPool, Worker
from partbook.tasks.formats import shown
from partbook.tasks.judges.judge import Judge
from partbook.tasks.judges.verdict import Verdict
from partbook.tasks.judging import judge_for
from partbook.tasks.problem import Problem

__all__ = ["LAB", "LabJudge", "Posed", "drawn", "lab_posed", "lab_workers", "task_posed"]

LAB = "lab"
"""The lab's name as a task."""

_WORKERS = tuple(profile.name for profile in PROFILES)


@dataclass(frozen=True, slots=True)
class Posed:
    """One problem."""

    id: str
    """Unique in the evaluation: the task's name and the problem's own id."""
    task: str
    question: str
    """Everything that is asked, with choices and answer format."""
    difficulty: str
    """How hard its source says it is; empty where it says nothing."""
    reference: str
    """A right answer, for people; may be empty."""
    pool: AgentPool
    judge: Judge

    @property
    def digest(self) -> str:
        """A short hash of what is asked and of whom, in which order."""
        said = "\0".join((self.question, self.reference, *self.pool.names))
        return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class LabJudge:
    """Judges answers to one lab problem."""

    problem: LabProblem

    async def judge(self, text: str) -> Verdict:
        """As `Judge.judge`."""
        right = self.problem.is_right(text)
        found = stated_value(text)
        reason = f"{self.problem.answer!r} was expected, found {found!r}"
        return Verdict("right" if right else "wrong", found, reason)


def lab_workers(seed: int = 0, order: Sequence[str] | None = None) -> AgentPool:
    """The lab's workers with the roles that fixed workflows ask for.

    Args:
        seed: of the world.
        order: names in the order in which the pool has them; None: the lab's own.
    """
    roles = _roles()
    pool = lab_pool(seed, order)
    return AgentPool(
        pool.name,
        tuple(replace(one, spec=replace(one.spec, roles=roles[one.name])) for one in pool.workers),
    )


@cache
def _roles() -> dict[str, tuple[str, ...]]:
    return {spec.name: spec.roles for spec in load_pool(LAB).workers}


def lab_posed(
    count: int,
    split: Split = "test",
    seed: int = 0,
    difficulties: Sequence[int] = DIFFICULTIES,
    workers: Sequence[str] = _WORKERS,
) -> list[Posed]:
    """Different lab problems, the difficulties in turn, each with its workers in another order.

    Args:
        count: how many.
        split: whose values and phrases the problems use.
        seed: of the problems, of the orders and of the world.
        difficulties: those to draw from.
        workers: names of those who may be called.
    """
    # The same draws as those of the rows of a training run, so that figures can be compared.
    rng = random.Random(f"rows {split} {seed}")
    found: dict[str, Posed] = {}
    tried = 0
    while len(found) < count:
        difficulty = difficulties[len(found) % len(difficulties)]
        problem = lab_problem(seed * 1_000_003 + tried, difficulty, split)
        order = rng.sample(workers, len(workers))
        posed = Posed(
            f"{LAB}/{problem.id}",
            LAB,
            problem.question,
            str(difficulty),
            problem.answer,
            lab_workers(seed, order),
            LabJudge(problem),
        )
        found.setdefault(problem.question, posed)
        tried += 1
    return list(found.values())


def drawn(problems: Sequence[Problem], limit: int | None, seed: int) -> list[Problem]:
    """At most `limit` problems, in an order that depends on their ids and the seed alone.

    A larger limit keeps all that a smaller one has taken.

    Args:
        problems: those to draw from.
        limit: None: all of them, in their own order.
        seed: another seed draws others.
    """
    if limit is None:
        return list(problems)

    def rank(problem: Problem) -> bytes:
        return hashlib.sha256(f"{seed} {problem.id}".encode()).digest()

    return sorted(problems, key=rank)[:limit]


def task_posed(
    problems: Sequence[Problem],
    pool: AgentPool,
    grader: Worker | None = None,
    *,
    bare: bool = False,
) -> list[Posed]:
    """The problems of a task, asked of a pool.

    Args:
        problems: what is asked.
        pool: who may be called.
        grader: the model that judges where there is only a rubric.
        bare: whether the words that say how an answer is to be written are left out.

    Raises:
        ConfigError: a problem needs a judge that there is not.
    """
    return [
        Posed(
            f"{problem.task}/{problem.id}",
            problem.task,
            shown(replace(problem, format="open") if bare else problem),
            problem.level,
            problem.reference,
            pool,
            judge_for(problem, grader),
        )
        for problem in problems
    ]
