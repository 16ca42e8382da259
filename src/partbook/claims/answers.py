"""Answers: what a policy or a system did, problem by problem, so that two can be paired.

Kept as lines of JSON. A problem on which nothing could be judged has no line; whoever compares two
takes the problems that both have.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from partbook.evaluate.posed import LAB
from partbook.evaluate.running.results import Results
from partbook.train.environment import Outcome
from partbook.train.measure import faithful_subtasks, shares_of
from partbook.train.row import Row, problem_of

__all__ = ["Answer", "answer_of", "apart", "of_systems", "read_answers", "write_answers"]


@dataclass(frozen=True, slots=True)
class Answer:
    """One problem, answered once."""

    problem: str
    """Its id: `test-3-17`."""
    difficulty: int
    """Number of its parts."""
    right: bool
    calls: int
    """Of workers, and one of the Conductor for each of its texts."""
    workers: tuple[str, ...] = ()
    """Of the workflow's steps, by name; empty where there was none, and of rivals."""
    faithful: float = 0.0
    """Share of the subtasks that are clauses of the question, the whole of it, or a check."""

    @property
    def steps(self) -> int:
        """Of the workflow; 0 where there was none."""
        return len(self.workers)


def answer_of(row: Row, outcome: Outcome) -> Answer | None:
    """The written form of a rollout; None: it has no verdict."""
    if outcome.reward is None:
        return None
    rounds = () if outcome.trace is None else outcome.trace.rounds
    calls = sum(step.calls for round_ in rounds for step in round_.steps) + max(1, len(rounds))
    plan = outcome.workflow
    difficulty = problem_of(row).difficulty
    right = outcome.verdict == "right"
    if plan is None:
        return Answer(row.problem, difficulty, right, calls)
    workers = tuple(row.order[step.worker] for step in plan.steps)
    faithful = faithful_subtasks(row.question, plan) / len(plan.steps)
    return Answer(row.problem, difficulty, right, calls, workers, faithful)


def of_systems(results: Results) -> dict[str, list[Answer]]:
    """The answers of an evaluation in the lab, by system."""
    found: dict[str, list[Answer]] = {}
    for cell in results.cells.values():
        if cell.judged:
            name = cell.problem.removeprefix(f"{LAB}/")
            level = int(results.problems[cell.problem].difficulty)
            answer = Answer(name, level, cell.right, cell.spent.calls)
            found.setdefault(cell.system, []).append(answer)
    return found


def apart(ours: Sequence[Answer], theirs: Sequence[Answer]) -> float:
    """Total variation distance between the shares of the steps that the workers get, 0 to 1: the
    share of one policy's steps that would have to go to others to make them equal."""
    first, second = (
        shares_of(Counter(worker for answer in answers for worker in answer.workers))
        for answers in (ours, theirs)
    )
    names = first.keys() | second.keys()
    return sum(abs(first.get(name, 0.0) - second.get(name, 0.0)) for name in names) / 2


def write_answers(path: Path, answers: Mapping[str, Iterable[Answer]]) -> None:
    """Write answers by the name of the circumstances in which they were given."""
    lines = [
        json.dumps({"in": name, **asdict(answer)})
        for name, group in answers.items()
        for answer in group
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def read_answers(path: Path) -> dict[str, Sequence[Answer]]:
    """Read what `write_answers` wrote."""
    found: dict[str, list[Answer]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        data = json.loads(line)
        name = data.pop("in")
        answer = Answer(**{**data, "workers": tuple(data["workers"])})
        found.setdefault(name, []).append(answer)
    return dict(found)
