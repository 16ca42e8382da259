"""GroupQueue: groups that are in flight while the policy writes the next ones and learns.

Every step writes as many groups as it learns from, and before the first of them `ahead` more. A
step learns from all groups that were in flight before it, and fills up with those of its own that
are played first; the others stay in flight. So no group is older than one update, every group is
learned from once, and what is waited for is only the quicker part of what was just begun.

Which groups come first is a matter of time where `ahead` is less than a step. Where it is a whole
step, groups are taken as the run has them, and a run is the same every time. Nothing here knows
what a group holds.
"""

import time
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future
from concurrent.futures import wait as wait_for
from dataclasses import dataclass, field
from typing import Generic, TypeVar

__all__ = ["Clock", "GroupQueue", "InFlight", "Taken"]

T = TypeVar("T")
R = TypeVar("R")

_WIND_UP_S = 1.0
"""How long a group that is cut off may take to say what it has spent."""


class Clock:
    """Time as it passes; a test has another."""

    def now(self) -> float:
        """Seconds that only grow."""
        return time.monotonic()

    def wait(self, futures: "Iterable[Future[R]]", timeout_s: float | None) -> None:
        """Until the first of some futures is done, or the time is over."""
        wait_for(list(futures), timeout_s, return_when=FIRST_COMPLETED)


@dataclass(eq=False, slots=True)
class InFlight(Generic[T, R]):
    """A group whose workflows are played."""

    index: int
    """Of the group in the order of the run."""
    step: int
    """Updates that the policy had made when it wrote the group."""
    group: T
    result: "Future[R]"
    until: float | None = None
    """When it must be over, by the queue's clock; later, something blocks it. None: no limit."""
    cut: Callable[[], None] = lambda: None
    """Ends it, so that its result is soon there, as far as it came."""
    place: int | None = None
    """Its place in the order in which groups were over; None: it is not."""
    late: bool = False
    """Whether it was cut off."""


@dataclass(frozen=True, slots=True)
class Taken(Generic[T, R]):
    """A group that a step learns from."""

    index: int
    step: int
    group: T
    result: R | None
    """None: it was cut off and said nothing more."""
    late: bool
    """Whether it was cut off."""


@dataclass
class GroupQueue(Generic[T, R]):
    """The groups of a run, or of one process's share of it."""

    size: int
    """Groups of a step."""
    ahead: int
    """Groups that stay in flight after a step, 0 to `size`."""
    total: int
    """Groups of the run."""
    patience_s: float = 0.0
    """How long a step waits before it cuts off what it needs; 0: as long as a group may take."""
    clock: Clock = field(default_factory=Clock)
    next: int = 0
    """Index of the group that is written next."""
    waited_s: float = 0.0
    """Time that went by in waiting, over all steps."""
    flying: "list[InFlight[T, R]]" = field(default_factory=list)
    _over: int = 0

    def due(self, step: int) -> range:
        """Indices of the groups that are to be written in a step, before anything is taken."""
        return range(self.next, min(self.total, (step + 1) * self.size + self.ahead))

    def put(self, group: "InFlight[T, R]") -> None:
        """Take in a group that has just been begun."""
        self.next = group.index + 1
        self.flying.append(group)
        group.result.add_done_callback(lambda _: self._note(group))

    def _note(self, group: "InFlight[T, R]") -> None:
        # Called in the thread that plays; nothing else writes these two.
        group.place, self._over = self._over, self._over + 1

    def take(self, step: int) -> "list[Taken[T, R]]":
        """Wait for the groups that a step learns from, and hand them over in the order of the run.

        Args:
            step: updates that the policy has made.

        Returns:
            `size` groups, or all that are left. Groups of an earlier step are always among them.

        Raises:
            ValueError: a group is older than one update: a step was left out.
        """
        old = [group for group in self.flying if group.step < step]
        if any(group.step < step - 1 for group in old):
            raise ValueError("a group is older than one update")
        fresh = [group for group in self.flying if group.step == step]
        wanted = min(self.size - len(old), len(fresh))
        if self.ahead == self.size:
            fresh = fresh[:wanted]
        self._wait(old, fresh, wanted)
        fresh.sort(key=_order)
        chosen = sorted(old + fresh[:wanted], key=lambda group: group.index)
        self.flying = [group for group in self.flying if group not in chosen]
        return self._settled(chosen)

    def settle(self) -> None:
        """Wait until everything in flight is over, and cut off what takes too long.

        A checkpoint does so: what it holds has been paid for, and need not be played again.
        """
        self._wait(self.flying, [], 0)
        self._cut([group for group in self.flying if not group.result.done()])

    def close(self) -> None:
        """End what is in flight; nobody will take it."""
        self._cut([group for group in self.flying if not group.result.done()])
        self.flying = []

    def _wait(
        self, old: "list[InFlight[T, R]]", fresh: "list[InFlight[T, R]]", wanted: int
    ) -> None:
        began = self.clock.now()
        while True:
            open_old = [group for group in old if not group.result.done()]
            open_fresh = [group for group in fresh if not group.result.done()]
            if not open_old and len(fresh) - len(open_fresh) >= wanted:
                break
            still = open_old + open_fresh
            ends = [group.until for group in still if group.until is not None]
            limits = [max(ends)] if len(ends) == len(still) else []
            if self.patience_s:
                limits.append(began + self.patience_s)
            left = min(limits) - self.clock.now() if limits else None
            if left is not None and left <= 0:
                break
            self.clock.wait([group.result for group in still], left)
        self.waited_s += self.clock.now() - began

    def _cut(self, groups: "list[InFlight[T, R]]") -> None:
        for group in groups:
            group.late = True
            group.cut()
        end = self.clock.now() + _WIND_UP_S
        while (still := [group.result for group in groups if not group.result.done()]) and (
            left := end - self.clock.now()
        ) > 0:
            self.clock.wait(still, left)

    def _settled(self, chosen: "list[InFlight[T, R]]") -> "list[Taken[T, R]]":
        self._cut([group for group in chosen if not group.result.done()])
        return [
            Taken(
                group.index,
                group.step,
                group.group,
                group.result.result() if group.result.done() else None,
                group.late,
            )
            for group in chosen
        ]


def _order(group: "InFlight[T, R]") -> tuple[bool, bool, int, int]:
    """Those that are over first, in the order in which they were; then as the run has them.

    A group that was over just now may not have its place yet: another thread gives it one.
    """
    return (not group.result.done(), group.place is None, group.place or 0, group.index)
