"""What a simulation found: quantiles, use of limits, and the spread over seeds.

Who is full first is no guess: a limit, divided by what a request asks of it, is the rate of
requests at which it would be reached.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from partbook.models.paced import WINDOW_S
from partbook.simulate.desk import Desk
from partbook.simulate.figures import Limit

__all__ = ["Bound", "Mark", "Span", "Use", "bounds_of", "mean_usd", "percentile", "use_of"]


def percentile(values: Sequence[float], share: float) -> float:
    """The value that this share of the sorted values does not exceed; nan where there are none.

    >>> percentile([1.0, 2.0, 3.0, 4.0], 0.5), percentile([1.0, 2.0, 3.0, 4.0], 0.95)
    (2.0, 4.0)
    """
    if not values:
        return math.nan
    return values[min(len(values) - 1, max(0, math.ceil(share * len(values)) - 1))]


class Span(NamedTuple):
    """A figure over several seeds."""

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Span":
        """Mean, smallest and largest of at least one value."""
        return cls(sum(values) / len(values), min(values), max(values))


class Bound(NamedTuple):
    """The rate of requests at which something would be full."""

    worker: str
    limit: Limit
    per_s: float


@dataclass(frozen=True, slots=True)
class Use:
    """What one worker did."""

    worker: str
    source: str
    """Where its figures are from."""
    calls: float
    """Per request, failed ones included."""
    faults: float
    """Share of its calls that failed."""
    busy: float
    """Share of its turns that were taken, 0 to 1."""
    requests: float | None
    """Share of its requests a minute that were made; None: it has no such limit."""
    tokens: float | None
    """Likewise of its tokens a minute."""
    provider: float | None
    """Likewise of what the other side does at once."""
    wait_s: float
    """Mean wait of a call, for a turn and for the minute."""
    wait_p95_s: float
    peak_waiting: int
    """Most calls that waited for a turn at one moment."""
    usd: Decimal | None
    """Of all its calls; None: unknown."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What a worker had done at a moment."""

    seconds: float
    """Since the beginning, above 0."""
    calls: int
    tokens: int
    busy_s: float
    """Of all its turns together."""
    served_s: float
    usd: Decimal | None

    @classmethod
    def of(cls, desk: Desk, seconds: float) -> "Mark":
        """What it has done until now."""
        tokens, busy_s = desk.usage.total_tokens, desk.turns.busy_s
        return cls(seconds, desk.calls, tokens, busy_s, desk.served_s, desk.usd)


def use_of(desk: Desk, mark: Mark, requests: int) -> Use:
    """What a worker did in a simulation.

    Args:
        desk: the worker, at the end.
        mark: what it had done when the last request came: shares of limits are those until then.
        requests: how many were played.
    """
    figures, calls = desk.figures, desk.calls
    waits = sorted(desk.waits_s)
    minutes = mark.seconds / WINDOW_S
    a_minute, tokens_a_minute = figures.requests_per_minute, figures.tokens_per_minute
    provider = figures.provider
    return Use(
        figures.name,
        figures.calls.source,
        calls=calls / max(1, requests),
        faults=desk.faults / max(1, calls),
        busy=mark.busy_s / (figures.max_concurrency * mark.seconds),
        requests=None if a_minute is None else mark.calls / (a_minute * minutes),
        tokens=None if tokens_a_minute is None else mark.tokens / (tokens_a_minute * minutes),
        provider=None
        if provider is None
        else mark.served_s / (provider.concurrency * mark.seconds),
        wait_s=sum(waits) / max(1, len(waits)),
        wait_p95_s=percentile(waits, 0.95) if waits else 0.0,
        peak_waiting=desk.turns.peak_waiting,
        usd=desk.usd,
    )


def bounds_of(desk: Desk, requests: int) -> list[Bound]:
    """The rates of requests at which a worker's limits would be reached.

    Args:
        desk: a worker that so many requests have asked all that they wanted.
        requests: how many.
    """
    figures, calls = desk.figures, desk.calls
    if not calls or not requests:
        return []
    name, per_request = figures.name, calls / requests
    served_s = desk.served_s / calls
    found = []
    if served_s:
        found.append(Bound(name, "concurrency", figures.max_concurrency / (per_request * served_s)))
        if figures.provider is not None:
            at_once = figures.provider.concurrency
            found.append(Bound(name, "the provider", at_once / (per_request * served_s)))
    if figures.requests_per_minute is not None:
        a_second = figures.requests_per_minute / WINDOW_S
        found.append(Bound(name, "requests a minute", a_second / per_request))
    if figures.tokens_per_minute is not None and desk.usage.total_tokens:
        # Until an answer is there, the most that it may have is held back in its stead.
        share = min(1.0, served_s / WINDOW_S)
        answered = max(1, calls - desk.faults)
        held = desk.usage.prompt_tokens / answered + figures.max_tokens
        mean = desk.usage.total_tokens / answered
        counted = min(mean * (1 - share) + held * share, figures.tokens_per_minute)
        a_second = figures.tokens_per_minute / WINDOW_S
        found.append(Bound(name, "tokens a minute", a_second / (per_request * counted)))
    return found


def mean_usd(values: Sequence[Decimal | None]) -> Span | None:
    """Dollars over several seeds; None: unknown."""
    known = [float(value) for value in values if value is not None]
    return Span.of(known) if len(known) == len(values) and known else None
