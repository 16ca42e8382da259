"""StreamedAnswer: a reply as server-sent events, written by hand.

The first event goes out before anything is played. While nothing is to be said, one that says so
goes out every `KEEP_ALIVE_S`. Whatever goes wrong after the first byte ends the stream with an
error, never with a finish reason. How events are spelt is left to the dialect.
"""

import asyncio
import time
from typing import Any

from starlette.types import Receive, Scope, Send

from partbook.server.dialect import Dialect
from partbook.server.job import Hearing, Job
from partbook.server.refusal import Refusal
from partbook.server.reply import Reply
from partbook.server.running import Running, ended, until_gone
from partbook.server.whole import common_headers, noted

__all__ = ["KEEP_ALIVE_S", "StreamedAnswer"]

KEEP_ALIVE_S = 10.0
"""Longest silence. Clients were seen to give up after 20 s, proxies after 60."""

_BROKEN = Refusal(
    "the worker broke off in the middle of the answer",
    status=502,
    kind="upstream_error",
    code="broken_answer",
)


class StreamedAnswer:
    """Plays the job once it is called, and sends what is said as it is said."""

    def __init__(
        self,
        job: Job,
        dialect: Dialect,
        running: Running,
        note: dict[str, Any],
        keep_alive_s: float = KEEP_ALIVE_S,
    ) -> None:
        self._job = job
        self._dialect = dialect
        self._running = running
        self._note = note
        self._keep_alive_s = keep_alive_s
        self._begun = time.monotonic()
        self._waiting: list[str] = []
        self._wake = asyncio.Event()
        self._is_broken = False
        self._answered: set[int] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream, or stop working as soon as the client has gone."""
        job = self._job
        headers = {
            "content-type": "text/event-stream; charset=utf-8",
            "x-accel-buffering": "no",
            **common_headers(job),
        }
        raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": 200, "headers": raw})
        self._say(self._dialect.begin())
        hearing = Hearing(on_answer=self._answer, on_broken=self._break)
        if job.served.reasoning:
            hearing.on_reasoning = self._reason
        task = self._running.start(job.play(hearing))
        gone = asyncio.get_running_loop().create_task(until_gone(receive))
        task.add_done_callback(self._rouse)
        gone.add_done_callback(self._rouse)
        try:
            await self._send_all(send, task, gone)
            if not task.done() and not self._is_broken:
                job.metrics.client_gone()
                self._note["gone"] = True
                return
            if not task.done():
                await ended(task)
            await self._end(send, task)
        finally:
            await ended(task, gone)
            self._note.update(noted(job))

    async def _send_all(
        self, send: Send, task: asyncio.Task[Reply], gone: asyncio.Task[None]
    ) -> None:
        """Send what is said until the job is over, is broken, or nobody listens any more."""
        while True:
            self._wake.clear()
            is_over = task.done() or self._is_broken
            if self._waiting:
                data = "".join(self._waiting).encode()
                self._waiting.clear()
                await send({"type": "http.response.body", "body": data, "more_body": True})
            if gone.done() or is_over:
                return
            if self._wake.is_set():
                continue
            try:
                async with asyncio.timeout(self._keep_alive_s):
                    await self._wake.wait()
            except TimeoutError:
                self._say(self._dialect.alive())

    async def _end(self, send: Send, task: asyncio.Task[Reply]) -> None:
        """Send how it ended."""
        try:
            if self._is_broken:
                raise _BROKEN
            reply = self._running.result(task)
        except Refusal as err:
            self._note["error"] = err.code or err.kind
            self._say(self._dialect.failure(err))
        except BaseException:
            # A bug: the client is told that this is no answer, the log says what it was.
            self._note["error"] = "internal"
            internal = Refusal("the server failed", status=500, kind="server_error")
            data = self._dialect.failure(internal).encode()
            await send({"type": "http.response.body", "body": data, "more_body": False})
            raise
        else:
            for i, answer in enumerate(reply.answers):
                if answer.text and i not in self._answered:
                    self._answer(i, answer.text)  # it could not be told before
            self._say(self._dialect.finish(reply))
        data = "".join(self._waiting).encode()
        await send({"type": "http.response.body", "body": data, "more_body": False})

    def _reason(self, piece: str) -> None:
        self._say(self._dialect.reasoning(piece))

    def _answer(self, index: int, piece: str) -> None:
        if not self._answered:
            self._job.metrics.first_text(time.monotonic() - self._begun)
        self._answered.add(index)
        self._say(self._dialect.answer(index, piece))

    def _break(self) -> None:
        self._is_broken = True
        self._wake.set()

    def _rouse(self, _: asyncio.Task[Reply] | asyncio.Task[None]) -> None:
        self._wake.set()

    def _say(self, events: str) -> None:
        self._waiting.append(events)
        self._wake.set()
