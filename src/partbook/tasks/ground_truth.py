"""Ground truth: does a task's own reference pass its own judge?

A judge that refuses the right answer makes every score of the task wrong, and nobody sees it in the
score. So the reference of each problem is written as a worker would write it and judged first.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from partbook.errors import ConfigError
from partbook.tasks.formats import reference_text
from partbook.tasks.judges.judge import Judge
from partbook.tasks.judging import judge_for
from partbook.tasks.problem import Problem

__all__ = ["GroundTruth", "Offender", "ground_truth"]

CONCURRENT = 16
"""References that are judged at once."""


@dataclass(frozen=True, slots=True)
class Offender:
    """A problem whose reference does not pass."""

    problem: Problem
    outcome: Literal["wrong", "not judged"]
    reason: str


@dataclass(frozen=True, slots=True)
class GroundTruth:
    """What the references of some problems scored."""

    right: int
    offenders: tuple[Offender, ...]
    without_reference: int
    """Problems with no known right answer, only with tests or a generator; nothing was judged."""

    @property
    def judged(self) -> int:
        """How many references there were."""
        return self.right + len(self.offenders)

    @property
    def score(self) -> float | None:
        """Share of references that pass, 0 to 1; None where there was none."""
        return self.right / self.judged if self.judged else None

    @property
    def sound(self) -> bool:
        """Whether scores of this task may be believed, as far as its references tell."""
        return not self.offenders


async def ground_truth(
    problems: Sequence[Problem], judge_of: Callable[[Problem], Judge] = judge_for
) -> GroundTruth:
    """Judge the reference of every problem.

    Args:
        problems: of one task or several.
        judge_of: makes the judge of a problem; where it cannot, the problem is an offender.
    """
    with_reference = [problem for problem in problems if problem.reference.strip()]
    found: list[Offender | None] = [None] * len(with_reference)
    waiting = iter(enumerate(with_reference))

    async def work() -> None:
        for i, problem in waiting:
            found[i] = await _offender(problem, judge_of)

    async with asyncio.TaskGroup() as group:
        for _ in range(min(CONCURRENT, len(with_reference))):
            group.create_task(work())
    offenders = tuple(offender for offender in found if offender is not None)
    return GroundTruth(
        len(with_reference) - len(offenders), offenders, len(problems) - len(with_reference)
    )


async def _offender(problem: Problem, judge_of: Callable[[Problem], Judge]) -> Offender | None:
    try:
        judge = judge_of(problem)
    except ConfigError as err:
        return Offender(problem, "not judged", str(err))
    verdict = await judge.judge(reference_text(problem))
    if verdict.outcome == "right":
        return None
    return Offender(problem, verdict.outcome, verdict.reason)
