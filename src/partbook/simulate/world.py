"""World: a clock that jumps from one event to the next, and tasks that wait for it.

A task is a generator. What it yields, it waits for: a number is so many seconds, an `Event` is
until somebody fires it. Nothing is random here and nothing takes real time; what is due at the same
moment happens in the order in which it was begun, as in an event loop.
"""

import heapq
from collections.abc import Callable, Generator
from itertools import count
from math import inf
from typing import Any, TypeVar

__all__ = ["Event", "Task", "Work", "World"]

T = TypeVar("T")

Work = Generator["float | Event", None, T]
"""What a task does; it ends with a T."""


class Event:
    """Something that happens once."""

    __slots__ = ("_waiting", "_world", "fired")

    def __init__(self, world: "World") -> None:
        self._world = world
        self._waiting: list[Task] = []
        self.fired = False

    def fire(self) -> None:
        """Let it happen; those who wait go on at this moment. A second time does nothing."""
        if self.fired:
            return
        self.fired = True
        for task in self._waiting:
            self._world.at(0.0, task.go_on)
        self._waiting.clear()

    def wake(self, task: "Task") -> None:
        """Let a task go on once it has happened."""
        if self.fired:
            self._world.at(0.0, task.go_on)
        else:
            self._waiting.append(task)


class Task:
    """Work that has begun."""

    __slots__ = ("_over", "_work", "_world", "done")

    def __init__(self, world: "World", work: Work[Any]) -> None:
        self._world = world
        self._work = work
        self._over = False
        self.done = Event(world)
        """Fired when it ends, by itself or not."""
        world.at(0.0, self.go_on)

    def go_on(self) -> None:
        """Do what is to be done until the next wait; nothing where it has ended."""
        if self._over:
            return
        try:
            wanted = next(self._work)
        except StopIteration:
            self._end()
            return
        if isinstance(wanted, Event):
            wanted.wake(self)
        else:
            self._world.at(wanted, self.go_on)

    def cancel(self) -> None:
        """End it where it waits; its `finally` blocks are carried out."""
        if not self._over:
            self._end()
            self._work.close()

    def _end(self) -> None:
        self._over = True
        self.done.fire()


class World:
    """The clock, and what is due when."""

    __slots__ = ("_due", "_order", "now_s")

    def __init__(self) -> None:
        self.now_s = 0.0
        """Seconds since the beginning."""
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._order = count()

    def at(self, wait_s: float, act: Callable[[], None]) -> None:
        """Do something so many seconds from now."""
        heapq.heappush(self._due, (self.now_s + wait_s, next(self._order), act))

    def begin(self, work: Work[Any]) -> Task:
        """Begin a task, at this moment but after what is under way."""
        return Task(self, work)

    def run(self, until_s: float = inf) -> None:
        """Let everything happen that is due until then, or until nothing is due any more."""
        due = self._due
        while due and due[0][0] <= until_s:
            self.now_s, _, act = heapq.heappop(due)
            act()
        if until_s < inf:
            self.now_s = max(self.now_s, until_s)
