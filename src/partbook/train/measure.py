"""What a policy does, split so that a gain in format cannot pass for a gain in orchestration.

From outcomes to figures, with nothing of a net or a trainer in it. A reward curve alone proves
little: a public run of this recipe rose from 40 to 82 % while its accuracy given a valid workflow
stayed at 96 %, and nearly all calls went to one worker. So accuracy is reported given validity,
worker shares with their entropy, and what could have been reached on the very same problems.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from partbook.evaluate.reporting.statistics import entropy_bits
from partbook.lab import lab_pool, optimum
from partbook.lab.optimum import CHECK
from partbook.lab.table import WHOLE, interval
from partbook.plan import shape
from partbook.train.environment import Outcome
from partbook.train.row import Row, problem_of
from partbook.workflow import Workflow

__all__ = ["Ceiling", "Figures", "ceiling", "faithful_subtasks", "figures", "shares_of"]


@dataclass(frozen=True, slots=True)
class Figures:
    """How one policy did on some problems, one rollout each. Shares are 0 to 1."""

    problems: int
    """Rollouts with a reward; the others count nowhere."""
    unscored: int
    accuracy: float
    low: float
    """Lower end of Wilson's 95 % interval of the accuracy."""
    high: float
    valid: float
    """Share of completions that hold a workflow."""
    accuracy_given_valid: float
    faithful: float
    """Share of the subtasks that are clauses of the question, the whole of it, or a check."""
    steps: float
    """Mean steps of the valid workflows."""
    workers: Mapping[str, float]
    """Shares of the steps, by name of the worker."""
    worker_bits: float
    """Entropy of these shares, in bits."""
    plans: int
    """Different combinations of workers and access lists."""
    by_difficulty: Mapping[int, float]
    """Accuracy by the number of parts."""
    regret: float
    """Expected accuracy of the optimum on the same problems, minus the accuracy."""


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The best that can be done with some rows."""

    accuracy: tuple[float, ...]
    """Expected accuracy of the best workflow, row by row."""
    workers: Mapping[str, float]
    """Shares of the steps of these workflows."""
    steps: float

    @property
    def worker_bits(self) -> float:
        """Entropy of the shares, in bits."""
        return entropy_bits(list(self.workers.values()))


def ceiling(rows: Sequence[Row]) -> Ceiling:
    """Compute the optimum of every row; some milliseconds each."""
    best = [optimum(problem_of(row), lab_pool(row.world, row.order)) for row in rows]
    plans = [one.workflow for one in best]
    names = _worker_names(zip(rows, plans, strict=True))
    steps = sum(len(plan.steps) for plan in plans) / len(plans)
    return Ceiling(tuple(one.accuracy for one in best), shares_of(names), steps)


def figures(rows: Sequence[Row], outcomes: Sequence[Outcome], best: Ceiling) -> Figures:
    """Sum up rollouts.

    Args:
        rows: what was asked, one per outcome.
        outcomes: what became of it.
        best: the ceiling of the same rows.

    Raises:
        ValueError: none of the rollouts has a reward.
    """
    scored = [
        (row, outcome, limit)
        for row, outcome, limit in zip(rows, outcomes, best.accuracy, strict=True)
        if outcome.reward is not None
    ]
    if not scored:
        raise ValueError("none of the rollouts has a reward: there is nothing to sum up")
    count = len(scored)
    right = [outcome.verdict == "right" for _, outcome, _ in scored]
    plans = [(row, plan) for row, outcome, _ in scored if (plan := outcome.workflow) is not None]
    shares = shares_of(_worker_names(plans))
    low, high = interval(sum(right), count)
    accuracy = sum(right) / count
    return Figures(
        problems=count,
        unscored=len(rows) - count,
        accuracy=accuracy,
        low=low,
        high=high,
        valid=len(plans) / count,
        accuracy_given_valid=sum(right) / max(1, len(plans)),
        faithful=_faithful(plans),
        steps=sum(len(plan.steps) for _, plan in plans) / max(1, len(plans)),
        workers=shares,
        worker_bits=entropy_bits(list(shares.values())),
        plans=len({_signature(row, plan) for row, plan in plans}),
        by_difficulty=_by_difficulty(scored),
        regret=sum(limit for _, _, limit in scored) / count - accuracy,
    )


def _worker_names(plans: Iterable[tuple[Row, Workflow]]) -> Counter[str]:
    return Counter(row.order[step.worker] for row, plan in plans for step in plan.steps)


def shares_of(names: Counter[str]) -> dict[str, float]:
    """What part of the whole each name has, 0 to 1."""
    total = sum(names.values())
    return {name: count / total for name, count in sorted(names.items())}


def _signature(row: Row, plan: Workflow) -> tuple[str, tuple[str, ...]]:
    """Who reads whom and who does what: subtasks differ with every question."""
    return shape(plan), tuple(row.order[step.worker] for step in plan.steps)


def faithful_subtasks(question: str, plan: Workflow) -> int:
    """How many subtasks are clauses of the question, the whole of it, or a check."""
    asked, known = question.lower(), (WHOLE.lower(), CHECK.lower())
    return sum(
        text in known or all(clause in asked for clause in text.split(", then "))
        for text in (step.subtask.lower() for step in plan.steps)
    )


def _faithful(plans: Sequence[tuple[Row, Workflow]]) -> float:
    found = sum(faithful_subtasks(row.question, plan) for row, plan in plans)
    return found / max(1, sum(len(plan.steps) for _, plan in plans))


def _by_difficulty(scored: Sequence[tuple[Row, Outcome, float]]) -> dict[int, float]:
    right: dict[int, list[bool]] = {}
    for row, outcome, _ in scored:
        right.setdefault(problem_of(row).difficulty, []).append(outcome.verdict == "right")
    return {level: sum(verdicts) / len(verdicts) for level, verdicts in sorted(right.items())}
