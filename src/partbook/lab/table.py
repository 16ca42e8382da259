"""The lab's table: everybody alone, plans that never change, random plans, and the optimum.

It says how much there is to learn. All systems answer the same problems in the same world, each
problem once. Money is counted for what was really called.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from statistics import fmean

from partbook.lab.optimum import CHECK, optimum, parts_workflow, perform
from partbook.lab.pool import CLAIMS, lab_pool
from partbook.lab.problem import DIFFICULTIES, LabProblem, lab_problems
from partbook.pool import AgentPool
from partbook.shares import wilson
from partbook.workflow import MAX_STEPS, Step, Workflow

__all__ = ["WHOLE", "Row", "constant_plans", "interval", "lab_table", "markdown", "random_plan"]

WHOLE = "Answer the question."
"""The subtask that hands over the whole question."""

_GENERALIST = "gus"
_CHECKER = "val"

Planner = Callable[[LabProblem, AgentPool, random.Random], Workflow]


@dataclass(frozen=True, slots=True)
class Row:
    """How one system does."""

    system: str
    accuracy: float
    """Share of right answers, 0 to 1."""
    low: float
    """Lower end of the 95 % interval of the accuracy."""
    high: float
    by_difficulty: tuple[float, ...]
    """Accuracy at difficulty 1, 2, 3 and 4."""
    steps: float
    """Mean steps of a workflow."""
    cost_usd: Decimal
    """Of a thousand problems."""
    expected: tuple[float, ...] = ()
    """Accuracy computed from the workers' reliabilities at difficulty 1, 2, 3 and 4; only of the
    optimum."""


def interval(right: int, count: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share, to four places.

    >>> interval(50, 100)
    (0.4038, 0.5962)
    """
    low, high = wilson(right, count)
    return round(low, 4), round(high, 4)


def constant_plans(pool: AgentPool) -> dict[str, Workflow]:
    """The plans that are the same for every question: each worker in each of three shapes.

    Raises:
        ConfigError: the pool has no checker.
    """
    checker = pool.find(_CHECKER)
    plans = {f"{name} alone": Workflow((Step(i, WHOLE),)) for i, name in enumerate(pool.names)}
    for i, name in enumerate(pool.names):
        plans[f"{name}, checks itself"] = Workflow((Step(i, WHOLE), Step(i, CHECK, (0,))))
        if i != checker:
            plans[f"{name}, {_CHECKER} checks"] = Workflow(
                (Step(i, WHOLE), Step(checker, CHECK, (0,)))
            )
    return plans


def random_plan(problem: LabProblem, pool: AgentPool, rng: random.Random) -> Workflow:
    """Any number of steps, any worker, any of the problem's subtasks, all or nothing to read."""
    subtasks = [WHOLE, CHECK, *(part.subtask for part in problem.parts)]
    return Workflow(
        tuple(
            Step(rng.randrange(len(pool)), rng.choice(subtasks), rng.choice(((), tuple(range(i)))))
            for i in range(rng.randint(1, MAX_STEPS))
        )
    )


def _random_workers(problem: LabProblem, pool: AgentPool, rng: random.Random) -> Workflow:
    return parts_workflow(problem.parts, [rng.randrange(len(pool)) for _ in problem.parts])


def _believed(problem: LabProblem, pool: AgentPool, rng: random.Random) -> Workflow:
    claims = [CLAIMS[part.skill] or (_GENERALIST,) for part in problem.parts]
    return parts_workflow(problem.parts, [pool.find(rng.choice(names)) for names in claims])


def _generalist(problem: LabProblem, pool: AgentPool, rng: random.Random) -> Workflow:
    return parts_workflow(problem.parts, [pool.find(_GENERALIST)] * len(problem.parts))


def lab_table(problems: int = 500, seed: int = 0) -> list[Row]:
    """All systems on the same problems of the test split, all four difficulties in turn.

    Args:
        problems: how many; at least 4.
        seed: of the problems, of the world and of the random plans.
    """
    pool = lab_pool(seed)
    asked = lab_problems(problems, "test", seed)
    rows = [
        _row(name, [plan] * len(asked), asked, pool) for name, plan in constant_plans(pool).items()
    ]
    planners: dict[str, Planner] = {
        "random plan": random_plan,
        "right parts, random workers": _random_workers,
        "right parts, all to gus": _generalist,
        "right parts, cards believed": _believed,
    }
    for name, planner in planners.items():
        rng = random.Random(f"{name} {seed}")
        rows.append(_row(name, [planner(p, pool, rng) for p in asked], asked, pool))
    best = [optimum(problem, pool) for problem in asked]
    expected = tuple(
        fmean(o.accuracy for o, p in zip(best, asked, strict=True) if p.difficulty == level)
        for level in DIFFICULTIES
    )
    rows.append(_row("optimum", [one.workflow for one in best], asked, pool, expected))
    return rows


def _row(
    system: str,
    plans: Sequence[Workflow],
    problems: Sequence[LabProblem],
    pool: AgentPool,
    expected: tuple[float, ...] = (),
) -> Row:
    right: dict[int, list[bool]] = {difficulty: [] for difficulty in DIFFICULTIES}
    spent = Decimal(0)
    for plan, problem in zip(plans, problems, strict=True):
        played = perform(plan, problem.question, pool)
        right[problem.difficulty].append(problem.is_right(played.answer))
        spent += played.cost_usd
    total, count = sum(map(sum, right.values())), len(problems)
    return Row(
        system,
        total / count,
        *interval(total, count),
        tuple(sum(verdicts) / len(verdicts) for verdicts in right.values()),
        sum(len(plan.steps) for plan in plans) / count,
        spent * 1000 / count,
        expected,
    )


def markdown(rows: Sequence[Row]) -> str:
    """The table as Markdown, with a line for the computed optimum below it."""
    lines = [
        "| system | right | 95 % interval | 1 | 2 | 3 | 4 | steps | USD per 1000 |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        levels = " | ".join(f"{share:.2f}" for share in row.by_difficulty)
        lines.append(
            f"| {row.system} | {row.accuracy:.3f} | {row.low:.3f} to {row.high:.3f} | {levels} "
            f"| {row.steps:.2f} | {row.cost_usd:.4f} |"
        )
    lines += [
        f"\nExpected accuracy of the {row.system}, computed, at difficulty 1 to 4: "
        f"{', '.join(f'{share:.3f}' for share in row.expected)}; mean {fmean(row.expected):.3f}."
        for row in rows
        if row.expected
    ]
    return "\n".join(lines) + "\n"
