"""Figures of one system: what every report splits, so that one gain cannot pass for another.

A gain in format is not a gain in orchestration, so accuracy is given beside the share of valid
workflows and accuracy where there was one. A workflow that always asks the same worker is not a
Conductor, so there are worker shares with their entropy. All figures are of the cells that were
judged, and money is that of the same cells.
"""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from statistics import fmean

from partbook.evaluate.reporting.statistics import (
    Interval,
    bootstrap,
    entropy_bits,
    pass_at_k,
    wilson,
)
from partbook.evaluate.running.cell import Cell
from partbook.evaluate.running.results import Line
from partbook.price import total_usd

__all__ = ["Figures", "Share", "figures_of", "natural"]


@dataclass(frozen=True, slots=True)
class Share:
    """Right answers among judged cells of one kind."""

    right: int
    count: int
    steps: float
    """Mean steps per problem."""

    @property
    def accuracy(self) -> float:
        """Share of right answers, 0 to 1."""
        return self.right / self.count


@dataclass(frozen=True, slots=True)
class Figures:
    """How one system did. Shares are 0 to 1; calls, tokens, steps and money are per problem."""

    system: str
    asked: int
    """Cells that were asked for."""
    judged: int
    """Cells that are right or wrong; the others count nowhere."""
    problems: int
    """Problems with a judged cell."""
    accuracy: float
    """Mean over problems of the mean over repeats."""
    interval: Interval
    """95 %: Wilson's with one repeat, else a bootstrap over problems."""
    valid: float | None
    """Share of the Conductor's first texts that hold a workflow; None: nobody conducts."""
    given_valid: float | None
    """Accuracy of the cells in which all these texts do."""
    steps: float
    calls: float
    """Of workers and of the Conductor."""
    conductor_calls: float
    prompt_tokens: float
    completion_tokens: float
    usd: Decimal | None
    """None: the price of one of the calls is unknown."""
    usd_interval: Interval | None
    """95 %, by bootstrap."""
    seconds: float
    """From question to answer, waits for other cells included."""
    workers: Mapping[str, float] = field(default_factory=dict)
    """Shares of the workers' calls by name."""
    worker_bits: float = 0.0
    """Entropy of these shares, in bits."""
    plans: int = 0
    """Different combinations of workers and access lists."""
    by_task: Mapping[str, Share] = field(default_factory=dict)
    by_difficulty: Mapping[str, Share] = field(default_factory=dict)
    """By the difficulty that the problems' source gives; without those that have none."""
    by_steps: Mapping[int, Share] = field(default_factory=dict)
    """By the number of steps that were played."""
    pass_at: Mapping[int, float] = field(default_factory=dict)
    """pass@k, for k from 2 to the repeats that all problems have."""
    conducts: bool = False
    """Whether a language model writes its workflows."""
    alone: str = ""
    """The worker's name, where all that it ever does is to ask one worker once."""

    @property
    def tokens(self) -> float:
        """Read and written, per problem."""
        return self.prompt_tokens + self.completion_tokens

    @property
    def not_judged(self) -> int:
        """Cells that were asked for and are neither right nor wrong."""
        return self.asked - self.judged


def figures_of(
    system: str, cells: Sequence[Cell], problems: Mapping[str, Line], asked: int
) -> Figures:
    """Sum up the cells of one system.

    Args:
        system: its name.
        cells: its cells, judged or not.
        problems: what was asked, by id.
        asked: how many cells were asked for.
    """
    judged = [cell for cell in cells if cell.judged]
    if not judged:
        return _nothing(system, asked)
    by_problem = _by(judged, lambda cell: cell.problem)
    means = [fmean(cell.right for cell in group) for group in by_problem.values()]
    usd = total_usd(cell.spent.cost_usd for cell in judged)
    calls = Counter[str]()
    for cell in judged:
        calls.update(cell.spent.workers)
    total = sum(calls.values())
    shares = {name: count / total for name, count in sorted(calls.items())} if total else {}
    valid, given_valid = _validity(judged)
    return Figures(
        system,
        asked,
        len(judged),
        len(by_problem),
        fmean(means),
        _interval(system, means, len(judged)),
        valid,
        given_valid,
        fmean(cell.steps for cell in judged),
        fmean(cell.spent.calls for cell in judged),
        fmean(cell.spent.conductor_calls for cell in judged),
        fmean(cell.spent.prompt_tokens for cell in judged),
        fmean(cell.spent.completion_tokens for cell in judged),
        None if usd is None else usd / len(judged),
        _usd_interval(system, by_problem) if usd else None,
        fmean(cell.seconds for cell in judged),
        shares,
        entropy_bits(list(calls.values())),
        len({_signature(cell) for cell in judged}),
        _shares(judged, lambda cell: problems[cell.problem].task),
        _shares(judged, lambda cell: problems[cell.problem].difficulty),
        {int(steps): share for steps, share in _shares(judged, lambda c: str(c.steps)).items()},
        _pass_at(by_problem),
        any(played.proposed for cell in judged for played in cell.played),
        _alone(judged),
    )


def _nothing(system: str, asked: int) -> Figures:
    """Of a system that was never judged."""
    return Figures(
        system,
        asked,
        judged=0,
        problems=0,
        accuracy=0.0,
        interval=(0.0, 1.0),
        valid=None,
        given_valid=None,
        steps=0.0,
        calls=0.0,
        conductor_calls=0.0,
        prompt_tokens=0.0,
        completion_tokens=0.0,
        usd=None,
        usd_interval=None,
        seconds=0.0,
    )


def _by(cells: Sequence[Cell], key: Callable[[Cell], str]) -> dict[str, list[Cell]]:
    groups: dict[str, list[Cell]] = {}
    for cell in cells:
        groups.setdefault(key(cell), []).append(cell)
    return groups


def _interval(system: str, means: Sequence[float], judged: int) -> Interval:
    if judged == len(means):
        return wilson(round(sum(means)), len(means))
    return bootstrap(means, random.Random(f"accuracy {system}"))


def _usd_interval(system: str, by_problem: Mapping[str, Sequence[Cell]]) -> Interval:
    means = [
        fmean(float(cell.spent.cost_usd or 0) for cell in group) for group in by_problem.values()
    ]
    return bootstrap(means, random.Random(f"usd {system}"), 1000)


def _validity(judged: Sequence[Cell]) -> tuple[float | None, float | None]:
    texts = [played.valid for cell in judged for played in cell.played if played.proposed]
    if not texts:
        return None, None
    given = [
        cell.right
        for cell in judged
        if all(played.valid for played in cell.played if played.proposed)
    ]
    return fmean(texts), fmean(given) if given else None


def _shares(judged: Sequence[Cell], key: Callable[[Cell], str]) -> dict[str, Share]:
    groups = _by(judged, key)
    return {
        name: Share(
            sum(cell.right for cell in groups[name]),
            len(groups[name]),
            fmean(cell.steps for cell in groups[name]),
        )
        for name in sorted(groups, key=natural)
        if name
    }


def natural(text: str) -> tuple[int, str]:
    """The key by which numbers are sorted by their value, before everything else."""
    return (int(text), "") if text.isdecimal() else (1 << 60, text)


def _pass_at(by_problem: Mapping[str, Sequence[Cell]]) -> dict[int, float]:
    repeats = min(map(len, by_problem.values()))
    return {
        k: fmean(
            pass_at_k(len(group), sum(cell.right for cell in group), k)
            for group in by_problem.values()
        )
        for k in range(2, repeats + 1)
    }


def _signature(cell: Cell) -> tuple[tuple[tuple[str, tuple[int, ...]], ...], ...]:
    """Who reads whom: subtasks differ with every question."""
    return tuple(
        tuple((step.worker, step.access) for step in played.steps) for played in cell.played
    )


def _alone(judged: Sequence[Cell]) -> str:
    names = set()
    for cell in judged:
        if len(cell.played) != 1 or cell.played[0].proposed or len(cell.played[0].steps) != 1:
            return ""
        names.add(cell.played[0].steps[0].worker)
    return names.pop() if len(names) == 1 else ""
