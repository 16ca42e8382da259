"""Models for the tests of the server; each is a ChatModel that streams as it should."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from partbook.errors import WorkerError
from partbook.message import Completion, FinishReason, Message, Sampling, Usage
from partbook.model import OnText


@dataclass
class Saying:
    """Answers with the given texts in turn, the last one again and again, in pieces of words."""

    texts: tuple[str, ...]
    usage: Usage | None = field(default_factory=lambda: Usage(10, 5))
    finish_reason: FinishReason = "stop"
    heard: list[list[Message]] = field(default_factory=list)
    asked: list[Sampling] = field(default_factory=list)
    streamed: list[bool] = field(default_factory=list)

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        text = self.texts[min(len(self.heard), len(self.texts) - 1)]
        self.heard.append(list(messages))
        self.asked.append(sampling)
        self.streamed.append(on_text is not None)
        if on_text is not None:
            for i, word in enumerate(text.split(" ")):
                on_text(word if i == 0 else f" {word}")
                await asyncio.sleep(0)
        return Completion(text, self.usage, "said-1", self.finish_reason)


@dataclass
class Stepwise:
    """Says a piece whenever the test lets it, and notes whether it was cancelled."""

    pieces: asyncio.Queue[str | None] = field(default_factory=asyncio.Queue)
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)
    failure: WorkerError | None = None
    """What ends it in place of an answer."""

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        self.reached.set()
        said = []
        try:
            while (piece := await self.pieces.get()) is not None:
                said.append(piece)
                if on_text is not None:
                    on_text(piece)
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        if self.failure is not None:
            raise self.failure
        return Completion("".join(said), Usage(3, 2), "stepwise-1")


@dataclass
class Refusing:
    """Fails with the given error."""

    error: WorkerError
    calls: int = 0

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        self.calls += 1
        raise self.error
