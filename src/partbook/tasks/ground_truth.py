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
from partbook.tasks.judges.verdict import Verdict
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
    judged_by: str = ""
    """As in `Verdict`."""


@dataclass(frozen=True, slots=True)
class GroundTruth:
    """What the references of some problems scored."""

    right: int
    offenders: tuple[Offender, ...]
    without_reference: int
    """Problems with no known right answer, only with tests, a generator or a rubric; nothing was
    judged."""
    judged_by: tuple[str, ...] = ()
    """The models whose opinions these are, sorted; empty where rules decided."""

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
    verdicts: dict[int, Verdict] = {}
    waiting = iter(enumerate(with_reference))

    async def work() -> None:
        for i, problem in waiting:
            verdicts[i] = await _verdict(problem, judge_of)

    async with asyncio.TaskGroup() as group:
        for _ in range(min(CONCURRENT, len(with_reference))):
            group.create_task(work())
    offenders = tuple(
        Offender(problem, verdict.outcome, verdict.reason, verdict.judged_by)
        for problem, verdict in ((with_reference[i], verdicts[i]) for i in sorted(verdicts))
        if verdict.outcome != "right"
    )
    return GroundTruth(
        len(with_reference) - len(offenders),
        offenders,
        len(problems) - len(with_reference),
        tuple(sorted({one.judged_by for one in verdicts.values() if one.judged_by})),
    )


async def _verdict(problem: Problem, judge_of: Callable[[Problem], Judge]) -> Verdict:
    try:
        judge = judge_of(problem)
    except ConfigError as err:
        return Verdict("not judged", None, str(err))
    return await judge.judge(reference_text(problem))
