"""Tool calls in OpenAI's chat format: how they are sent back, and read from replies and streams.

They pass through: Partbook calls none of these tools. In values they are JSON text of the list that
the format has, so that ids and arguments stay what the model wrote. What a provider sends is read
tolerantly and bounded; a call without a name is no call.
"""

import json
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from partbook.message import Message

__all__ = ["CallPieces", "calls_in", "message_dict"]

MOST_CALLS = 128
"""Most calls of one message."""


def message_dict(message: Message) -> dict[str, object]:
    """A message as the format spells it."""
    spelt: dict[str, object] = {"role": message.role, "content": message.text}
    if message.tool_calls:
        spelt["content"] = message.text or None
        spelt["tool_calls"] = json.loads(message.tool_calls)
    if message.tool_call_id:
        spelt["tool_call_id"] = message.tool_call_id
    return spelt


def calls_in(message: Mapping[str, Any]) -> str:
    """The calls in a whole reply's message; empty where there are none."""
    if not message.get("tool_calls"):
        return ""
    pieces = CallPieces()
    pieces.add(message["tool_calls"])
    return pieces.text()


class CallPieces:
    """Puts calls together whose parts arrive in the chunks of a stream."""

    def __init__(self) -> None:
        self._calls: dict[int, dict[str, str]] = {}

    def add(self, items: object) -> None:
        """Take the `tool_calls` of a delta, or of a whole message."""
        if not isinstance(items, Sequence) or isinstance(items, str):
            return
        for i, item in enumerate(items):
            if not isinstance(item, dict):
                continue
            index = item.get("index")
            at = index if type(index) is int else i
            if at not in self._calls and len(self._calls) >= MOST_CALLS:
                continue
            call = self._calls.setdefault(at, {"id": "", "name": "", "arguments": ""})
            function = item.get("function")
            function = function if isinstance(function, dict) else {}
            # Some servers repeat id and name in every chunk, so only the arguments are joined.
            for field, value in (("id", item.get("id")), ("name", function.get("name"))):
                if isinstance(value, str) and value:
                    call[field] = value
            arguments = function.get("arguments")
            if isinstance(arguments, dict):  # as some servers send them
                arguments = json.dumps(arguments, ensure_ascii=False)
            call["arguments"] += arguments if isinstance(arguments, str) else ""

    def text(self) -> str:
        """All calls as JSON text; empty where there are none."""
        calls = [
            {
                # Whoever has none of its own gets one that no other conversation has.
                "id": call["id"] or f"call_{secrets.token_hex(8)}",
                "type": "function",
                "function": {"name": call["name"], "arguments": call["arguments"]},
            }
            for _, call in sorted(self._calls.items())
            if call["name"]
        ]
        return json.dumps(calls, separators=(",", ":")) if calls else ""
