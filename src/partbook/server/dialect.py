"""Dialect: how one API spells what a request came to, whole or piece by piece.

A job knows nothing of it, and neither do `whole.py` and `stream.py`, which send what it spells.
"""

from typing import Any, Protocol

from partbook.server.refusal import Refusal
from partbook.server.reply import Reply

__all__ = ["Dialect", "event"]


class Dialect(Protocol):
    """The spelling of one reply. Methods about a stream give events, ready to be sent."""

    def whole(self, reply: Reply, reasoning: str) -> dict[str, Any]:
        """The body of a reply that is not streamed."""
        ...

    def begin(self) -> str:
        """What goes out before anything is played."""
        ...

    def reasoning(self, piece: str) -> str:
        """A piece of plan and steps."""
        ...

    def answer(self, index: int, piece: str) -> str:
        """A piece of the text of a choice."""
        ...

    def alive(self) -> str:
        """What breaks a silence."""
        ...

    def finish(self, reply: Reply) -> str:
        """The end of a stream; all text was spelt before."""
        ...

    def failure(self, err: Refusal) -> str:
        """The end of a stream that has no answer."""
        ...


def event(data: str, name: str = "") -> str:
    """An event of a stream: one line of JSON, with its name where the API has names."""
    return f"event: {name}\ndata: {data}\n\n" if name else f"data: {data}\n\n"
