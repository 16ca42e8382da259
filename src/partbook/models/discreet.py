"""Discreet: a ChatModel whose answers never hold its own API key.

A provider may quote the key that it was called with, by mistake or on purpose. Taken out here, it
reaches no other worker, no trace, no recording, no span and no screen. Errors are left to the
model.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from partbook.message import Completion, Message, Sampling
from partbook.model import ChatModel, OnText
from partbook.secret import Hider, Secret

__all__ = ["Discreet"]


@dataclass(frozen=True, slots=True)
class Discreet:
    """A ChatModel that hides its key in what it answers."""

    model: ChatModel
    key: Secret

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        """As `ChatModel.chat`; the pieces joined are the completion's text, as ever."""
        if on_text is None:
            return self._hidden(await self.model.chat(messages, sampling))
        hider = Hider(self.key)

        def on_piece(piece: str) -> None:
            if shown := hider.feed(piece):
                on_text(shown)

        completion = await self.model.chat(messages, sampling, on_piece)
        if rest := hider.close():
            on_text(rest)
        return self._hidden(completion)

    def _hidden(self, completion: Completion) -> Completion:
        text, model = self.key.hide(completion.text), self.key.hide(completion.model)
        calls = self.key.hide(completion.tool_calls)
        if (text, model, calls) == (completion.text, completion.model, completion.tool_calls):
            return completion
        return replace(completion, text=text, model=model, tool_calls=calls)
