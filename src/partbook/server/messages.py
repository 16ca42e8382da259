"""The `messages` of a chat request: OpenAI's spellings in, `Message` values out.

Text is what Partbook's workers read. Every other part of a content (an image, a sound, a file) is
refused by its place, because an answer that did not look at it would be wrong in silence.
"""

import json
from collections.abc import Mapping
from typing import Any

from partbook.message import Message, Role
from partbook.server.refusal import bad_request

__all__ = ["MOST_MESSAGES", "read_messages"]

MOST_MESSAGES = 2000
"""Longest history, in messages."""

MOST_PARTS = 1000
"""Most parts of one content."""

_ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
}

MOST_ID_CHARS = 500

_OF_ROLE = {"assistant": ("tool_calls",), "tool": ("tool_call_id",)}

_KNOWN = frozenset({"role", "content", "refusal", "reasoning_content", "annotations", "audio"})
"""Fields that change nothing here, or that only repeat what an earlier reply said."""

_KNOWN_OF_PART = frozenset({"type", "text", "refusal", "annotations", "logprobs"})
_KNOWN_OF_CALL = frozenset({"id", "type", "function", "index"})


def read_messages(value: object) -> tuple[tuple[Message, ...], tuple[str, ...]]:
    """The messages, and the fields of messages that were passed over.

    Raises:
        Refusal: they are not what they should be; `param` names the place.
    """
    if not isinstance(value, list) or not value:
        raise bad_request("messages: a list with at least one message was expected", "messages")
    if len(value) > MOST_MESSAGES:
        raise bad_request(
            f"messages: at most {MOST_MESSAGES} were expected, found {len(value)}", "messages"
        )
    passed_over: list[str] = []
    messages = [_message(i, item, passed_over) for i, item in enumerate(value)]
    if not any(message.text.strip() or message.role == "tool" for message in messages):
        raise bad_request("messages: all of them are blank", "messages")
    return tuple(messages), tuple(dict.fromkeys(passed_over))


def _message(i: int, item: object, passed_over: list[str]) -> Message:
    where = f"messages[{i}]"
    if not isinstance(item, dict):
        raise bad_request(f"{where}: an object was expected", where)
    name = item.get("role")
    role = _ROLES.get(name) if isinstance(name, str) else None
    if role is None:
        raise bad_request(f"{where}.role: expected one of {', '.join(_ROLES)}", f"{where}.role")
    for field, found in item.items():
        if found is None or field in _KNOWN or field in _OF_ROLE.get(role, ()):
            continue
        if field == "function_call":
            raise bad_request(f"{where}.{field}: use tool_calls", f"{where}.{field}", "unsupported")
        passed_over.append(f"messages[].{field}")
    text = _text(item, role, f"{where}.content", passed_over)
    if role == "tool":
        return Message(role, text, tool_call_id=_call_id(item, where))
    calls = item.get("tool_calls")
    if role != "assistant" or calls is None or calls == []:
        return Message(role, text)
    return Message(role, text, _calls(calls, f"{where}.tool_calls", passed_over))


def _call_id(item: Mapping[str, Any], where: str) -> str:
    value = item.get("tool_call_id")
    if isinstance(value, str) and 0 < len(value) <= MOST_ID_CHARS:
        return value
    raise bad_request(f"{where}.tool_call_id: a text was expected", f"{where}.tool_call_id")


def _calls(value: object, where: str, passed_over: list[str]) -> str:
    """The calls of an assistant's message as JSON text; ids and arguments stay what they are."""
    if not isinstance(value, list) or len(value) > MOST_PARTS:
        raise bad_request(f"{where}: a list of calls was expected", where)
    calls = []
    for i, call in enumerate(value):
        function = call.get("function") if isinstance(call, dict) else None
        name = function.get("name") if isinstance(function, dict) else None
        arguments = function.get("arguments") if isinstance(function, dict) else None
        if not isinstance(name, str) or not isinstance(arguments, str):
            place = f"{where}[{i}].function"
            raise bad_request(f"{place}: a name and arguments were expected", place)
        call_id = _call_id({"tool_call_id": call.get("id")}, f"{where}[{i}]")
        others = [field for field in call if field not in _KNOWN_OF_CALL]
        passed_over += [f"messages[].tool_calls[].{field}" for field in others]
        said = {"name": name, "arguments": arguments}
        calls.append({"id": call_id, "type": "function", "function": said})
    return json.dumps(calls, separators=(",", ":"))


def _text(item: Mapping[str, Any], role: Role, where: str, passed_over: list[str]) -> str:
    content = item.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        if len(content) > MOST_PARTS:
            raise bad_request(f"{where}: at most {MOST_PARTS} parts were expected", where)
        parts = [_part(part, f"{where}[{k}]", passed_over) for k, part in enumerate(content)]
        return "".join(parts)
    if content is None and role == "assistant":
        refusal = item.get("refusal")  # an earlier reply may have held nothing else
        return refusal if isinstance(refusal, str) else ""
    raise bad_request(f"{where}: a text or a list of parts was expected", where, "invalid_value")


def _part(part: object, where: str, passed_over: list[str]) -> str:
    if not isinstance(part, dict):
        raise bad_request(f"{where}: an object was expected", where, "invalid_value")
    kind = part.get("type")
    others = [name for name, value in part.items() if value and name not in _KNOWN_OF_PART]
    passed_over += [f"messages[].content[].{name}" for name in others]
    text = part.get("refusal" if kind == "refusal" else "text")
    if kind in ("text", "refusal", "input_text", "output_text") and isinstance(text, str):
        return text
    if kind in ("text", "refusal"):
        raise bad_request(f"{where}.{kind}: a text was expected", f"{where}.{kind}")
    shown = kind if isinstance(kind, str) and len(kind) < 40 else type(kind).__name__
    raise bad_request(
        f"{where}: parts of type {shown!r} are not supported, only text is",
        where,
        "unsupported_content",
    )
