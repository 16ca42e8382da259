"""Scripted stand-ins for models, shared by the tests. Each is a ChatModel."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from partbook.errors import WorkerError
from partbook.message import Completion, Message, Sampling, Usage
from partbook.model import ChatModel, OnText
from partbook.pool import AgentPool, Worker, WorkerSpec
from partbook.price import FREE, Price


@dataclass
class Scripted:
    """Answers with the given texts, one after the other, and keeps what it heard."""

    texts: list[str]
    usage: Usage | None = field(default_factory=lambda: Usage(10, 5))
    heard: list[list[Message]] = field(default_factory=list)
    asked: list[Sampling] = field(default_factory=list)

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        self.heard.append(list(messages))
        self.asked.append(sampling)
        text = self.texts.pop(0)
        if on_text is not None:
            for piece in text.split(" "):
                on_text(piece)
        return Completion(text, self.usage, "scripted")


@dataclass
class Echo:
    """Answers `name(last message)`."""

    name: str
    usage: Usage | None = field(default_factory=lambda: Usage(10, 5))
    heard: list[list[Message]] = field(default_factory=list)

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        self.heard.append(list(messages))
        return Completion(f"{self.name}({messages[-1].text})", self.usage, self.name)


@dataclass
class Failing:
    """Fails as an unreachable worker does."""

    usage: Usage | None = field(default_factory=Usage)

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        raise WorkerError("the worker is down", usage=self.usage)


@dataclass
class Gate:
    """Answers once it is opened; counts who waits and who was cancelled."""

    opened: asyncio.Event = field(default_factory=asyncio.Event)
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    waiting: int = 0
    cancelled: int = 0

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        self.waiting += 1
        self.reached.set()
        try:
            await self.opened.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return Completion("through", Usage(1, 1), "gate")


@dataclass
class Meeting:
    """Answers only when `size` calls are in flight at the same time."""

    size: int
    inside: int = 0
    full: asyncio.Event = field(default_factory=asyncio.Event)

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        self.inside += 1
        if self.inside == self.size:
            self.full.set()
        await self.full.wait()
        return Completion("met", Usage(1, 1), "meeting")


def pool_of(
    *models: ChatModel,
    price: Price | None = FREE,
    context: str = "plain",
    roles: str = "",
    **settings: Any,
) -> AgentPool:
    """A pool of these models, named w0, w1, ...; settings are fields of their specs."""
    workers = tuple(
        Worker(
            WorkerSpec(
                name=f"w{i}",
                kind="http",
                price=price,
                context=context,  # type: ignore[arg-type]
                roles=tuple(roles.split()),
                **settings,
            ),
            model,
        )
        for i, model in enumerate(models)
    )
    return AgentPool("test", workers)
