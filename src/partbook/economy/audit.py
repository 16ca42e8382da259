"""Audit: which work of a log has several stages, grouped into kinds, the dearest kind first.

What splitting gives in quality is not in a log. What is computed is how many calls it makes, and
what that costs if every step takes as much as the single call takes today: a step writes less than
the whole, and may read more.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal

from partbook.economy.prompts import Prompt
from partbook.economy.stages import Kind, stages_of

__all__ = ["Audit", "Candidate", "audit", "in_short", "workflow_for"]

MOST_STEPS = 5
"""Steps of a workflow (arXiv:2512.04388)."""

_EXAMPLE = 240
"""Characters of an example."""


@dataclass(slots=True)
class Candidate:
    """A kind of work that has several stages."""

    name: str
    """As `extract → analyse → write`."""
    steps: int
    workflow: str
    """The fixed workflow that comes nearest."""
    example: str
    """The shortest of its prompts, cut to what one reads."""
    prompts: int = 0
    known_usd: Decimal = Decimal(0)
    """Sum of the costs that are known."""
    unknown_costs: int = 0
    """Prompts whose cost is unknown, and so not in the sum."""

    @property
    def calls_split(self) -> int:
        """Calls, if each of its stages became one, the Conductor's own not counted."""
        return self.prompts * self.steps

    @property
    def split_usd(self) -> Decimal:
        """What the split work costs, if every step takes as much as the single call does today."""
        return self.known_usd * self.steps

    def take(self, prompt: Prompt, example: str) -> None:
        """Count one more prompt of this kind."""
        self.prompts += 1
        self.example = min(self.example, example, key=len)
        if prompt.cost_usd is None:
            self.unknown_costs += 1
        else:
            self.known_usd += prompt.cost_usd


@dataclass(slots=True)
class Audit:
    """What was found."""

    prompts: int = 0
    known_usd: Decimal = Decimal(0)
    unknown_costs: int = 0
    candidates: list[Candidate] = field(default_factory=list)
    """The dearest first; of equally dear ones the most frequent."""

    @property
    def several(self) -> int:
        """Prompts that ask for several stages."""
        return sum(candidate.prompts for candidate in self.candidates)


def audit(prompts: Iterable[Prompt]) -> Audit:
    """Sum up a log, read prompt by prompt."""
    found = Audit()
    groups: dict[str, Candidate] = {}
    for prompt in prompts:
        found.prompts += 1
        if prompt.cost_usd is None:
            found.unknown_costs += 1
        else:
            found.known_usd += prompt.cost_usd
        stages = stages_of(prompt.text)
        if not stages.several:
            continue
        steps = min(MOST_STEPS, len(stages.kinds))
        example = in_short(prompt.text)
        group = groups.setdefault(
            stages.name, Candidate(stages.name, steps, workflow_for(stages.kinds), example)
        )
        group.take(prompt, example)
    found.candidates = sorted(
        groups.values(), key=lambda one: (-one.known_usd, -one.prompts, one.name)
    )
    return found


def workflow_for(kinds: tuple[Kind, ...]) -> str:
    """The fixed workflow that comes with Partbook and is nearest to these stages.

    >>> workflow_for(("extract", "analyse", "write")), workflow_for(("gather", "judge"))
    ('extract-analyse-draft', 'panel')
    """
    there = set(kinds)
    if "code" in there or "compute" in there:
        return "code-then-run"
    if kinds[-1] == "judge":
        return "panel"
    if kinds[-1] == "write" and there & {"gather", "extract", "analyse"}:
        return "extract-analyse-draft"
    return "chain"


def in_short(text: str) -> str:
    """A text on one line, cut to what one reads."""
    line = " ".join(text[: 4 * _EXAMPLE].split())
    return line if len(line) <= _EXAMPLE else f"{line[:_EXAMPLE]} …"
