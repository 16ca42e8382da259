"""Rows from real problems: which of them a run draws, and how their answers are judged.

A row holds the question as a worker sees it and the names of its workers; the reference stays in
`TaskProblems`, which every process loads for itself, so that nothing the policy sees can tell it.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from partbook.errors import ConfigError
from partbook.pool import AgentPool, Worker
from partbook.tasks.catalogue import FAMILIES, load_task
from partbook.tasks.formats import shown
from partbook.tasks.judges.judge import Judge
from partbook.tasks.judging import judge_for
from partbook.tasks.problem import Problem, Task
from partbook.train.data import Data
from partbook.train.row import Row

__all__ = ["TaskJudge", "TaskProblems", "load_problems", "pool_of_row", "task_rows"]

_GENERATED = 1000
"""Problems of a generated task where the preset names no limit."""

_HELD_OUT = 200
"""Problems of a generated task that are held out."""


@dataclass(frozen=True, slots=True)
class TaskProblems:
    """The problems of a run, by the name that rows have for them: `gsm8k/train-12`."""

    train: Mapping[str, Problem]
    held_out: Mapping[str, Problem]
    notes: tuple[str, ...]
    """What a person should know about them."""

    def find(self, name: str) -> Problem:
        """The problem of this name.

        Raises:
            ConfigError: there is none, so the row is of another run.
        """
        found = self.train.get(name) or self.held_out.get(name)
        if found is None:
            raise ConfigError(f"no problem {name!r} in the tasks of this run")
        return found


def load_problems(data: Data) -> TaskProblems:
    """Load the tasks of a preset and draw as many problems of each as it says.

    Which problems are drawn does not depend on the seed of a run: all seeds share them.

    Raises:
        ConfigError: a task cannot be had, or two tasks have the same name.
    """
    share = data.limit // len(data.tasks) if data.limit else 0
    train: dict[str, Problem] = {}
    held_out: dict[str, Problem] = {}
    notes: list[str] = []
    for name in data.tasks:
        task = _load(name, data.split, data.files, share or _GENERATED)
        problems = task.problems.get(data.split) or task.split("all")
        if data.split not in task.problems:
            notes.append(f"{task.name}: it has no split {data.split!r}; all of it is used")
        if share > len(problems):
            notes.append(f"{task.name}: {share} problems were asked for, it has {len(problems)}")
        rng = random.Random(f"problems of {task.name}")
        drawn = rng.sample(problems, min(share, len(problems))) if share else list(problems)
        _add(train, task, drawn)
        if data.split in task.problems:  # where all of it is used, nothing is left to hold out
            held = _load(name, data.held_out, data.files, _HELD_OUT)
            _add(held_out, held, held.problems.get(data.held_out, ()))
    return TaskProblems(train, held_out, tuple(notes))


def _load(name: str, split: str, files: str, size: int) -> Task:
    folder: Path | None = None
    if files and name in FAMILIES:
        inner = Path(files) / name
        folder = inner if inner.exists() else Path(files)
    return load_task(name, (split,), data=folder, size=size)


def _add(found: dict[str, Problem], task: Task, problems: Sequence[Problem]) -> None:
    for problem in problems:
        name = f"{task.name}/{problem.id}"
        if name in found:
            raise ConfigError(f"two tasks of this run have a problem {name!r}; rename one file")
        found[name] = problem


def task_rows(
    problems: Mapping[str, Problem],
    workers: Sequence[str],
    count: int,
    seed: int,
    subset: int = 0,
) -> list[Row]:
    """Rows of problems, all of them once before one comes again, each with workers of its own.

    Args:
        problems: those to draw from, by name.
        workers: names of those who may be called.
        count: how many rows.
        seed: of the order and of the workers.
        subset: how many workers a row has; 0: all.

    Raises:
        ConfigError: there are no problems, or fewer workers than the subset.
    """
    if not problems:
        raise ConfigError("there are no problems to draw rows from")
    if subset > len(workers):
        raise ConfigError(f"a subset of {subset} was asked for; there are {len(workers)} workers")
    rng = random.Random(f"task rows {seed}")
    rows: list[Row] = []
    while len(rows) < count:
        names = list(problems)
        rng.shuffle(names)
        for name in names[: count - len(rows)]:
            order = tuple(rng.sample(list(workers), subset or len(workers)))
            rows.append(Row(name, shown(problems[name]), order))
    return rows


def pool_of_row(pool: AgentPool, row: Row) -> AgentPool:
    """The workers of a row, in the row's order.

    Raises:
        ConfigError: the pool has no worker of that name.
    """
    return pool.pick([pool.find(name) for name in row.order])


class TaskJudge:
    """Judges answers to rows, each problem by the judge of its task."""

    def __init__(self, problems: TaskProblems, grader: Worker | None = None) -> None:
        self._problems = problems
        self._grader = grader
        self._judges: dict[str, Judge] = {}

    async def __call__(self, row: Row, answer: str) -> bool | None:
        """Whether an answer is right; None: the judge cannot say."""
        judge = self._judges.get(row.problem)
        if judge is None:
            judge = judge_for(self._problems.find(row.problem), self._grader)
            self._judges[row.problem] = judge
        verdict = await judge.judge(answer)
        return None if verdict.outcome == "not judged" else verdict.right
