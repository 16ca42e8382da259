"""Elsewhere: stands in the driver for a model that is called on a node.

Around it lie the usual wrappers (limits, breaker, cache, budget, log), which therefore hold for all
nodes together. Who really makes the call is settled by whoever asks: in the task that answers a
node's question, that node; else whichever node is free.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass

from partbook.message import Completion, Message, Sampling
from partbook.model import OnText

__all__ = ["ASKED_BY", "Elsewhere", "Granted", "OnAnyNode"]

OnAnyNode = Callable[[int, Sequence[Message], Sampling], Awaitable[Completion]]
"""Calls the model of this number on a node."""

ASKED_BY: ContextVar[Callable[[], Awaitable[Completion]]] = ContextVar("ASKED_BY")
"""Has the node make the call for which it asked; unset where no node asked."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A ChatModel that is called on a node."""

    number: int
    on_any_node: OnAnyNode

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        """As `ChatModel.chat`; the text comes as one piece.

        Raises:
            WorkerError: as the model does, or the node was lost.
        """
        make = ASKED_BY.get(None)
        if make is None:
            completion = await self.on_any_node(self.number, messages, sampling)
        else:
            completion = await make()
        if on_text is not None:
            on_text(completion.text)
        return completion


@dataclass(frozen=True, slots=True)
class Granted:
    """A ChatModel of a node that has no limits of its own: it makes the call for which it asked."""

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        """As `ChatModel.chat`; only in the task that answers a node's question."""
        return await ASKED_BY.get()()
