"""What a trained policy in the lab has to reach, said of a table's lines one by one.

The bars are stated before the runs, so that a table cannot be read to suit its result. A policy is
held against the warm start in its own way of answering: greedy against greedy, sampled against
sampled.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from partbook.train.reproduce import Line

__all__ = ["Bar", "bars", "bars_text"]

ABOVE_SINGLE = 0.15
"""How much better than the best single worker a policy must be."""

ABOVE_WARM = 0.15
"""How much accuracy given a valid workflow must rise: a gain that is no gain in format."""

VALID = 0.98
"""Share of texts that must hold a workflow."""

BITS = 0.5
"""Share of the optimum's worker entropy that must be left: less is a collapse."""

REGRET = 0.5
"""Share of the warm start's regret that may be left."""


class Bar(NamedTuple):
    """One bar for one policy."""

    system: str
    what: str
    found: float
    wanted: float
    holds: bool


def bars(lines: Sequence[Line]) -> list[Bar]:
    """Hold every trained policy of a table against the bars.

    Args:
        lines: of `reproduce.comparison`.
    """
    by_name = {line.system: line for line in lines}
    single = next(line for line in lines if line.system.startswith("best single worker"))
    constant = next(line for line in lines if line.system.startswith("best constant plan"))
    found: list[Bar] = []
    for line in lines:
        name, _, way = line.system.partition(", ")
        if name.startswith("seed "):
            warm = by_name[f"warm start, {way}"]
            found += _of(line, warm, single, constant, by_name["optimum"])
    return found


def _of(line: Line, warm: Line, single: Line, constant: Line, optimum: Line) -> Iterator[Bar]:
    def at_least(what: str, value: float | None, wanted: float) -> Bar:
        value = value or 0.0
        return Bar(line.system, what, value, wanted, value >= wanted)

    yield at_least("above best single", line.accuracy, single.accuracy + ABOVE_SINGLE)
    more = line.accuracy > constant.accuracy
    yield Bar(line.system, "above best constant", line.accuracy, constant.accuracy, more)
    yield at_least("given valid", line.given_valid, (warm.given_valid or 0.0) + ABOVE_WARM)
    yield at_least("valid", line.valid, VALID)
    yield at_least("worker bits", line.worker_bits, BITS * (optimum.worker_bits or 0.0))
    left = REGRET * (warm.regret or 0.0)
    regret = line.regret or 0.0
    yield Bar(line.system, "regret at most", regret, left, regret <= left)


def bars_text(found: Sequence[Bar]) -> str:
    """The bars as a Markdown table."""
    text = ["| policy | bar | wanted | found | holds |", "|---|---|---|---|---|"]
    text += [
        f"| {bar.system} | {bar.what} | {bar.wanted:.3f} | {bar.found:.3f} "
        f"| {'yes' if bar.holds else 'no'} |"
        for bar in found
    ]
    return "\n".join(text) + "\n"
