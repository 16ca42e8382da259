"""Desk: one worker in the simulated world, with its limits in the order of a real one.

A call takes a turn, is refused while the worker is left alone, waits until it fits into the minute,
and then is with the provider. That order is the one of `cli/opening.py`: who waits for the minute
holds a turn. Tries after the first, and their waits, are decided by the very rules of `retry.py`.
"""

import random
from collections.abc import Mapping
from decimal import Decimal

from partbook.errors import FaultKind, WorkerError
from partbook.message import Usage
from partbook.retry import RetryPolicy
from partbook.simulate.figures import Call, Calls, WorkerFigures
from partbook.simulate.limits import Entry, Fuse, Minute, Turns
from partbook.simulate.world import Work, World

__all__ = ["Desk", "Room", "desks_in"]

_POLICY = RetryPolicy()

_RESERVED = 4 / 3
"""What a minute holds back for a token that is read: a token has about four bytes, and three bytes
are counted as one (`models/paced.py`)."""


class Desk:
    """A worker that can be asked; it keeps count of what it does."""

    def __init__(self, world: World, figures: WorkerFigures, rng: random.Random) -> None:
        self.figures = figures
        self.turns = Turns(world, figures.max_concurrency)
        self.calls = 0
        """Made, failed ones included."""
        self.faults = 0
        self.usage = Usage()
        self.usd: Decimal | None = Decimal(0)
        """None: unknown."""
        self.waits_s: list[float] = []
        """Of each call, before it was with the provider."""
        self.served_s = 0.0
        """Seconds with the provider, of all calls together."""
        self._world = world
        self._rng = rng
        self._fuse = Fuse(lambda: world.now_s) if figures.has_breaker else None
        self._costs: dict[int, tuple[Call, Decimal | None]] = {}
        self._minute: Minute | None = None
        if figures.requests_per_minute is not None or figures.tokens_per_minute is not None:
            self._minute = Minute(world, figures.requests_per_minute, figures.tokens_per_minute)
        provider = figures.provider
        self.provider = None if provider is None else Turns(world, provider.concurrency)

    def call(self, calls: Calls | None = None) -> Work[tuple[WorkerError | None, float]]:
        """Make one call.

        Args:
            calls: what it takes; None: what the worker's own calls take.

        Returns:
            How it failed, None where it did not; and its seconds with the provider.
        """
        begun_s = self._world.now_s
        yield from self.turns.take()
        try:
            trial = False if self._fuse is None else self._fuse.admit()
            if trial is None:
                return WorkerError("left alone", kind="unavailable"), 0.0
            try:
                fault, seconds = yield from self._paced(calls or self.figures.calls, begun_s)
            except GeneratorExit:
                if self._fuse is not None:
                    self._fuse.drop(trial)
                raise
            if self._fuse is not None:
                self._fuse.note(None if fault is None else fault.kind, trial)
            return fault, seconds
        finally:
            self.turns.give()

    def wait_s(self, fault: WorkerError, attempt: int) -> float | None:
        """How long to wait before the next try; None: there is none."""
        return _POLICY.wait_s(fault, attempt, self.figures.retries, self._rng)

    def _paced(self, calls: Calls, begun_s: float) -> Work[tuple[WorkerError | None, float]]:
        call = calls.draw(self._rng)
        entry: Entry | None = None
        if self._minute is not None:
            read = int(call.usage.prompt_tokens * _RESERVED)
            entry = yield from self._minute.enter(read + self.figures.max_tokens)
        self.waits_s.append(self._world.now_s - begun_s)
        self.calls += 1
        fault, seconds = yield from self._provided(call)
        if entry is not None and self._minute is not None:
            answered = fault is None or fault.kind == "timeout"
            self._minute.settle(entry, call.usage.total_tokens if answered else 0)
        self.faults += fault is not None
        return fault, seconds

    def _provided(self, call: Call) -> Work[tuple[WorkerError | None, float]]:
        """What the other side does with a call."""
        begun_s, provider = self._world.now_s, self.provider
        limit = self.figures.provider
        if provider is not None and limit is not None:
            if limit.refuses and not provider.is_free:
                after_s = limit.retry_after_s
                return WorkerError("refused", kind="rate_limit", retry_after_s=after_s), 0.0
            yield from provider.take()
        try:
            kind = self._fault()
            if kind is None:
                self._count(call)  # at once: who cuts it off may have to pay for it
            patience_s = self.figures.timeout_s - (self._world.now_s - begun_s)
            seconds = min(call.seconds, max(0.0, patience_s))
            self.served_s += seconds
            yield seconds
            if kind is None and call.seconds > patience_s:
                kind = "timeout"
        finally:
            if provider is not None:
                provider.give()
        return None if kind is None else WorkerError("failed", kind=kind), seconds

    def _fault(self) -> FaultKind | None:
        if not self.figures.faults:
            return None
        drawn = self._rng.random()
        for kind, share in self.figures.faults.items():
            drawn -= share
            if drawn < 0:
                return kind
        return None

    def _count(self, call: Call) -> None:
        self.usage += call.usage
        known = self._costs.get(id(call.usage))
        if known is None:
            known = self._costs[id(call.usage)] = call, self.figures.cost_usd(call.usage)
        usd = known[1]
        self.usd = None if self.usd is None or usd is None else self.usd + usd


Room = Mapping[str, Desk]
"""Everybody who can be asked, by name; the Conductor may be there twice, as a worker, too."""


def desks_in(room: Room) -> list[Desk]:
    """Each desk once."""
    return list({desk.figures.name: desk for desk in room.values()}.values())
