"""Letters: what driver and nodes say to each other; plain values that can be pickled.

A call goes: `Ask` (may I?), `Make` (do), `Made` (done), `Said` (go on). Where the driver knows the
answer already, or forbids the call, `Said` follows `Ask` at once.
"""

import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from partbook.errors import PartbookError
from partbook.message import Completion, Message, Sampling

__all__ = [
    "Ask",
    "Done",
    "FromNode",
    "GiveUp",
    "Made",
    "Make",
    "Play",
    "Said",
    "ToNode",
    "Told",
    "Withdraw",
]


@dataclass(frozen=True, slots=True)
class Told:
    """An error in a letter. Exceptions with arguments of their own cannot be pickled."""

    kind: type[Exception]
    message: str
    fields: Mapping[str, Any]

    @classmethod
    def of(cls, err: Exception) -> Self:
        """An error of this package as it is; any other is a bug, and comes with its traceback."""
        if isinstance(err, PartbookError):
            return cls(type(err), str(err), dict(vars(err)))
        return cls(RuntimeError, "".join(traceback.format_exception(err)), {})

    def error(self) -> Exception:
        """The error, to be raised on the other side."""
        err = self.kind.__new__(self.kind, self.message)
        vars(err).update(self.fields)
        return err


@dataclass(frozen=True, slots=True)
class Play:
    """To a node: play this."""

    item: int
    work: object
    """What the loaded `station.Playing` understands."""


@dataclass(frozen=True, slots=True)
class GiveUp:
    """To a node: nobody waits for this any more."""

    item: int


@dataclass(frozen=True, slots=True)
class Make:
    """To a node: make a call now, and say how it ended."""

    order: int
    """The driver's number of it."""
    call: int | None
    """The node's number of the `Ask` that this grants; None: the driver's own call."""
    model: int = 0
    """Of the driver's own call: which of the opened models."""
    messages: tuple[Message, ...] = ()
    sampling: Sampling | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """To a node: what a call that it asked for came to."""

    call: int
    completion: Completion | None
    error: Told | None = None
    """Raised there where there is no completion."""


@dataclass(frozen=True, slots=True)
class Ask:
    """From a node: may I make this call?"""

    call: int
    item: int
    model: int | None
    """Which of the opened models; None: one that needs no opening and has no limits."""
    about: object
    """What the driver's own wrapper wants to know of it; hashable."""
    messages: tuple[Message, ...]
    sampling: Sampling

    @property
    def likeness(self) -> object:
        """Equal for calls of an item that are asked alike."""
        return self.model, self.about, self.messages, self.sampling


@dataclass(frozen=True, slots=True)
class Withdraw:
    """From a node: whoever asked does not wait for this call any more."""

    call: int


@dataclass(frozen=True, slots=True)
class Made:
    """From a node: how a call ended."""

    order: int
    completion: Completion | None
    error: Told | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """From a node: what an item came to."""

    item: int
    result: object
    error: Told | None = None


ToNode = Play | GiveUp | Make | Said
FromNode = Ask | Withdraw | Made | Done
