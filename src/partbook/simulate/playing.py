"""Plays one request by the executor's rules: propose, play, and perhaps another round.

A step begins as soon as the answers on its access list are there (`execute.py`). A worker that
fails is asked again, then its fallbacks are (`perform.py`); the first step without an answer ends
the run and cuts the others off. What is left out: a limit of calls, tokens or dollars, and a round
that follows because a worker failed.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from partbook.ledger import CONDUCTOR
from partbook.simulate.desk import Room
from partbook.simulate.figures import ANYBODY, Calls, Plan, PlannedRound, PlannedStep
from partbook.simulate.limits import Turns
from partbook.simulate.world import Event, Task, Work, World

__all__ = ["Played", "Player"]


@dataclass(slots=True)
class Played:
    """What became of one request."""

    begun_s: float
    status: Literal["running", "answered", "failed", "timeout"] = "running"
    ended_s: float = 0.0
    unhindered_s: float = 0.0
    """How long it would have taken, had nobody waited for anything but answers."""

    @property
    def seconds(self) -> float:
        """From its coming to its end."""
        return self.ended_s - self.begun_s


class Player:
    """Plays requests in one world, on the same desks."""

    def __init__(
        self,
        world: World,
        room: Room,
        rng: random.Random,
        timeout_s: float | None,
        processor: Turns | None = None,
        cpu_s: float = 0.0,
        proposals: Calls | None = None,
    ) -> None:
        """Set the stage.

        Args:
            world: the clock.
            room: everybody who is asked, the Conductor under `CONDUCTOR`.
            rng: draws who is anybody.
            timeout_s: deadline of a request; None: none.
            processor: the processes in which requests are played; None: they take no time.
            cpu_s: what each call takes there.
            proposals: what the Conductor's calls take; None: what its desk says.
        """
        self._world = world
        self._room = room
        self._anybody = [name for name in room if name != CONDUCTOR]
        self._rng = rng
        self._timeout_s = timeout_s
        self._processor = processor
        self._cpu_s = cpu_s
        self._proposals = proposals

    def begin(self, plan: Plan) -> tuple[Played, Event]:
        """Begin a request; the event is fired when it is over."""
        played = Played(self._world.now_s)
        task = self._world.begin(self._run(plan, played))
        if self._timeout_s is not None:
            self._world.at(self._timeout_s, lambda: self._cut_off(task, played))
        return played, task.done

    def _cut_off(self, task: Task, played: Played) -> None:
        if played.status == "running":
            played.status, played.ended_s = "timeout", self._world.now_s
            task.cancel()

    def _run(self, plan: Plan, played: Played) -> Work[None]:
        status: Literal["answered", "failed"] = "answered"
        for round_ in plan.rounds:
            seconds = yield from self._round(round_, played.begun_s)
            if seconds is None:
                status = "failed"
                break
            played.unhindered_s += seconds
        played.status, played.ended_s = status, self._world.now_s

    def _round(self, round_: PlannedRound, begun_s: float) -> Work[float | None]:
        """Play a round; its seconds without any waiting, None where somebody failed."""
        total_s = 0.0
        for _ in range(round_.proposals):
            seconds = yield from self._ask(CONDUCTOR, begun_s)
            if seconds is None:
                return None
            total_s += seconds
        if round_.steps:
            seconds = yield from self._play(round_.steps, begun_s)
            if seconds is None:
                return None
            total_s += seconds
        for name in round_.checks:
            seconds = yield from self._ask(name, begun_s)
            total_s += seconds or 0.0
        return total_s

    def _play(self, steps: Sequence[PlannedStep], begun_s: float) -> Work[float | None]:
        over = Event(self._world)
        ends_s: list[float | None] = [None] * len(steps)
        tasks: list[Task] = []

        def one(i: int, step: PlannedStep) -> Work[None]:
            for j in step.access:
                if not tasks[j].done.fired:
                    yield tasks[j].done
            seconds = 0.0
            for _ in range(step.calls):
                taken_s = yield from self._ask(step.worker, begun_s)
                if taken_s is None:
                    over.fire()
                    return
                seconds += taken_s
            ends_s[i] = max((ends_s[j] or 0.0 for j in step.access), default=0.0) + seconds
            if None not in ends_s:
                over.fire()

        try:
            for i, step in enumerate(steps):
                tasks.append(self._world.begin(one(i, step)))
            yield over
        finally:
            for task in tasks:
                task.cancel()
        known = [end for end in ends_s if end is not None]
        return max(known) if len(known) == len(steps) else None

    def _ask(self, name: str, begun_s: float) -> Work[float | None]:
        """Ask a worker, again where that makes sense, and then its fallbacks.

        Returns:
            Seconds of its calls and of the waits between tries; None: nobody answered.
        """
        if name == ANYBODY:
            name = self._anybody[int(self._rng.random() * len(self._anybody))]
        calls = self._proposals if name == CONDUCTOR else None
        total_s = 0.0
        for asked in (name, *self._room[name].figures.fallbacks):
            desk = self._room.get(asked)
            attempt = 0
            while desk is not None:
                yield from self._work()
                fault, seconds = yield from desk.call(calls)
                total_s += seconds
                if fault is None:
                    return total_s
                wait_s = desk.wait_s(fault, attempt)
                if wait_s is None or wait_s >= self._left_s(begun_s):
                    break
                yield wait_s
                total_s += wait_s
                attempt += 1
        return None

    def _work(self) -> Work[None]:
        """What a call takes of the process that makes it."""
        if self._processor is None or not self._cpu_s:
            return
        yield from self._processor.take()
        try:
            yield self._cpu_s
        finally:
            self._processor.give()

    def _left_s(self, begun_s: float) -> float:
        if self._timeout_s is None:
            return float("inf")
        return self._timeout_s - (self._world.now_s - begun_s)
