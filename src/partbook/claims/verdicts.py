"""Verdicts: statements that can fail, and whether they hold.

Every statement compares an effect (`effect.py`) with a bar that was set before the runs. It holds
where both of the effect's intervals are on the right side of the bar; where one of them is not, it
does not hold, which can also mean that too little was measured. A claim holds where all of its
statements do, so no correction for several of them is needed: each one more makes it harder.
"""

from dataclasses import dataclass
from typing import Literal

from partbook.claims.effect import FEWEST_SEEDS, Effect

__all__ = ["Claim", "Finding", "Unit", "Word", "finding"]

Unit = Literal["share", "count"]
"""Of problems or steps, from 0 to 1; or steps and calls of a problem."""

Word = Literal["holds", "does not hold", "not testable here", "not run"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One statement, with what was found."""

    statement: str
    published: str
    """The paper's figures; empty where it has none."""
    ours: str
    effect: Effect | None
    """None: not run, or not testable."""
    holds: bool | None
    """None: it decides nothing: it was not run, has too few seeds, or cannot be tested."""
    unit: Unit = "share"
    above: float | None = None
    """The effect has to be above it; None: there is no such bar."""
    below: float | None = None
    """The effect has to be below it."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of the paper."""

    letter: str
    claim: str
    findings: tuple[Finding, ...]
    untestable: str = ""
    """Why a part of it cannot be tested here."""

    @property
    def word(self) -> Word:
        """The verdict."""
        said = [finding.holds for finding in self.findings]
        if False in said:
            return "does not hold"
        if None in said or not said:
            few = any(one.effect is not None and not one.effect.decides for one in self.findings)
            return "not testable here" if few else "not run"
        return "holds"


def finding(
    statement: str,
    published: str,
    effect: Effect | None,
    *,
    above: float | None = None,
    below: float | None = None,
    unit: Unit = "share",
    is_difference: bool = True,
    note: str = "",
) -> Finding:
    """A statement that holds where the effect is above one bar and below another."""
    if effect is None:
        return Finding(statement, published, "nothing there to compare", None, None, unit)
    form = ("+" if is_difference else "") + (".3f" if unit == "share" else ".2f")
    over, under = effect.over_seeds, effect.problems
    ours = f"{effect.mean:{form}}"
    if under is not None:
        ours += f"; problems {under[0]:{form}} to {under[1]:{form}}"
    if len(effect.seeds) > 1:
        ours += f"; seeds {over[0]:{form}} to {over[1]:{form}}"
    if note:
        ours += f"; {note}"
    if not effect.decides:
        ours += f"; fewer than {FEWEST_SEEDS} seeds"
        return Finding(statement, published, ours, effect, None, unit, above, below)
    holds = (above is None or effect.low > above) and (below is None or effect.high < below)
    return Finding(statement, published, ours, effect, holds, unit, above, below)
