"""Running: the requests that are being played, and how they end when the client or the server goes.

A client that goes away is noticed while its request is played, not at the next byte that is sent to
it, so its worker calls are cancelled at once, in streams and elsewhere.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from starlette.types import Receive

from partbook.server.refusal import Refusal, not_now
from partbook.server.reply import Reply

__all__ = ["Running", "ended", "ending", "until_gone"]

_T = TypeVar("_T")


class Running:
    """The requests that are being played."""

    def __init__(self, most: int) -> None:
        """At most so many at once; one more is refused."""
        self._most = most
        self._tasks: set[asyncio.Task[object]] = set()
        self.is_stopping = False
        """Whether the server is about to end."""
        self.watchers: list[Callable[[], None]] = []
        """Told whenever a request begins or is over."""

    def __len__(self) -> int:
        return len(self._tasks)

    def check(self) -> None:
        """Refuse a request that there is no room for.

        Raises:
            Refusal: the server ends, or has as much to do as it may.
        """
        if self.is_stopping:
            raise ending()
        if len(self._tasks) >= self._most:
            told = f"{self._most} requests are being answered; come back"
            raise not_now(told, "server_busy", retry_after_s=1)

    def start(self, work: Coroutine[None, None, _T]) -> asyncio.Task[_T]:
        """Begin to play a request."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._over)
        self._tell()
        return task

    def _over(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        self._tell()

    def _tell(self) -> None:
        for watcher in self.watchers:
            watcher()

    def stop(self) -> None:
        """End all of them: the server ends."""
        self.is_stopping = True
        for task in self._tasks:
            task.cancel()

    async def all_over(self, wait_s: float) -> bool:
        """Wait until nothing is played any more, but no longer than this; whether it is so."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=wait_s)
        return not self._tasks

    def result(self, task: asyncio.Task[Reply]) -> Reply:
        """What a finished task came to.

        Raises:
            Refusal: there is no answer.
        """
        if task.cancelled():
            raise ending()
        return task.result()


async def until_gone(receive: Receive) -> None:
    """Wait until the client has gone away; the body must have been read."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def ended(*tasks: asyncio.Task[Reply] | asyncio.Task[None]) -> None:
    """Cancel what is not done, and wait until all are."""
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    for task in tasks:
        if not task.cancelled():
            task.exception()  # so that nobody warns that it was never looked at


def ending() -> Refusal:
    """What a request is told that the server cannot finish."""
    return not_now("the server is shutting down", "shutting_down")
