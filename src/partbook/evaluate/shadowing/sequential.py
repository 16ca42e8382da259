"""Sequential statistics: an interval of a share that may be looked at after every observation.

Who looks at an interval made for a fixed number of observations after each of them, and stops where
it suits, is wrong far more often than its level says. A confidence sequence holds for all times at
once. With S successes and F failures, and the uniform distribution mixed over alternatives, the
e-value against a share p is

    E(p) = B(S + 1, F + 1) / (p^S (1 - p)^F),

B being the beta function. If p is the true share, E(p) is a non-negative martingale that begins
with 1, so it ever reaches 1 / alpha with probability alpha at most (Ville 1939). The shares with
E(p) < 1 / alpha are therefore a confidence sequence (Robbins, Ann. Math. Stat. 41, 1970; Howard et
al., arXiv:1810.08240).
"""

from collections.abc import Callable
from math import exp, inf, lgamma, log

from partbook.shares import Interval

__all__ = ["confidence_sequence", "e_value"]

_HALVINGS = 60
"""Of an interval of at most 1; beyond it the ends do not change in double precision."""


def e_value(successes: int, failures: int, share: float = 0.5) -> float:
    """How much the observations speak against a share; 20 and more refutes it at 95 %, any time.

    >>> round(e_value(8, 0), 1), round(e_value(5, 5), 2)
    (28.4, 0.37)
    """
    against = _log_e(successes, failures, share)
    return exp(against) if against < 700 else inf


def confidence_sequence(successes: int, failures: int, level: float = 0.95) -> Interval:
    """The shares that are not refuted; (0, 1) before the first observation.

    Args:
        successes: 0 or more.
        failures: 0 or more.
        level: with this probability, all such intervals of one sequence hold the true share.

    >>> tuple(round(end, 3) for end in confidence_sequence(50, 50))
    (0.345, 0.655)
    """
    if successes < 0 or failures < 0:
        raise ValueError(f"counts of 0 or more were expected, found {successes} and {failures}")
    most = -log(1 - level)
    count = successes + failures
    if not count:
        return 0.0, 1.0
    likely = successes / count

    def refuted(share: float) -> bool:
        return _log_e(successes, failures, share) >= most

    low = 0.0 if not refuted(0.0) else _border(refuted, 0.0, likely)
    high = 1.0 if not refuted(1.0) else _border(refuted, 1.0, likely)
    return low, high


def _log_e(successes: int, failures: int, share: float) -> float:
    if (successes and share <= 0) or (failures and share >= 1):
        return inf
    mixed = lgamma(successes + 1) + lgamma(failures + 1) - lgamma(successes + failures + 2)
    likelihood = successes * log(share) if successes else 0.0
    likelihood += failures * log(1 - share) if failures else 0.0
    return mixed - likelihood


def _border(refuted: Callable[[float], bool], outside: float, inside: float) -> float:
    """Where what is refuted ends, between a refuted share and one that is not."""
    for _ in range(_HALVINGS):
        middle = (outside + inside) / 2
        if refuted(middle):
            outside = middle
        else:
            inside = middle
    return outside
