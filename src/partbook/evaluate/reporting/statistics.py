"""Statistics of shares and paired comparisons, in plain Python.

Pure functions on numbers; which numbers belong together is decided in `summary.py`. Whatever draws
takes its source of randomness, so that a report comes out the same every time.
"""

import random
from collections.abc import Sequence
from math import comb, log2

from partbook.shares import Interval, wilson

__all__ = [
    "Interval",
    "bootstrap",
    "entropy_bits",
    "holm",
    "mcnemar",
    "pass_at_k",
    "percentile",
    "sign_flip",
    "wilson",
]

RESAMPLES = 2_000
"""Draws of a bootstrap or a permutation test: 95 % intervals are stable to about a tenth of their
width (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13)."""

_EXACT = 14
"""Up to so many pairs that differ, all sign flips are tried."""


def percentile(ordered: Sequence[float], share: float) -> float:
    """The value below which a share of ascending values lies, between neighbours in proportion.

    >>> percentile([0.0, 10.0, 20.0], 0.25)
    5.0
    """
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def bootstrap(
    values: Sequence[float], rng: random.Random, resamples: int = RESAMPLES, level: float = 0.95
) -> Interval:
    """Percentile bootstrap of a mean (Efron 1979).

    Args:
        values: one per problem, so that the repeats of a problem stay together; at least 1.
        rng: draws.
        resamples: how many means are drawn.
        level: how often such an interval holds the true mean, 0 to 1.
    """
    if not values:
        raise ValueError("the mean of no values has no interval")
    count = len(values)
    if min(values) == max(values):
        return values[0], values[0]
    means = sorted(sum(rng.choices(values, k=count)) / count for _ in range(resamples))
    rest = (1 - level) / 2
    return percentile(means, rest), percentile(means, 1 - rest)


def mcnemar(only_first: int, only_second: int) -> float:
    """McNemar's test, exact: how probable so uneven a split is where both are equally good.

    Args:
        only_first: problems that only the first got right.
        only_second: problems that only the second got right.

    Returns:
        The two-sided p-value; 1 where they never differ.

    >>> mcnemar(1, 9)
    0.021484375
    """
    count = only_first + only_second
    less = min(only_first, only_second)
    tail = sum(comb(count, i) for i in range(less + 1)) / (1 << count)
    return min(1.0, 2 * tail)


def sign_flip(differences: Sequence[float], rng: random.Random, resamples: int = 10_000) -> float:
    """Paired permutation test of a mean difference: which systems is which, is exchanged at random.

    Args:
        differences: one per problem; zeros tell nothing and are passed over.
        rng: draws the exchanges where there are too many to try all.
        resamples: how many are drawn then.

    Returns:
        The two-sided p-value (Phipson and Smyth 2010: never 0).

    >>> sign_flip([1, 1, 1, 1], random.Random(0))
    0.125
    """
    told = [value for value in differences if value]
    if not told:
        return 1.0
    seen = abs(sum(told)) - 1e-9
    if len(told) <= _EXACT:
        sums = [0.0]
        for value in told:
            sums = [total + sign * value for total in sums for sign in (1, -1)]
        return sum(abs(total) >= seen for total in sums) / len(sums)
    extreme = 0
    for _ in range(resamples):
        bits = rng.getrandbits(len(told))
        total = sum(value if bits >> i & 1 else -value for i, value in enumerate(told))
        extreme += abs(total) >= seen
    return (extreme + 1) / (resamples + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction for several tests at once (Scand. J. Statist. 6, 1979).

    Returns:
        The corrected p-values, in the same order; each at least as large as before, at most 1.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    corrected = [0.0] * len(p_values)
    largest = 0.0
    for rank, i in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[i]))
        corrected[i] = largest
    return corrected


def pass_at_k(count: int, right: int, k: int) -> float:
    """Probability that one of k samples is right, without bias (arXiv:2107.03374, section 2.1).

    Args:
        count: samples of a problem, at least k.
        right: how many of them are right.
        k: at least 1.

    >>> pass_at_k(4, 2, 2)
    0.8333333333333334
    """
    if not 1 <= k <= count or not 0 <= right <= count:
        raise ValueError(f"pass@{k} needs at least {k} samples, found {right} right of {count}")
    return 1 - comb(count - right, k) / comb(count, k)


def entropy_bits(counts: Sequence[float]) -> float:
    """Entropy of the shares that these counts are, in bits; 0 where there are none.

    >>> entropy_bits([2, 1, 1])
    1.5
    """
    total = sum(counts)
    shares = (count / total for count in counts if count > 0)
    return sum(-share * log2(share) for share in shares)
