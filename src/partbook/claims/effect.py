"""Effects: how much two differ, with two 95 % intervals that are both asked.

One is over problems (a paired bootstrap of the mean over seeds) and says what other problems could
have shown; the other is over seeds (Student's t of the seeds' means) and says what another training
run could have. An effect is above a bar only where both intervals are.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev

from partbook.evaluate.reporting.statistics import Interval, bootstrap, percentile

__all__ = ["FEWEST_SEEDS", "Effect", "between", "over_seeds", "unpaired"]

FEWEST_SEEDS = 3
"""With fewer, nothing is decided."""

_T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)
"""Student's t at 97.5 % for 1, 2, ... degrees of freedom; beyond the last, that one is taken."""

_RESAMPLES = 2_000

Values = Mapping[str, float]
"""By problem."""


@dataclass(frozen=True, slots=True)
class Effect:
    """A difference, or a mean."""

    seeds: tuple[float, ...]
    """Of each seed."""
    problems: Interval | None
    """95 % over problems; None: it is no mean over problems."""

    @property
    def mean(self) -> float:
        """Over the seeds."""
        return fmean(self.seeds)

    @property
    def over_seeds(self) -> Interval:
        """95 % over seeds; without end where there is one seed."""
        return over_seeds(self.seeds)

    @property
    def low(self) -> float:
        """The lower of the two lower ends."""
        ends = [self.over_seeds[0], *([self.problems[0]] if self.problems else [])]
        return min(ends)

    @property
    def high(self) -> float:
        """The higher of the two higher ends."""
        ends = [self.over_seeds[1], *([self.problems[1]] if self.problems else [])]
        return max(ends)

    @property
    def decides(self) -> bool:
        """Whether there are seeds enough to decide anything."""
        return len(self.seeds) >= FEWEST_SEEDS


def over_seeds(values: Sequence[float]) -> Interval:
    """Student's 95 % interval of a mean.

    >>> over_seeds([1.0, 2.0, 3.0])
    (-0.4843386960156594, 4.4843386960156594)
    """
    if len(values) < 2:
        return float("-inf"), float("inf")
    freedom = len(values) - 1
    half = _T[min(freedom, len(_T)) - 1] * stdev(values) / sqrt(len(values))
    return fmean(values) - half, fmean(values) + half


def between(ours: Sequence[Values], theirs: Sequence[Values]) -> Effect | None:
    """What we have more than they, on the problems that all have; one mapping a seed.

    Args:
        ours: at least one.
        theirs: as many; for something that has no seeds, the same one each time. Without any, the
            effect is the mean of ours.

    Returns:
        None where there is no problem that all have.
    """
    others = theirs or [dict.fromkeys(one, 0.0) for one in ours]
    common = set(ours[0]).intersection(*ours, *others)
    problems = sorted(common)
    if not problems:
        return None
    pairs = list(zip(ours, others, strict=True))
    seeds = tuple(fmean(mine[p] - other[p] for p in problems) for mine, other in pairs)
    means = [fmean(mine[p] - other[p] for mine, other in pairs) for p in problems]
    return Effect(seeds, bootstrap(means, random.Random(0)))


def unpaired(upper: Sequence[Values], lower: Sequence[Values]) -> Effect:
    """How much more the mean of some problems is than that of others; one mapping a seed."""
    pairs = list(zip(upper, lower, strict=True))
    seeds = tuple(fmean(more.values()) - fmean(less.values()) for more, less in pairs)
    rng = random.Random(0)
    above, below = _means(upper), _means(lower)
    drawn = sorted(
        fmean(rng.choices(above, k=len(above))) - fmean(rng.choices(below, k=len(below)))
        for _ in range(_RESAMPLES)
    )
    return Effect(seeds, (percentile(drawn, 0.025), percentile(drawn, 0.975)))


def _means(by_seed: Sequence[Values]) -> list[float]:
    common = sorted(set(by_seed[0]).intersection(*by_seed))
    return [fmean(one[problem] for one in by_seed) for problem in common]
