"""Limited: at most so many calls of a model in flight at once."""

import asyncio
from collections.abc import Sequence

from partbook.errors import ConfigError
from partbook.message import Completion, Message, Sampling
from partbook.model import ChatModel, OnText

__all__ = ["Limited"]


class Limited:
    """A ChatModel that lets calls wait for their turn, in the order in which they came.

    The turn is held only around the call, so what a caller does with the answer delays nobody.
    """

    def __init__(self, model: ChatModel, max_concurrency: int) -> None:
        if max_concurrency < 1:
            raise ConfigError(f"max_concurrency must be at least 1, not {max_concurrency}")
        self._model = model
        self._turns = asyncio.Semaphore(max_concurrency)

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        """Answer the last message, once it is this call's turn."""
        # Not `async with`, which awaits two coroutines more for every call.
        await self._turns.acquire()
        try:
            return await self._model.chat(messages, sampling, on_text)
        finally:
            self._turns.release()
