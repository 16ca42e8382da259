"""BatchWriter: writes runs from an event loop without holding it up.

Runs wait in memory for a moment, and then go to the store together, in one transaction and in the
writer's own thread. A commit costs far more than a row, so this is what makes keeping every run
cheap. What could not be written waits for the next try; nothing is dropped before `MAX_WAITING`.
"""

import asyncio
import logging
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from types import TracebackType
from typing import Self

from partbook.errors import StoreError
from partbook.store.journal import Journal
from partbook.store.schema import UNTAGGED, Tags
from partbook.store.store import Store
from partbook.trace import Trace

__all__ = ["BATCH", "DELAY_S", "MAX_WAITING", "RETRY_S", "BatchWriter"]

log = logging.getLogger(__name__)

DELAY_S = 0.025
"""How long the first run of a batch waits for others."""

BATCH = 100
"""The most runs in one transaction."""

RETRY_S = 1.0
"""How long runs wait after a write has failed."""

MAX_WAITING = 10_000
"""The most runs that wait while writing fails; beyond it the oldest are given up."""


class BatchWriter:
    """Writes runs to a store in batches; the store stays the caller's to close.

    Use it in an `async with` block: leaving the block writes what waits.
    """

    def __init__(self, store: Store, max_waiting: int = MAX_WAITING) -> None:
        self._store = store
        self._max_waiting = max_waiting
        self._waiting: deque[tuple[Trace, Tags, Journal | None]] = deque()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="partbook-store")
        self._timer: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._error: StoreError | None = None
        self._given_up = 0
        self._queued = False
        self._closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        err: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    def put(self, trace: Trace, tags: Tags = UNTAGGED, journal: Journal | None = None) -> None:
        """Take a run to be written soon. Call it in the event loop; it never waits.

        Args:
            trace: the run.
            tags: what else is known about it.
            journal: what is discarded once the run is written; until then, the run is not lost.

        Raises:
            StoreError: the writer is closed.
        """
        if self._closed:
            raise StoreError(f"the writer of {self._store.place} is closed")
        self._loop = asyncio.get_running_loop()
        self._waiting.append((trace, tags, journal))
        if self._error is None and len(self._waiting) >= BATCH:
            self._start()
        else:
            self._start_later()

    async def flush(self) -> None:
        """Write all that was put so far; when it returns, the end of this program loses none of it.

        Raises:
            StoreError: not all of it could be written. What could not be is tried again later.
        """
        # Counted in the thread, where no later write can have taken them to try again.
        left = await asyncio.get_running_loop().run_in_executor(self._thread, self._write)
        given_up, self._given_up = self._given_up, 0
        if given_up:
            raise StoreError(f"runs given up because too many waited: {given_up}; {self._error}")
        if self._error is not None:
            raise StoreError(f"runs not written: {left}; {self._error}")

    async def aclose(self) -> None:
        """Write what waits, and end the thread. A second call does nothing.

        Raises:
            StoreError: not all of it could be written; what was not is lost.
        """
        if self._closed:
            return
        self._closed = True
        self._stop_timer()
        try:
            await self.flush()
        finally:
            self._thread.shutdown(wait=False)

    def _start(self) -> None:
        self._stop_timer()
        if not self._queued:
            # A write takes long where it has to wait for another program; one more behind it
            # is enough.
            self._queued = True
            self._thread.submit(self._write_queued).add_done_callback(_note_bug)

    def _start_later(self) -> None:
        if self._timer is None and self._loop is not None and not self._closed:
            delay_s = DELAY_S if self._error is None else RETRY_S
            self._timer = self._loop.call_later(delay_s, self._start)

    def _write_queued(self) -> None:
        self._queued = False
        if self._write() and self._loop is not None:
            # Perhaps no other run comes that would begin the next try.
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._start_later)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _write(self) -> int:
        """In the thread: write batches until none waits or one fails; how many then wait."""
        while self._waiting:
            batch = [self._waiting.popleft() for _ in range(min(BATCH, len(self._waiting)))]
            written = False
            try:
                traces, tags, journals = zip(*batch, strict=True)
                self._store.save_many(traces, tags, journals)
                written = True
            except StoreError as err:
                if self._error is None:
                    log.error("runs cannot be written, they wait: %s", err)
                self._error = err
                break
            finally:
                if not written:
                    self._waiting.extendleft(reversed(batch))
                    self._drop_oldest()
            for _, _, journal in batch:
                if journal is not None:
                    journal.discard()
            if self._error is not None:
                log.warning("runs can be written again")
                self._error = None
        return len(self._waiting)

    def _drop_oldest(self) -> None:
        while len(self._waiting) > self._max_waiting:
            self._waiting.popleft()
            self._given_up += 1


def _note_bug(writing: Future[None]) -> None:
    """Have it seen: nobody waits for what a timer has begun."""
    if (bug := writing.exception()) is not None:
        log.error("runs cannot be written, by a bug", exc_info=bug)
