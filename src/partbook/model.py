"""ChatModel: the one seam between Partbook and anything that answers.

An HTTP endpoint, a model in this process, a tool, a recording, a script in a test are all
ChatModels. What cuts across them (budget, cache, retries, limits) is a wrapper of the same shape:
`Budgeted(Retrying(Http(...)))`.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from partbook.message import Completion, Message, Sampling

__all__ = ["ChatModel", "OnText"]

OnText = Callable[[str], None]
"""Receives a completion's text piece by piece, as it arrives. Called in the event loop."""


class ChatModel(Protocol):
    """Anything that answers a chat."""

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        """Answer the last message.

        Args:
            messages: the conversation, oldest first; at least one.
            sampling: how to answer.
            on_text: if given, is called with every piece of text on its arrival; the pieces joined
                are the completion's text.

        Raises:
            WorkerError: no usable answer; whatever retries make sense were already made.
        """
        ...
