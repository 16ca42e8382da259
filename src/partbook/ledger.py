"""The ledger: every call of a run as an entry, and sums in which unknown is never nothing.

An entry is what the trace says of one call: the Conductor's, each try of a step, its answer. The
sums keep what is known apart from how much is not, so that a report can show both.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Literal

from partbook.message import Usage
from partbook.price import EXACT, Price
from partbook.step_trace import StepTrace
from partbook.trace import Trace

__all__ = ["CONDUCTOR", "Costs", "Entry", "Grouping", "Total", "entries_of"]

CONDUCTOR = "(conductor)"
"""Who is named where the Conductor was asked; the brackets tell it from a worker of that name."""

Grouping = Literal["day", "worker", "model", "task"]
"""What costs are summed by. Days are those of UTC, as on providers' bills."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What one call took; or what a step took that made no call."""

    worker: str
    """Who was asked: a name, or `CONDUCTOR`."""
    model: str
    """Who really answered; empty where nobody did."""
    calls: int
    """0 where none was made: a limit forbade it, or the answer was kept from before."""
    usage: Usage | None
    cost_usd: Decimal | None
    price: Price | None
    """The unit prices that `cost_usd` was computed with."""

    @property
    def agrees(self) -> bool:
        """Whether the cost is what usage and unit prices come to; unknown ones cannot disagree."""
        if self.usage is None or self.price is None or self.cost_usd is None or not self.calls:
            return True
        return self.price.cost_usd(self.usage) == self.cost_usd


def entries_of(trace: Trace) -> Iterator[Entry]:
    """Every call of a run, failed ones and those of the Conductor included."""
    for round_ in trace.rounds:
        for text in round_.proposals:
            yield Entry(CONDUCTOR, text.model, text.calls, text.usage, text.cost_usd, text.price)
        for check in round_.checks:
            cost, price = check.cost_usd, check.price
            yield Entry(check.worker, check.model, check.calls, check.usage, cost, price)
        for step in round_.steps:
            yield from _entries_of_step(step)


def _entries_of_step(step: StepTrace) -> Iterator[Entry]:
    calls = step.calls
    for attempt in step.attempts:
        calls -= attempt.calls
        yield Entry(
            attempt.worker, "", attempt.calls, attempt.usage, attempt.cost_usd, attempt.price
        )
    by = step.answered_by or step.worker
    yield Entry(by, step.model, calls, step.usage, step.cost_usd, step.price)


@dataclass(slots=True)
class Total:
    """The sum of entries."""

    runs: int = 0
    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    known_usd: Decimal = field(default_factory=Decimal)
    """Exact sum of the costs that are known."""
    unknown_usage: int = 0
    """Calls whose tokens are unknown, and so in none of the sums."""
    unknown_cost: int = 0
    """Calls whose cost is unknown, and so not in the sum."""

    @property
    def cost_usd(self) -> Decimal | None:
        """The whole cost; None as soon as one call's is unknown."""
        return None if self.unknown_cost else self.known_usd

    def add(self, entry: Entry) -> None:
        """Take one more entry."""
        self.calls += entry.calls
        usage = entry.usage
        if usage is None:
            self.unknown_usage += entry.calls
        else:
            self.prompt_tokens += usage.prompt_tokens
            self.cached_tokens += usage.cached_tokens
            self.cache_write_tokens += usage.cache_write_tokens
            self.completion_tokens += usage.completion_tokens
            self.reasoning_tokens += usage.reasoning_tokens
        if entry.cost_usd is None:
            self.unknown_cost += entry.calls
        else:
            self.known_usd = EXACT.add(self.known_usd, entry.cost_usd)


class Costs:
    """Sums of runs by day, worker, model or task. Takes runs one by one and keeps none."""

    def __init__(self, by: Grouping) -> None:
        self._by = by
        self._totals: dict[str, Total] = {}
        self.total = Total()

    def add(self, trace: Trace, task: str | None = None) -> None:
        """Take one more run."""
        self.add_entries(entries_of(trace), trace.started_at, task)

    def add_entries(self, entries: Iterable[Entry], started_at: float, task: str | None) -> None:
        """Take one more run, of which only its entries are left.

        Args:
            entries: as `entries_of` gives them.
            started_at: in seconds since the epoch.
            task: None: none.
        """
        self.total.runs += 1
        seen: set[str] = set()
        # A run without any call belongs to a day and a task all the same.
        if self._by in ("day", "task"):
            self._count_run(self._key(started_at, task), seen)
        for entry in entries:
            key = self._key_of(entry) if self._by in ("worker", "model") else next(iter(seen))
            self._count_run(key, seen)
            self._totals[key].add(entry)
            self.total.add(entry)

    @property
    def groups(self) -> Mapping[str, Total]:
        """Sums by key, in the keys' order; an empty key stands for what is not known."""
        return dict(sorted(self._totals.items()))

    def _key(self, started_at: float, task: str | None) -> str:
        if self._by == "task":
            return task or ""
        return datetime.fromtimestamp(started_at, UTC).date().isoformat()

    def _key_of(self, entry: Entry) -> str:
        return entry.worker if self._by == "worker" else entry.model

    def _count_run(self, key: str, seen: set[str]) -> None:
        if key not in seen:
            seen.add(key)
            self._totals.setdefault(key, Total()).runs += 1
