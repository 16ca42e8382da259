"""The limits in front of a worker, by the rules of `models/`: turns, a minute, a breaker.

`Turns` does in a simulated world what `models/limited.py` does in an event loop, `Minute` what
`models/paced.py` does, and `Fuse` what `models/breaker.py` does. They keep count of what a person
wants to know afterwards: how much of a limit was used.
"""

from collections import deque
from collections.abc import Callable

from partbook.errors import FaultKind
from partbook.models.breaker import COOL_DOWN_S, FAILURES
from partbook.models.paced import WINDOW_S
from partbook.retry import REACTIONS
from partbook.simulate.world import Event, Work, World

__all__ = ["Entry", "Fuse", "Minute", "Turns"]

_ROUNDING_S = 1e-9
"""A wait of less would not move the clock."""


class Turns:
    """At most so many at once; the others wait in the order in which they came."""

    __slots__ = ("_busy_s", "_changed_s", "_queue", "_world", "in_use", "most", "peak_waiting")

    def __init__(self, world: World, most: int) -> None:
        self._world = world
        self._queue: deque[Event] = deque()
        self._busy_s = 0.0
        self._changed_s = 0.0
        self.most = most
        self.in_use = 0
        self.peak_waiting = 0

    @property
    def is_free(self) -> bool:
        """Whether nobody would have to wait."""
        return self.in_use < self.most and not self._queue

    @property
    def busy_s(self) -> float:
        """Seconds of all turns together, so far."""
        return self._busy_s + self.in_use * (self._world.now_s - self._changed_s)

    def take(self) -> Work[None]:
        """Wait for a turn."""
        if self.is_free:
            self._count(1)
            return
        turn = Event(self._world)
        self._queue.append(turn)
        self.peak_waiting = max(self.peak_waiting, len(self._queue))
        try:
            yield turn
        except GeneratorExit:  # who gives up its place must not take a turn with it
            if turn.fired:
                self.give()
            else:
                self._queue.remove(turn)
            raise

    def give(self) -> None:
        """End a turn; whoever waits longest has it next."""
        if self._queue:
            self._queue.popleft().fire()
        else:
            self._count(-1)

    def _count(self, change: int) -> None:
        self._busy_s = self.busy_s
        self._changed_s = self._world.now_s
        self.in_use += change


class Entry:
    """A call in the minute."""

    __slots__ = ("at_s", "inside", "tokens")

    def __init__(self, at_s: float, tokens: int) -> None:
        self.at_s = at_s
        self.tokens = tokens
        self.inside = True


class Minute:
    """At most so many requests and tokens in any window of 60 seconds."""

    def __init__(self, world: World, requests: int | None, tokens: int | None) -> None:
        self._world = world
        self._requests = requests
        self._tokens = tokens
        self._calls: deque[Entry] = deque()
        self._spent = 0
        self._turn = Turns(world, 1)
        self._changed = Event(world)

    def enter(self, tokens: int) -> Work[Entry]:
        """Wait until a call fits in that takes so many tokens at most."""
        tokens = tokens if self._tokens is None else min(tokens, self._tokens)
        yield from self._turn.take()
        try:
            while (wait_s := self._wait_s(tokens)) > 0:
                self._changed = changed = Event(self._world)
                self._world.at(wait_s, changed.fire)
                yield changed
            call = Entry(self._world.now_s, tokens)
            self._calls.append(call)
            self._spent += tokens
            return call
        finally:
            self._turn.give()

    def settle(self, call: Entry, tokens: int) -> None:
        """Put what a call really took in the place of the most it might have taken."""
        if self._tokens is not None and call.inside:
            self._spent += tokens - call.tokens
            call.tokens = tokens
            self._changed.fire()

    def _wait_s(self, tokens: int) -> float:
        now_s, calls = self._world.now_s, self._calls
        while calls and calls[0].at_s + WINDOW_S <= now_s + _ROUNDING_S:
            gone = calls.popleft()
            gone.inside = False
            self._spent -= gone.tokens
        if not calls:
            return 0.0
        full = self._requests is not None and len(calls) >= self._requests
        if self._tokens is not None and self._spent + tokens > self._tokens:
            full = True
        return calls[0].at_s + WINDOW_S - now_s if full else 0.0


class Fuse:
    """Leaves a worker alone for a while after it has failed several times in a row."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._in_a_row = 0
        self._open_until: float | None = None
        self._trying = False

    def admit(self) -> bool | None:
        """Whether a call is the one that decides; None: it is not to be made."""
        if self._open_until is None:
            return False
        if self._trying or self._clock() < self._open_until:
            return None
        self._trying = True
        return True

    def note(self, fault: FaultKind | None, trial: bool) -> None:
        """Take note of how a call ended; None: it was answered."""
        if trial:
            self._trying = False
        trips = "no" if fault is None else REACTIONS[fault].trips
        if trips == "no":
            if fault is None or trial:
                self._in_a_row = 0
                self._open_until = None
            return
        self._in_a_row += 1
        if trial or trips == "at once" or self._in_a_row >= FAILURES:
            self._open_until = self._clock() + COOL_DOWN_S

    def drop(self, trial: bool) -> None:
        """A call was cut off; it decides nothing."""
        if trial:
            self._trying = False
