"""Problems of an evaluation: loaded by name, posed to a pool; made up where only counted."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from partbook.errors import ConfigError
from partbook.evaluate.posed import LAB, Posed, drawn, lab_posed, task_posed
from partbook.evaluate.running.protocol import TaskRequest
from partbook.lab.values import SPLITS, Split
from partbook.pool import AgentPool, Worker
from partbook.tasks.catalogue import GYM, load_task, splits_of
from partbook.tasks.judges.verdict import Verdict
from partbook.tasks.problem import ALL, Problem

__all__ = ["MADE", "Source", "load_source", "stand_ins"]

MADE = 100
"""Problems of a generated task or of the lab where no limit is given."""


@dataclass(frozen=True, slots=True)
class Source:
    """The problems of one task, before they are posed."""

    request: TaskRequest
    problems: tuple[Problem, ...]
    """Empty for the lab, which poses its own."""
    learning: tuple[Problem, ...]
    """Of another split; empty where there is none."""
    about: str
    """Where they come from: part of what the results file must agree on."""

    def posed(self, pool: AgentPool, seed: int, grader: Worker | None) -> list[Posed]:
        """What is reported on."""
        if self.request.name == LAB:
            return lab_posed(self.request.limit or MADE, _split(self.request), seed)
        problems = drawn(self.problems, self.request.limit, seed)
        return task_posed(problems, pool, grader, bare=self.request.bare)

    def posed_to_learn(self, pool: AgentPool, seed: int, count: int) -> list[Posed]:
        """What workers are measured and routers trained on."""
        if self.request.name == LAB:
            split: Split = "validation" if self.request.split != "validation" else "train"
            return [replace(posed, pool=pool) for posed in lab_posed(count, split, seed)]
        return task_posed(drawn(self.learning, count, seed), pool, bare=self.request.bare)


def load_source(request: TaskRequest, seed: int, learning: int, *, dry: bool = False) -> Source:
    """Load a task.

    Args:
        request: which.
        seed: of generated problems.
        learning: problems of another split that systems which learn will want; 0: none.
        dry: whether it is for an estimate, which needs no problems where it is said how many there
            are; then the source is about nothing.

    Raises:
        ConfigError: there is no such task, or its data cannot be had.
    """
    if dry and request.problems:
        return Source(request, (), (), "")
    if request.name == LAB:
        split = _split(request)
        return Source(request, (), (), f"lab {split}, seed {seed}")
    other = _learning_split(request) if learning else ""
    splits: tuple[str, ...] = (request.split, other) if other else (request.split,)
    if request.split == ALL:
        splits = splits_of(request.name) or splits
    made = max(request.limit or MADE, learning)
    task = load_task(
        request.name, splits, data=request.data, level=request.level, seed=seed, size=made
    )
    problems = task.split(request.split if request.split in task.problems else ALL)
    if request.name.startswith(GYM):
        problems = problems[: request.limit or MADE]
    if learning and not other:  # a task file is read whole, with the splits that it has
        learnable = [name for name in ("validation", "train") if name in task.problems]
        other = next((name for name in learnable if name != request.split), "")
    known = task.problems.get(other, ()) if request.split != ALL else ()
    asked = ", asked without an answer format" if request.bare else ""
    about = f"{task.name} {request.split}, {task.source}{asked}"
    return Source(replace(request, name=task.name), tuple(problems), tuple(known), about)


def stand_ins(request: TaskRequest, pool: AgentPool) -> list[Posed]:
    """Made-up problems of the assumed length, for an estimate.

    Raises:
        ConfigError: nobody knows how many problems the task has.
    """
    count = request.limit or request.problems
    if not count:
        raise ConfigError(
            f"the problems of {request.name} cannot be had here, so give `limit` or `problems`"
        )
    question = "word " * request.question_tokens
    return [
        Posed(f"{request.name}/{i}", request.name, question, "", "", pool, _Nobody())
        for i in range(count)
    ]


@dataclass(frozen=True, slots=True)
class _Nobody:
    """Judges nothing: a rehearsal has no answers."""

    async def judge(self, text: str) -> Verdict:
        """As `Judge.judge`."""
        return Verdict("not judged", None, "this is a rehearsal")


def _split(request: TaskRequest) -> Split:
    known = next((split for split in SPLITS if split == request.split), None)
    if known is None:
        raise ConfigError(f"--split: the lab has {', '.join(SPLITS)}; found {request.split!r}")
    return known


def _learning_split(request: TaskRequest) -> str:
    """Another split to learn from; empty where the task has none."""
    if request.name.startswith(GYM):
        known: Sequence[str] = ("validation", "train")
    else:
        has = splits_of(request.name)
        known = [split for split in ("validation", "train") if split in has]
    return next((split for split in known if split != request.split), "")
