"""Second look: what a second round is worth, beside a plain second sample at the same cost.

A policy that looks again at its answers is better only if it mends more than it spoils, and only
if it mends more than simply trying again would: a fresh first round costs as much and knows
nothing of the first. Both are asked of the same problems, and told apart by whether the first
round was right.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from partbook.lab.table import interval
from partbook.train.environment import Environment, Outcome
from partbook.train.policy import Net, rollouts
from partbook.train.preset import Preset
from partbook.train.recursion import answered
from partbook.train.row import Row

__all__ = ["Looked", "SecondLook", "Share", "looked_again", "second_look", "stands", "told_apart"]


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many, with Wilson's 95 % interval."""

    right: int
    of: int
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class SecondLook:
    """What came of first rounds, of second rounds, and of fresh first rounds."""

    problems: int
    """Those that all three have a verdict on."""
    first: Share
    second: Share
    """The answers that stand after the second round."""
    fresh: Share
    second_where_wrong: Share
    """Of the problems whose first round was wrong."""
    fresh_where_wrong: Share
    second_where_right: Share
    """Of the problems whose first round was right: what is missing was spoiled."""
    fresh_where_right: Share
    kept: float
    """Share of the second rounds that kept the answer."""
    calls: tuple[float, float, float]
    """Worker calls a problem: of first rounds, of both rounds, of first and fresh rounds."""


class Looked(NamedTuple):
    """Outcomes of the same rows."""

    first: list[Outcome]
    second: list[Outcome]
    fresh: list[Outcome]


def second_look(
    net: Net,
    preset: Preset,
    environment: Environment,
    rows: Sequence[Row],
    seed: int | None,
) -> SecondLook:
    """Let a policy answer every row in a first round, in a second, and once afresh.

    Args:
        net: the policy.
        preset: says how it is asked.
        environment: plays and judges.
        rows: the problems.
        seed: of draws at temperature 1; None: first and second rounds take the likeliest tokens.
            Fresh rounds are always drawn: a policy that writes the same again tries nothing.
    """
    return told_apart(*looked_again(net, preset, environment, rows, seed))


def looked_again(
    net: Net,
    preset: Preset,
    environment: Environment,
    rows: Sequence[Row],
    seed: int | None,
) -> Looked:
    """The outcomes of first, second and fresh rounds, one a row each; as `second_look`."""
    first = rollouts(net, preset, environment, rows, seed)
    before = [answered(outcome) for outcome in first]
    later = None if seed is None else seed + 1
    second = rollouts(net, preset, environment, rows, later, before)
    fresh = rollouts(net, preset, environment, rows, (seed or 0) + 2)
    return Looked(first, second, fresh)


def told_apart(
    first: Sequence[Outcome], second: Sequence[Outcome], fresh: Sequence[Outcome]
) -> SecondLook:
    """The figures of three outcomes a problem, those without a verdict left out.

    A second round whose text holds no workflow leaves the first answer standing, as it does where
    a user asks.
    """
    judged = [
        (one, two, three)
        for one, two, three in zip(first, second, fresh, strict=True)
        if None not in (one.reward, two.reward, three.reward)
    ]
    were = [_is_right(one) for one, _, _ in judged]
    after = [_is_right(stands(one, two)) for one, two, _ in judged]
    anew = [_is_right(three) for _, _, three in judged]
    calls = [sum(_calls(outcome) for outcome in column) for column in zip(*judged, strict=True)]
    count = max(1, len(judged))
    of_first, of_both, of_fresh = calls or [0, 0, 0]
    return SecondLook(
        len(judged),
        _share(were),
        _share(after),
        _share(anew),
        _share([a for a, w in zip(after, were, strict=True) if not w]),
        _share([a for a, w in zip(anew, were, strict=True) if not w]),
        _share([a for a, w in zip(after, were, strict=True) if w]),
        _share([a for a, w in zip(anew, were, strict=True) if w]),
        sum(two.kept for _, two, _ in judged) / count,
        (of_first / count, of_both / count, (of_first + of_fresh) / count),
    )


def stands(first: Outcome, second: Outcome) -> Outcome:
    """Whose answer stands after two rounds."""
    return first if second.verdict == "unparsed" and answered(first) else second


def _is_right(outcome: Outcome) -> bool:
    return outcome.verdict == "right"


def _calls(outcome: Outcome) -> int:
    rounds = () if outcome.trace is None else outcome.trace.rounds
    return sum(step.calls for round_ in rounds for step in round_.steps)


def _share(found: Sequence[bool]) -> Share:
    if not found:
        return Share(0, 0, 0.0, 1.0)
    low, high = interval(sum(found), len(found))
    return Share(sum(found), len(found), low, high)
