"""Ground truth of a run: does what is known to be right get the full reward?

A judge that refuses right answers teaches a policy nonsense, and its reward curve looks like that
of a hard task. So some references are judged before anything is spent.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from partbook.errors import ConfigError
from partbook.pool import Worker
from partbook.tasks.ground_truth import ground_truth
from partbook.tasks.judging import judge_for
from partbook.tasks.problem import Problem
from partbook.train.environment import lab_judge
from partbook.train.row import Row, problem_of

__all__ = ["SAMPLE", "Truth", "check_truth", "lab_truth", "task_truth"]

SAMPLE = 10
"""References of a task that are judged."""


@dataclass(frozen=True, slots=True)
class Truth:
    """What the references of some problems scored."""

    right: int
    judged: int
    unknown: int
    """Problems without a reference, only with tests or a rubric."""
    offenders: tuple[str, ...]
    """The problems whose reference did not pass, and why."""


async def lab_truth(rows: Sequence[Row]) -> Truth:
    """Judge the answers of some lab problems."""
    wrong = []
    for row in rows[:SAMPLE]:
        answer = problem_of(row).answer
        if not await lab_judge(row, f"It took a moment.\nAnswer: {answer}"):
            wrong.append(f"{row.problem}: {answer!r} is refused")
    judged = min(SAMPLE, len(rows))
    return Truth(judged - len(wrong), judged, 0, tuple(wrong))


async def task_truth(problems: Mapping[str, Problem], grader: Worker | None = None) -> Truth:
    """Judge the references of some problems of every task.

    Args:
        problems: by name, as `TaskProblems.train`.
        grader: the worker that judges where a rubric does.
    """
    by_task: dict[str, list[Problem]] = {}
    for problem in problems.values():
        by_task.setdefault(problem.task, []).append(problem)
    rng = random.Random("ground truth")
    drawn = [
        problem
        for found in by_task.values()
        for problem in rng.sample(found, min(SAMPLE, len(found)))
    ]
    truth = await ground_truth(drawn, lambda problem: judge_for(problem, grader))
    wrong = (
        f"{one.problem.task}/{one.problem.id}: {one.outcome}: {one.reason}"
        for one in truth.offenders
    )
    return Truth(truth.right, truth.judged, truth.without_reference, tuple(wrong))


def check_truth(truth: Truth) -> None:
    """Refuse a run whose judges refuse what is right.

    Raises:
        ConfigError: names the problems.
    """
    if truth.offenders:
        raise ConfigError(
            f"only {truth.right} of {truth.judged} references get the full reward; a run would "
            "learn nonsense. " + "; ".join(truth.offenders[:5])
        )
