"""Runs an evaluation: every system on every problem, several at once, and goes on where it stopped.

A cell counts once its line is in the results file; before that its traces are in the store. Both
are written by one thread, many cells at a time, because a commit costs far more than a row. Cells
that could not be judged are played again by the next run, with the calls that they had made.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial

from partbook.budget import Budget, Limits
from partbook.evaluate.posed import Posed
from partbook.evaluate.running.calls import CallLog
from partbook.evaluate.running.cell import Cell, Key
from partbook.evaluate.running.desk import Done, Seat, play_key
from partbook.evaluate.running.results import Results
from partbook.evaluate.running.till import Purse
from partbook.evaluate.system import System
from partbook.price import total_usd
from partbook.spread.first_failure import first_failure
from partbook.store import Store, Tags
from partbook.trace import Trace

__all__ = ["Ended", "Plan", "PlayKey", "Progress", "run", "seat_of"]

BATCH = 100
"""The most cells in one write."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be run."""

    systems: Sequence[System]
    problems: Sequence[Posed]
    repeats: int = 1
    seed: int = 0
    concurrency: int = 8
    """Cells that are played at once."""
    each: Limits = field(default_factory=Limits)
    """What every system may spend on one problem."""
    label: str = "evaluation"
    """Under which the traces are found in the store."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an evaluation has come."""

    done: int
    """Cells that are finished, those of earlier runs included."""
    total: int
    not_judged: int
    calls: int
    """Of the cells of this run."""
    usd: Decimal | None
    """What all cells so far cost; None: unknown."""
    seconds: float
    """Since this run began."""
    rate: float
    """Cells per second in this run; 0 before the first."""

    @property
    def left_s(self) -> float | None:
        """Until the end at this rate; None: unknown."""
        return (self.total - self.done) / self.rate if self.rate else None


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended."""

    played: int
    """Cells that were played by this run."""
    missing: int
    """Cells that are neither right nor wrong."""
    stopped: str
    """Why it ended before all cells were played; empty where it did not."""


OnProgress = Callable[[Progress], None]

PlayKey = Callable[[Key], Awaitable[Done]]
"""Plays the cell of a key somewhere; raises as `desk.play_cell`."""


async def run(
    plan: Plan,
    results: Results,
    log: CallLog,
    store: Store | None,
    whole: Budget,
    on_progress: OnProgress = lambda progress: None,
    play: PlayKey | None = None,
) -> Ended:
    """Play what is missing.

    Args:
        plan: what is to be run; `results.begin` was called with it.
        results: where cells are kept.
        log: where calls are kept.
        store: where traces are kept; None: nowhere.
        whole: what the whole evaluation may spend, with what earlier runs of it spent.
        on_progress: told after every write.
        play: plays a cell; None: in this process, with `log` and `whole`.

    Raises:
        ConfigError: something only the user can mend; what was finished is kept.
        StoreError: the store could not be written; likewise.
        asyncio.CancelledError: the caller gave up; likewise.
    """
    if play is None:
        play = partial(play_key, seat_of(plan), till=Purse(log, whole))
    running = _Running(plan, results, store, whole, on_progress, play)
    with first_failure():
        async with asyncio.TaskGroup() as group:
            group.create_task(running.write())
            group.create_task(running.play_all())
    return running.ended()


def seat_of(plan: Plan) -> Seat:
    """What the plan's cells are played with."""
    systems = {system.name: system for system in plan.systems}
    problems = {posed.id: posed for posed in plan.problems}
    return Seat(systems, problems, plan.seed, plan.each)


class _Running:
    """One run while it goes on."""

    def __init__(
        self,
        plan: Plan,
        results: Results,
        store: Store | None,
        whole: Budget,
        on_progress: OnProgress,
        play: PlayKey,
    ) -> None:
        self._plan = plan
        self._results = results
        self._store = store
        self._on_progress = on_progress
        self._play = play
        assert results.begun is not None, "the results were not begun"
        self._keys = results.begun.keys
        self._whole = whole
        self._queue: asyncio.Queue[Done | None] = asyncio.Queue(2 * BATCH)
        self._begun = time.monotonic()
        self._played = self._calls = self._done = self._not_judged = 0
        self._usd: Decimal | None = Decimal(0)
        self._stopped = ""
        for key in self._keys:
            if results.is_judged(key):
                self._count(results.cells[key])

    def ended(self) -> Ended:
        missing = sum(not self._results.is_judged(key) for key in self._keys)
        return Ended(self._played, missing, self._stopped)

    async def play_all(self) -> None:
        waiting = self._missing()
        async with asyncio.TaskGroup() as group:
            for _ in range(max(1, self._plan.concurrency)):
                group.create_task(self._play_some(waiting))
        await self._queue.put(None)

    def _missing(self) -> Iterator[Key]:
        for key in self._keys:
            if self._stopped:
                return
            if not self._results.is_judged(key):
                yield key

    async def _play_some(self, waiting: Iterator[Key]) -> None:
        for key in waiting:
            done = await self._play(key)
            if done.refused:
                self._stopped = f"the limit of ${self._whole.limits.usd} is reached"
            await self._queue.put(done)

    async def write(self) -> None:
        while True:
            first = await self._queue.get()
            batch = [first]
            while len(batch) < BATCH and not self._queue.empty():
                batch.append(self._queue.get_nowait())
            done = [one for one in batch if one is not None]
            if done:
                await asyncio.to_thread(self._keep, done)
                self._played += len(done)
                for one in done:
                    self._calls += one.cell.spent.calls
                    self._count(one.cell)
                self._on_progress(self._progress())
            if len(done) < len(batch):
                return

    def _keep(self, done: Sequence[Done]) -> None:
        """In a thread: traces first, so that whatever cell is there can be opened."""
        if self._store is not None:
            traces: list[Trace] = []
            tags: list[Tags] = []
            for one in done:
                traces += one.traces
                tags += [self._tags(one.cell)] * len(one.traces)
            self._store.save_many(traces, tags)
        self._results.add(one.cell for one in done)

    def _tags(self, cell: Cell) -> Tags:
        label = f"{self._plan.label}: {cell.system}"
        if self._plan.repeats > 1:
            label = f"{label} #{cell.repeat}"
        return Tags(cell.problem, label, cell.outcome)

    def _progress(self) -> Progress:
        seconds = time.monotonic() - self._begun
        rate = self._played / seconds if seconds else 0.0
        return Progress(
            self._done, len(self._keys), self._not_judged, self._calls, self._usd, seconds, rate
        )

    def _count(self, cell: Cell) -> None:
        self._done += 1
        self._not_judged += not cell.judged
        self._usd = total_usd((self._usd, cell.spent.cost_usd))
