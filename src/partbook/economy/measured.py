"""Measurements: what two systems really took for the same problems, from an evaluation.

A ratio carries it over to the bill: what the other system costs for each dollar of the one that
stands for today's work. That one's own work is like the evaluation's is the reader's to say, so the
carried figures name the evaluation; the measured ones stand for themselves.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from statistics import fmean

from partbook.economy.estimated import Base
from partbook.economy.figure import Figure, Range, shown
from partbook.economy.wishes import Overhead
from partbook.errors import ConfigError
from partbook.evaluate.reporting.statistics import bootstrap, percentile
from partbook.evaluate.reporting.summary import summarise
from partbook.evaluate.running.cell import Cell
from partbook.evaluate.running.results import RESULTS, Results

__all__ = ["Measured", "measure", "measured_figures", "read_measured"]

_RESAMPLES = 2_000

_ZERO = Decimal(0)


@dataclass(frozen=True, slots=True)
class Measured:
    """Two systems on the same problems; figures are per problem."""

    system: str
    """What the work would be done with."""
    baseline: str
    """What stands for how it is done now."""
    tasks: str
    problems: int
    """On which both were judged."""
    usd: tuple[Decimal | None, Decimal | None]
    """Of the baseline and of the system; None: a price is unknown."""
    usd_ranges: tuple[Range | None, Range | None]
    ratio: Decimal | None
    """The system's dollars for one of the baseline; None: one is unknown, or the latter is 0."""
    ratio_range: Range | None
    calls: tuple[Decimal, Decimal]
    conductor_calls: Decimal
    """Of the system."""
    steps: Decimal
    """Likewise."""
    right: tuple[Decimal, Decimal]
    """Shares of right answers, 0 to 1."""
    points_range: Range
    """95 % of the difference of these shares, the system's minus the baseline's."""


def read_measured(path: Path, system: str | None, baseline: str | None) -> Measured:
    """Read an evaluation.

    Args:
        path: its folder, or the results file in it.
        system: what the work would be done with; None: the first that conducts, else the last.
        baseline: what stands for how it is done now; None: the best worker alone.

    Raises:
        ConfigError: there is none, it has no such system, or no problem was judged for both.
    """
    folder = path.parent if path.name == RESULTS else path
    if path.is_file() and path.name != RESULTS:
        raise ConfigError(
            f"--measured: {path} is not the folder of an evaluation, nor its {RESULTS}"
        )
    return measure(Results.read(folder), system, baseline)


def measure(results: Results, system: str | None = None, baseline: str | None = None) -> Measured:
    """Compare two systems of an evaluation; arguments and errors as in `read_measured`."""
    summary = summarise(results, system)
    focus, other = summary.focus, baseline or summary.rival
    names = [figures.system for figures in summary.systems]
    if other not in names or other == focus:
        listed = ", ".join(name for name in names if name != focus) or "none"
        raise ConfigError(
            f"--baseline: which system stands for how the work is done now? Beside {focus} there "
            f"are {listed}"
        )
    ours, theirs = _judged(results, focus), _judged(results, other)
    both = [problem for problem in theirs if problem in ours]
    if not both:
        raise ConfigError(f"{results.folder}: no problem was judged for both {focus} and {other}")
    mine, their = [ours[p] for p in both], [theirs[p] for p in both]
    usd = _usd(their), _usd(mine)
    rng = random.Random(f"{focus} for {other}")
    ratio, ratio_range = _ratio(usd, rng)
    points = [_right(a) - _right(b) for a, b in zip(mine, their, strict=True)]
    return Measured(
        focus,
        other,
        ", ".join(dict.fromkeys(results.problems[p].task for p in both)),
        len(both),
        (_mean(usd[0]), _mean(usd[1])),
        (_range(usd[0], rng), _range(usd[1], rng)),
        ratio,
        ratio_range,
        (_each(their, lambda c: c.spent.calls), _each(mine, lambda c: c.spent.calls)),
        _each(mine, lambda c: c.spent.conductor_calls),
        _each(mine, lambda c: c.steps),
        (_decimal(fmean(map(_right, their))), _decimal(fmean(map(_right, mine)))),
        _decimals(bootstrap(points, rng)),
    )


def measured_figures(base: Base, found: Measured, overhead: Overhead) -> list[Figure]:
    """What was measured, then what it means for the month."""
    about = {"system": found.system, "baseline": found.baseline, "n": str(found.problems),
             "tasks": found.tasks}  # fmt: skip
    a, b = found.usd
    why = "no price measured" if a is None or b is None else "free baseline"
    ab = {"a": shown(a), "b": shown(b), "N": str(found.problems)}
    thousand = [_thousand(value) for value in found.usd_ranges]
    figures = [
        _measured("run.baseline", None if a is None else a * 1000, "USD", "1000 × a", ab, about,
                  thousand[0], why),
        _measured("run.system", None if b is None else b * 1000, "USD", "1000 × b", ab, about,
                  thousand[1], why),
        _measured("run.ratio", found.ratio, "times", "ρ = b / a", ab, about,
                  found.ratio_range, why),
        _measured("run.calls", found.calls[1], "calls", "mean over N",
                  {"N": str(found.problems), "baseline": shown(found.calls[0]),
                   "steps": shown(found.steps), "conductor": shown(found.conductor_calls)}, about),
        _measured("run.right", 100 * found.right[1], "%", "mean over N",
                  {"N": str(found.problems), "baseline": shown(100 * found.right[0])}, about),
        _measured("run.points", 100 * (found.right[1] - found.right[0]), "points",
                  "right − right of the baseline", {"N": str(found.problems)}, about,
                  (100 * found.points_range[0], 100 * found.points_range[1])),
    ]  # fmt: skip
    return figures + _carried(base, found, overhead, about, why)


def _carried(
    base: Base, found: Measured, overhead: Overhead, about: Mapping[str, str], why: str
) -> list[Figure]:
    """The month, done as the measured system does it."""
    unit, ratio, ends = base.currency or "USD", found.ratio, found.ratio_range
    fixed = overhead.fixed
    letters = {**base.letters, "ρ": shown(ratio), "G": shown(fixed)}
    cost_formula, net_formula = "B × ρ + X + V + G", "B × (1 − ρ) − G"
    if fixed and not base.in_dollars:
        ratio, why, about = None, "no rate", {**about, "currency": base.currency}
    if base.charges is None:
        ratio, why = None, "no cost"
    if ratio is None or ends is None or base.charges is None:
        return [
            _measured("carried.cost", None, unit, cost_formula, letters, about, why=why),
            _measured("carried.net", None, unit, net_formula, letters, about, why=why),
        ]
    charges, rest = base.charges, base.other + base.credits + fixed
    costs = (charges * ends[0] + rest, charges * ends[1] + rest)
    nets = (charges * (1 - ends[1]) - fixed, charges * (1 - ends[0]) - fixed)
    figures = [
        _measured("carried.cost", charges * ratio + rest, unit, cost_formula, letters, about,
                  costs),
        _measured("carried.net", charges * (1 - ratio) - fixed, unit, net_formula, letters, about,
                  nets),
    ]  # fmt: skip
    if fixed:
        a, b = found.usd
        assert a is not None
        assert b is not None
        even = fixed / (a - b) if a > b else None
        inputs = {"G": shown(fixed), "a": shown(a), "b": shown(b)}
        figures.append(
            _measured("carried.even", even, "tasks", "G / (a − b)", inputs, about,
                      why="" if even is not None else "never even")
        )  # fmt: skip
    return figures


def _measured(
    key: str,
    value: Decimal | None,
    unit: str,
    formula: str,
    inputs: Mapping[str, str],
    about: Mapping[str, str],
    ends: Range | None = None,
    why: str = "",
) -> Figure:
    return Figure(key, "measured", value, unit, formula, inputs, ends, "95 %" if ends else "",
                  "" if value is not None else why, about)  # fmt: skip


def _judged(results: Results, system: str) -> dict[str, list[Cell]]:
    found: dict[str, list[Cell]] = {}
    for cell in results.cells.values():
        if cell.system == system and cell.judged:
            found.setdefault(cell.problem, []).append(cell)
    return found


def _right(cells: Sequence[Cell]) -> float:
    return fmean(cell.right for cell in cells)


def _usd(groups: Sequence[Sequence[Cell]]) -> list[Decimal] | None:
    """Mean dollars by problem; None: one of them is unknown."""
    means = []
    for cells in groups:
        costs = [cell.spent.cost_usd for cell in cells if cell.spent.cost_usd is not None]
        if len(costs) < len(cells):
            return None
        means.append(sum(costs, _ZERO) / len(costs))
    return means


def _mean(values: Sequence[Decimal] | None) -> Decimal | None:
    return None if values is None else sum(values, _ZERO) / len(values)


def _each(groups: Sequence[Sequence[Cell]], value: Callable[[Cell], int]) -> Decimal:
    return _decimal(fmean(fmean(float(value(cell)) for cell in cells) for cells in groups))


def _range(values: Sequence[Decimal] | None, rng: random.Random) -> Range | None:
    return None if values is None else _decimals(bootstrap(list(map(float, values)), rng))


def _ratio(
    usd: tuple[list[Decimal] | None, list[Decimal] | None], rng: random.Random
) -> tuple[Decimal | None, Range | None]:
    """Ratio of the means, with a percentile bootstrap over problems (Efron 1979)."""
    base, ours = usd
    if base is None or ours is None or not any(base):
        return None, None
    pairs = list(zip(map(float, base), map(float, ours), strict=True))
    drawn = []
    for _ in range(_RESAMPLES):
        sample = rng.choices(pairs, k=len(pairs))
        below = sum(one for one, _ in sample)
        if below:
            drawn.append(sum(other for _, other in sample) / below)
    drawn.sort()
    ends = percentile(drawn, 0.025), percentile(drawn, 0.975)
    return sum(ours, _ZERO) / sum(base, _ZERO), _decimals(ends)


def _decimal(value: float) -> Decimal:
    return Decimal(repr(value))


def _decimals(ends: tuple[float, float]) -> Range:
    return _decimal(ends[0]), _decimal(ends[1])


def _thousand(ends: Range | None) -> Range | None:
    return None if ends is None else (ends[0] * 1000, ends[1] * 1000)
