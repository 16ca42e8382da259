"""What always picking the right worker would reach, and what is lost against it.

Whoever picks, problem by problem, the worker that was best in what was measured, picks luck too:
the best of several noisy figures is too high. So three figures stand side by side. The measured
oracle (the best worker of each problem, as measured) is an upper bound. The corrected one picks by
the other repeats and counts on the one that was left out, in turn, so luck in picking does not
count: its expectation is what such a picker really reaches, and never above that of an oracle who
knows all probabilities. The best single worker is what is there without any picking.

With one repeat there is nothing to leave out, and no corrected figure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

__all__ = ["Oracle", "best_measured", "oracle_of"]

Verdicts = Mapping[str, Sequence[bool]]
"""By worker: whether it was right in each repeat, shape (R,)."""


@dataclass(frozen=True, slots=True)
class Oracle:
    """Accuracies, 0 to 1, over the same problems."""

    problems: int
    repeats: int
    best_worker: str
    best_single: float
    """Of the worker that is best over all problems: chosen on the same problems, so a little
    too high as well."""
    measured: float
    """Of the best worker of each problem, as measured: too high."""
    corrected: float | None
    """Picked by the other repeats, counted on the one left out; None with one repeat."""


def oracle_of(problems: Sequence[Verdicts]) -> Oracle | None:
    """The oracle over workers.

    Args:
        problems: for each problem, the verdicts of the same workers in the same repeats.

    Returns:
        None where there are no problems or no workers.
    """
    if not problems or not problems[0]:
        return None
    names = list(problems[0])
    repeats = len(problems[0][names[0]])
    totals = {name: sum(sum(one[name]) for one in problems) for name in names}
    best = max(names, key=lambda name: totals[name])
    corrected = None
    if repeats > 1:
        corrected = fmean(_left_out(one, totals, repeats) for one in problems)
    return Oracle(
        len(problems),
        repeats,
        best,
        totals[best] / (len(problems) * repeats),
        fmean(best_measured(one) for one in problems),
        corrected,
    )


def best_measured(verdicts: Verdicts) -> float:
    """Share of right answers of the worker that was best at one problem."""
    return max(fmean(map(float, right)) for right in verdicts.values())


def _left_out(verdicts: Verdicts, totals: Mapping[str, int], repeats: int) -> float:
    """Of one problem: each repeat in turn, by the worker that the other repeats speak for.

    Where they speak for several, the one that is better at all other problems is picked; this
    problem has no part in that, or its luck would come back.
    """
    right = 0
    for left_out in range(repeats):
        picked = max(
            verdicts,
            key=lambda name: (
                sum(verdicts[name]) - verdicts[name][left_out],
                totals[name] - sum(verdicts[name]),
            ),
        )
        right += verdicts[picked][left_out]
    return right / repeats
