"""PlayingLoop: the event loop in which all rollouts of a run are played, in a thread of its own.

Connections of a pool belong to the loop in which they were opened, while a trainer scores in a loop
of its own and an evaluation in none. And whatever blocks the loop, which a judge or a worker never
should, blocks neither the trainer nor its deadline.
"""

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import TypeVar

from partbook.pool import AgentPool
from partbook.train.data import Data

__all__ = ["OpenPool", "PlayingLoop", "playing_loop"]

log = logging.getLogger(__name__)

T = TypeVar("T")

OpenPool = Callable[[Data], AbstractAsyncContextManager[AgentPool]]
"""Opens the pool that a preset names; training cannot do that itself, it is below the commands."""

_PATIENCE_S = 5.0
"""How long the thread may take to end; a blocked one is left behind."""


class PlayingLoop:
    """A running event loop; other threads hand it work."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        """For `Environment.loop`."""
        self._thread = threading.Thread(target=self._run, name="playing", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()

    def run(self, work: Coroutine[object, object, T]) -> T:
        """Do something there, and wait for it; not to be called in the loop itself."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    @contextmanager
    def opened(self, what: AbstractAsyncContextManager[T]) -> Iterator[T]:
        """Enter and leave an asynchronous context there, both in the same task."""
        leave = asyncio.Event()
        entered: Future[T] = Future()

        async def hold() -> None:
            async with what as value:
                entered.set_result(value)
                await leave.wait()

        held = asyncio.run_coroutine_threadsafe(hold(), self.loop)
        held.add_done_callback(lambda done: entered.cancel())  # wakes who waits for it in vain
        try:
            value = entered.result()
        except CancelledError:
            held.result()  # raises why it could not be entered
            raise
        try:
            yield value
        finally:
            self.loop.call_soon_threadsafe(leave.set)
            try:
                held.result(_PATIENCE_S)
            except TimeoutError:
                log.warning("what was opened in the loop is not closed: something blocks it")

    def close(self) -> None:
        """End the loop."""
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(_PATIENCE_S)
        if not self._thread.is_alive():
            self.loop.close()


@contextmanager
def playing_loop() -> Iterator[PlayingLoop]:
    """A loop that is closed in the end."""
    playing = PlayingLoop()
    try:
        yield playing
    finally:
        playing.close()
