"""Following: one client that follows a run, as server-sent events.

It reads the log from wherever it is, as fast as the client takes it: one that is slow is behind,
and nothing waits for it. https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

import asyncio

from starlette.types import Receive, Scope, Send

from partbook.page.log import EventLog
from partbook.server.running import until_gone

__all__ = ["KEEP_ALIVE_S", "Following"]

KEEP_ALIVE_S = 10.0
"""Longest silence."""

_BATCH_CHARS = 256_000
"""About how much is sent at once."""

_HEADERS = (
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
    (b"x-content-type-options", b"nosniff"),
)


class Following:
    """An ASGI application that sends the events of one run, and ends after the last."""

    def __init__(self, log: EventLog, after: int, keep_alive_s: float = KEEP_ALIVE_S) -> None:
        """Prepare.

        Args:
            log: of the run.
            after: number of the event that the client saw last; 0: none.
            keep_alive_s: longest silence, in seconds.
        """
        self._log = log
        self._after = max(0, after)
        self._keep_alive_s = keep_alive_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the run is over or the client has gone."""
        await send({"type": "http.response.start", "status": 200, "headers": list(_HEADERS)})
        wake = asyncio.Event()
        gone = asyncio.get_running_loop().create_task(until_gone(receive))
        gone.add_done_callback(lambda _: wake.set())
        try:
            with self._log.followed(wake):
                await self._send_all(send, wake, gone)
        finally:
            gone.cancel()
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _send_all(self, send: Send, wake: asyncio.Event, gone: asyncio.Task[None]) -> None:
        while not gone.done():
            wake.clear()
            lines = self._log.since(self._after, _BATCH_CHARS)
            if lines:
                await send(_body("".join(map(self._spelt, lines))))
            elif self._log.is_over:
                return
            else:
                try:
                    async with asyncio.timeout(self._keep_alive_s):
                        await wake.wait()
                except TimeoutError:
                    await send(_body(": waiting\n\n"))

    def _spelt(self, line: str) -> str:
        self._after += 1
        return f"id: {self._after}\ndata: {line}\n\n"


def _body(text: str) -> dict[str, object]:
    return {"type": "http.response.body", "body": text.encode(), "more_body": True}
