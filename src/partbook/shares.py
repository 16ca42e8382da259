"""Intervals of shares: what a count of right answers says about the share behind it."""

from math import sqrt
from statistics import NormalDist

__all__ = ["Interval", "wilson"]

Interval = tuple[float, float]
"""Lower and upper end."""


def wilson(right: int, count: int, level: float = 0.95) -> Interval:
    """Wilson's interval of a share (J. Am. Stat. Assoc. 22, 1927).

    Args:
        right: 0 to `count`.
        count: at least 1.
        level: how often such an interval holds the true share, 0 to 1.

    >>> tuple(round(end, 4) for end in wilson(50, 100))
    (0.4038, 0.5962)
    """
    if not 0 <= right <= count or count < 1:
        raise ValueError(f"a share of 1 or more was expected, found {right} of {count}")
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = right / count
    middle = share + z * z / (2 * count)
    reach = z * sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    scale = 1 + z * z / count
    return max(0.0, (middle - reach) / scale), min(1.0, (middle + reach) / scale)
