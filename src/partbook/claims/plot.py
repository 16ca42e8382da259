"""The statements of the claims as one picture: each effect with its intervals, beside its bar.

Read from left to right: a point is the mean over seeds, small marks are the seeds, the thick line
is the 95 % interval over problems, the thin one that over seeds, the upright line the bar. Green
holds, red does not, grey decides nothing.
"""

from collections.abc import Sequence
from math import isfinite
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from partbook.claims.verdicts import Claim, Finding

__all__ = ["plot_claims"]

_HOLDS, _FAILS, _OPEN = "#1b6e53", "#b3261e", "#6b6b6b"

_PANELS = (("share", "share of problems or steps"), ("count", "steps or calls of a problem"))

_ROW_INCHES = 0.42


def plot_claims(claims: Sequence[Claim], path: Path) -> bool:
    """Draw all statements that have an effect, those in shares above those in steps and calls.

    Args:
        claims: decided.
        path: where to write it; the ending says the format.

    Returns:
        Whether there was anything to draw; else nothing is written.
    """
    panels = []
    for unit, label in _PANELS:
        rows = [
            (claim.letter, found)
            for claim in claims
            for found in claim.findings
            if found.effect is not None and found.unit == unit
        ]
        if rows:
            panels.append((label, rows))
    if not panels:
        return False
    heights = [len(rows) + 1.5 for _, rows in panels]
    figure = Figure(figsize=(11, _ROW_INCHES * sum(heights) + 0.6), layout="constrained")
    for axes, (label, rows) in zip(
        figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights)[:, 0],
        panels,
        strict=True,
    ):
        _panel(axes, label, rows)
    figure.savefig(path, dpi=120)
    return True


def _panel(axes: Axes, label: str, rows: Sequence[tuple[str, Finding]]) -> None:
    for height, (_, found) in enumerate(rows):
        _row(axes, height, found)
    axes.set_yticks(range(len(rows)), [f"({letter}) {found.statement}" for letter, found in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel(label)
    axes.tick_params(axis="y", length=0, labelsize=8)
    axes.grid(axis="x", color="#e4e4e4", linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def _row(axes: Axes, height: int, found: Finding) -> None:
    effect = found.effect
    assert effect is not None, "only statements with an effect are drawn"
    colour = {True: _HOLDS, False: _FAILS, None: _OPEN}[found.holds]
    for bar in (found.above, found.below):
        if bar is not None:
            axes.plot([bar, bar], [height - 0.38, height + 0.38], color="#222222", linewidth=1.4)
    if all(map(isfinite, effect.over_seeds)):
        axes.plot(effect.over_seeds, [height, height], color=colour, linewidth=1)
    if effect.problems is not None:
        axes.plot(effect.problems, [height, height], color=colour, linewidth=4, alpha=0.35)
    axes.plot(effect.seeds, [height] * len(effect.seeds), "|", color=colour, markersize=7)
    axes.plot([effect.mean], [height], "o", color=colour, markersize=5)
