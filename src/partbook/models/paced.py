"""Paced: at most so many requests and tokens of a model in any minute.

The limit holds for every window of 60 seconds, not on average, because that is how providers count.
A call holds its worst case until it ends, and then what it really took. Calls start in the order in
which they came: a small one does not overtake a large one, so that no large one waits for ever.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from partbook.errors import WorkerError
from partbook.message import Completion, Message, Sampling, Usage
from partbook.model import ChatModel, OnText

__all__ = ["WINDOW_S", "Paced", "worst_tokens"]

WINDOW_S = 60.0

BYTES_PER_TOKEN = 3
"""Fewer than most text has, so that a prompt is counted high before its usage is known."""


@dataclass(slots=True)
class _Call:
    """A call in the window."""

    at_s: float
    tokens: int
    inside: bool = True
    """Whether it counts still."""


class Paced:
    """A ChatModel whose calls wait until they fit into the minute."""

    def __init__(
        self,
        model: ChatModel,
        *,
        requests: int | None = None,
        tokens: int | None = None,
        window_s: float = WINDOW_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Set the limits of a window; None: none. A call larger than `tokens` goes alone."""
        self._model = model
        self._requests = requests
        self._tokens = tokens
        self._window_s = window_s
        self._clock = clock
        self._calls: deque[_Call] = deque()
        self._spent = 0
        self._turn = asyncio.Lock()
        self._changed = asyncio.Event()

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        """Answer the last message, once there is room for the call."""
        tokens = 0 if self._tokens is None else worst_tokens(messages, sampling, self._tokens)
        call = await self._enter(tokens)
        usage: Usage | None = None
        try:
            completion = await self._model.chat(messages, sampling, on_text)
            usage = completion.usage
        except WorkerError as err:
            usage = err.usage
            raise
        finally:
            if usage is not None and self._tokens is not None:
                self._settle(call, usage.total_tokens)
        return completion

    async def _enter(self, tokens: int) -> _Call:
        async with self._turn:
            while (wait_s := self._wait_s(tokens)) > 0:
                self._changed.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(wait_s):
                        await self._changed.wait()
            call = _Call(self._clock(), tokens)
            self._calls.append(call)
            self._spent += tokens
            return call

    def _wait_s(self, tokens: int) -> float:
        """Seconds until the oldest call leaves the window; 0 where there is room now."""
        now = self._clock()
        while self._calls and self._calls[0].at_s + self._window_s <= now:
            gone = self._calls.popleft()
            gone.inside = False
            self._spent -= gone.tokens
        if not self._calls:
            return 0.0
        full = self._requests is not None and len(self._calls) >= self._requests
        if self._tokens is not None and self._spent + tokens > self._tokens:
            full = True
        return self._calls[0].at_s + self._window_s - now if full else 0.0

    def _settle(self, call: _Call, tokens: int) -> None:
        if call.inside:
            self._spent += tokens - call.tokens
            call.tokens = tokens
            self._changed.set()


def worst_tokens(messages: Sequence[Message], sampling: Sampling, most: int) -> int:
    """Tokens that a call may take, as far as can be told before it; never above `most`."""
    size = sum(len(message.text.encode(errors="replace")) for message in messages)
    return min(size // BYTES_PER_TOKEN + sampling.max_tokens, most)
