"""Summary: what an evaluation found, ready to be shown as a table, as data or as a page.

One system is the focus, usually a Conductor, and is compared with every other one on the problems
that both were judged on. Several comparisons are corrected together (Holm), so that trying many
rivals does not make one of them look beaten.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Literal

from partbook.errors import ConfigError
from partbook.evaluate.reporting.figures import Figures, figures_of, natural
from partbook.evaluate.reporting.oracle import Oracle, best_measured, oracle_of
from partbook.evaluate.reporting.statistics import Interval, bootstrap, holm, mcnemar, sign_flip
from partbook.evaluate.running.cell import Cell
from partbook.evaluate.running.results import Begun, Line, Results

__all__ = [
    "SIGNIFICANT",
    "Case",
    "Comparison",
    "Summary",
    "cost",
    "cost_axis",
    "frontier",
    "summarise",
]

SIGNIFICANT = 0.05
"""Below it, a corrected p-value is called a difference."""

MOST_CASES = 4
"""Problems that are shown where the focus wins, and where it loses."""

ByProblem = Mapping[str, Sequence[Cell]]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The focus beside another system, on the problems that both were judged on."""

    other: str
    problems: int
    better: int
    """Problems that the focus got right more often than the other."""
    worse: int
    difference: float
    """Accuracy of the focus minus that of the other."""
    interval: Interval
    """95 % of the difference, by a paired bootstrap over problems."""
    p: float
    """Two-sided: McNemar's exact test with one repeat, else sign flips by problem."""
    corrected: float
    """By Holm, over all comparisons of the summary."""

    @property
    def significant(self) -> bool:
        """Whether chance is an unlikely reason for the difference."""
        return self.corrected < SIGNIFICANT


@dataclass(frozen=True, slots=True)
class Case:
    """A problem on which the focus and its rival differ."""

    problem: Line
    focus: Cell
    rival: Cell


@dataclass(frozen=True, slots=True)
class Summary:
    """What an evaluation found."""

    begun: Begun
    identity: Mapping[str, str]
    problems: Mapping[str, Line]
    systems: tuple[Figures, ...]
    """In the order in which they were asked for."""
    focus: str
    rival: str
    """The best worker alone, else the best other system; empty where there is none."""
    comparisons: tuple[Comparison, ...]
    oracle: Oracle | None
    """Over the workers that were asked alone."""
    regret: Mapping[str, float]
    """By system: accuracy of the best measured worker of each problem, minus its own."""
    frontier: tuple[str, ...]
    """Systems that no other beats in accuracy for as little money, cheapest first."""
    wins: tuple[Case, ...]
    losses: tuple[Case, ...]

    def of(self, system: str) -> Figures:
        """The figures of a system."""
        return next(figures for figures in self.systems if figures.system == system)

    @property
    def missing(self) -> int:
        """Cells that are neither right nor wrong."""
        return sum(figures.not_judged for figures in self.systems)


def summarise(results: Results, focus: str | None = None) -> Summary:
    """Sum up what was found so far.

    Args:
        results: opened or read.
        focus: the system that is compared with the others; None: the first that conducts, else
            the last one.

    Raises:
        ConfigError: nothing was judged yet, or there is no such system.
    """
    begun = results.begun
    # Cells of systems and problems that are not asked for any more do not count.
    if begun is None or not any(results.is_judged(key) for key in begun.keys):
        raise ConfigError(f"{results.folder}: nothing was judged yet; there is nothing to report")
    by_system = _by_system(results, begun)
    count = len(begun.problems) * begun.repeats
    systems = tuple(
        figures_of(
            name, [c for group in by_system[name].values() for c in group], results.problems, count
        )
        for name in begun.systems
    )
    chosen = _focus(systems, focus)
    judged = {name: _judged(by_system[name]) for name in begun.systems}
    verdicts = _workers(systems, judged, begun.problems, begun.repeats)
    rival = _rival(systems, chosen)
    wins, losses = _cases(judged[chosen], judged.get(rival, {}), results.problems, begun.problems)
    return Summary(
        begun,
        results.identity,
        {name: results.problems[name] for name in begun.problems},
        systems,
        chosen,
        rival,
        _comparisons(chosen, judged),
        oracle_of(list(verdicts.values())),
        _regret(judged, verdicts),
        frontier(systems),
        wins,
        losses,
    )


def cost_axis(systems: Sequence[Figures]) -> Literal["usd", "tokens"]:
    """What quality is set against: money, or tokens where all of it is free or unknown."""
    return "usd" if any(figures.usd for figures in systems) else "tokens"


def cost(figures: Figures, axis: Literal["usd", "tokens"]) -> float | None:
    """What a problem costs on this axis; None: unknown."""
    if axis == "tokens":
        return figures.tokens
    return None if figures.usd is None else float(figures.usd)


def frontier(systems: Sequence[Figures]) -> tuple[str, ...]:
    """Systems that no other beats: more accurate than all that cost as little, cheapest first."""
    axis = cost_axis(systems)
    priced = [
        (spent, -one.accuracy, one.system)
        for one in systems
        if one.judged and (spent := cost(one, axis)) is not None
    ]
    best, found = -1.0, []
    for _, negative, name in sorted(priced):
        if -negative > best:
            best = -negative
            found.append(name)
    return tuple(found)


def _by_system(results: Results, begun: Begun) -> dict[str, dict[str, list[Cell]]]:
    found: dict[str, dict[str, list[Cell]]] = {name: {} for name in begun.systems}
    for key in begun.keys:
        cell = results.cells.get(key)
        if cell is not None:
            found[cell.system].setdefault(cell.problem, []).append(cell)
    return found


def _judged(groups: Mapping[str, Sequence[Cell]]) -> dict[str, list[Cell]]:
    kept = {problem: [cell for cell in cells if cell.judged] for problem, cells in groups.items()}
    return {problem: cells for problem, cells in kept.items() if cells}


def _focus(systems: Sequence[Figures], wanted: str | None) -> str:
    names = [figures.system for figures in systems]
    if wanted is not None:
        if wanted not in names:
            raise ConfigError(f"--focus: no system {wanted!r} here; there are {', '.join(names)}")
        if not systems[names.index(wanted)].judged:
            raise ConfigError(f"--focus: no answer of {wanted!r} could be judged")
        return wanted
    # Of a system that was never judged, there is nothing to say.
    judged = [figures for figures in systems if figures.judged]
    conducting = [figures.system for figures in judged if figures.conducts]
    return conducting[0] if conducting else judged[-1].system


def _rival(systems: Sequence[Figures], focus: str) -> str:
    others = [figures for figures in systems if figures.system != focus and figures.judged]
    alone = [figures for figures in others if figures.alone]
    best = max(alone or others, key=lambda figures: figures.accuracy, default=None)
    return "" if best is None else best.system


def _mean(cells: Sequence[Cell]) -> float:
    return fmean(cell.right for cell in cells)


def _comparisons(focus: str, judged: Mapping[str, ByProblem]) -> tuple[Comparison, ...]:
    found: list[Comparison] = []
    for other, theirs in judged.items():
        both = [problem for problem in judged[focus] if problem in theirs]
        if other == focus or not both:
            continue
        ours = [_mean(judged[focus][problem]) for problem in both]
        differences = [mine - _mean(theirs[p]) for mine, p in zip(ours, both, strict=True)]
        better = sum(value > 0 for value in differences)
        worse = sum(value < 0 for value in differences)
        single = all(len(judged[focus][p]) == len(theirs[p]) == 1 for p in both)
        rng = random.Random(f"{focus} against {other}")
        p = mcnemar(better, worse) if single else sign_flip(differences, rng)
        mean, ends = fmean(differences), bootstrap(differences, rng)
        found.append(Comparison(other, len(both), better, worse, mean, ends, p, p))
    corrected = holm([one.p for one in found])
    return tuple(replace(one, corrected=value) for one, value in zip(found, corrected, strict=True))


def _workers(
    systems: Sequence[Figures],
    judged: Mapping[str, ByProblem],
    problems: Sequence[str],
    repeats: int,
) -> dict[str, dict[str, list[bool]]]:
    """Verdicts of the workers alone, for the problems on which all of them were judged."""
    alone: dict[str, str] = {}
    for figures in systems:
        if figures.alone:
            # Another system may have come down to the same worker; one of them is enough.
            alone.setdefault(figures.alone, figures.system)
    found: dict[str, dict[str, list[bool]]] = {}
    for problem in problems if alone else ():
        cells = {worker: judged[system].get(problem, []) for worker, system in alone.items()}
        if all(len(group) == repeats for group in cells.values()):
            found[problem] = {w: [cell.right for cell in group] for w, group in cells.items()}
    return found


def _regret(
    judged: Mapping[str, ByProblem], verdicts: Mapping[str, Mapping[str, Sequence[bool]]]
) -> dict[str, float]:
    found: dict[str, float] = {}
    for system, groups in judged.items():
        both = [problem for problem in verdicts if problem in groups]
        if both:
            found[system] = fmean(best_measured(verdicts[p]) - _mean(groups[p]) for p in both)
    return found


def _cases(
    ours: ByProblem, theirs: ByProblem, lines: Mapping[str, Line], order: Sequence[str]
) -> tuple[tuple[Case, ...], tuple[Case, ...]]:
    """Problems that one of the two got right in every repeat and the other in none."""
    wins: list[Case] = []
    losses: list[Case] = []
    for problem in order:
        if problem not in ours or problem not in theirs:
            continue
        mine, their = ours[problem], theirs[problem]
        case = Case(lines[problem], mine[0], their[0])
        if all(cell.right for cell in mine) and not any(cell.right for cell in their):
            wins.append(case)
        elif all(cell.right for cell in their) and not any(cell.right for cell in mine):
            losses.append(case)
    return _spread(wins), _spread(losses)


def _spread(cases: Sequence[Case]) -> tuple[Case, ...]:
    """A few of them, from all difficulties in turn; short questions first, for they are read."""
    groups: dict[str, list[Case]] = {}
    for case in sorted(cases, key=lambda case: len(case.problem.question)):
        groups.setdefault(case.problem.difficulty, []).append(case)
    kept: list[Case] = []
    while len(kept) < min(MOST_CASES, len(cases)):
        for level in sorted(groups, key=natural, reverse=True):
            if groups[level] and len(kept) < MOST_CASES:
                kept.append(groups[level].pop(0))
    return tuple(kept)
