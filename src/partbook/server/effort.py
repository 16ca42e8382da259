"""Effort: what each `reasoning_effort` means for a workflow.

Every value is accepted, because clients send whatever their own settings know; one that is not in
the table is taken as `medium`, and the reply says so. What an effort bounds is the number of steps
that the Conductor may plan and of calls that may be made. A fixed workflow is what it is.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from partbook.conduct import Conductor, Proposer
from partbook.workflow import MAX_STEPS

__all__ = ["EFFORTS", "USUAL", "Effort", "effort_of", "with_effort"]


@dataclass(frozen=True, slots=True)
class Effort:
    """What one request may take."""

    steps: int
    """Most steps of its workflow."""
    calls: int
    """Most calls of the Conductor and of workers, retries included."""
    rounds: int = 1
    """Most rounds; above 1, the Conductor sees the answer and may plan again."""


EFFORTS: Mapping[str, Effort] = MappingProxyType(
    {
        "none": Effort(1, 6),
        "minimal": Effort(1, 6),
        "low": Effort(2, 12),
        "medium": Effort(MAX_STEPS, 40),
        "high": Effort(MAX_STEPS, 80),
        "xhigh": Effort(MAX_STEPS, 160, 2),
        "max": Effort(MAX_STEPS, 160, 2),
    }
)

USUAL = "medium"
"""The effort of a request that names none."""


def effort_of(name: str | None) -> Effort:
    """The effort of this name; of one that is not known, and of none, the usual one."""
    return EFFORTS.get(name or USUAL, EFFORTS[USUAL])


def with_effort(proposer: Proposer, effort: Effort) -> Proposer:
    """The proposer, kept to the effort's steps where it writes workflows itself."""
    if isinstance(proposer, Conductor) and effort.steps < proposer.max_steps:
        return replace(proposer, max_steps=effort.steps)
    return proposer
