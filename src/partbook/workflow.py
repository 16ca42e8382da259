"""Step and Workflow: valid by construction.

A `Workflow` that exists can be played. Every other spelling of it (`"all"`, numbers as strings,
lists of unequal length) is settled in `parse/` and never seen again.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from partbook.errors import WorkflowError

__all__ = ["MAX_STEPS", "Step", "Workflow"]

MAX_STEPS = 5
"""The most steps a workflow may have (arXiv:2512.04388, section 3.1)."""


@dataclass(frozen=True, slots=True)
class Step:
    """One subtask for one worker."""

    worker: int
    """Index into the agent pool, from 0."""
    subtask: str
    """What to do, in words; never blank."""
    access: tuple[int, ...] = ()
    """Earlier steps whose answers the worker reads: ascending indices, none twice."""
    before: bool = False
    """Whether the worker also reads the answer of the round before; it then reads every earlier
    step. Never in a first round."""


@dataclass(frozen=True, slots=True)
class Workflow:
    """1 to `MAX_STEPS` steps; the last one's answer is the answer.

    Raises:
        WorkflowError: the steps break a rule of the format; the message names the step.
    """

    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.steps) <= MAX_STEPS:
            raise WorkflowError(
                f"a workflow has 1 to {MAX_STEPS} steps, this one has {len(self.steps)}"
            )
        for i, step in enumerate(self.steps):
            _check(i, step)

    def check_workers(self, size: int) -> None:
        """Refuse a workflow that names a worker which a pool of this size does not have.

        Raises:
            WorkflowError: some step's worker is not in 0..size-1.
        """
        for i, step in enumerate(self.steps):
            if step.worker >= size:
                raise WorkflowError(
                    f"step {i}: worker {step.worker} does not exist, the pool has 0..{size - 1}"
                )

    @property
    def workers(self) -> tuple[int, ...]:
        """The workers in order of their steps."""
        return tuple(step.worker for step in self.steps)


def _check(i: int, step: Step) -> None:
    if step.worker < 0:
        raise WorkflowError(f"step {i}: worker {step.worker} is below 0")
    if not step.subtask.strip():
        raise WorkflowError(f"step {i}: the subtask is blank")
    if list(step.access) != sorted(set(step.access)):
        raise WorkflowError(
            f"step {i}: access {_spell(step.access)} is not ascending or names a step twice"
        )
    if step.before and len(step.access) < i:
        raise WorkflowError(f"step {i}: who reads the round before reads every earlier step")
    for j in step.access:
        if not 0 <= j < i:
            earlier = f"0..{i - 1}" if i else "there is none"
            raise WorkflowError(f"step {i}: access {j} is not an earlier step ({earlier})")


def _spell(access: Iterable[int]) -> str:
    return "[" + ", ".join(map(str, access)) + "]"
