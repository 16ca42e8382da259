"""Anthropic's messages API: its requests, translated to those of chat completions.

So that there is one reader that knows what is taken, refused and passed over. A turn there can hold
the results of several tools and a text; here each becomes a message of its own.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from partbook.server.chat_request import ChatRequest, read_chat
from partbook.server.fields import Fields
from partbook.server.messages import MOST_ID_CHARS, MOST_MESSAGES, MOST_PARTS
from partbook.server.refusal import Refusal, bad_request
from partbook.server.wishes import MOST_ANSWER_TOKENS, MOST_STOPS

__all__ = ["MOST_TURNS", "read_anthropic"]

_NAMES = {"stop": "stop_sequences", "response_format": "output_config"}

_SAME = ("model", "stream", "temperature", "top_p")

MOST_TURNS = MOST_MESSAGES - 1
"""Longest history: one message is left for the system prompt."""

_CHOICES = {"auto": "auto", "any": "required", "none": "none"}

_KNOWN: Mapping[str, tuple[str, ...]] = {
    "text": ("type", "text"),
    "tool_use": ("type", "id", "name", "input"),
    "tool_result": ("type", "tool_use_id", "content"),
    "tool": ("type", "name", "description", "input_schema", "strict"),
}
"""Fields of blocks and tools; others are passed over, marks for a cache of prompts among them."""


def read_anthropic(
    body: Mapping[str, Any], headers: Mapping[str, str], *, strict: bool
) -> ChatRequest:
    """Read a request of `POST /v1/messages`; otherwise as `read_chat`.

    Raises:
        Refusal: something in it is wrong or cannot be done; `param` names it.
    """
    fields = Fields(body)
    passed_over: list[str] = []
    chat: dict[str, Any] = {name: fields.raw(name) for name in _SAME}
    chat["max_tokens"] = fields.integer("max_tokens", 1, MOST_ANSWER_TOKENS)
    if chat["max_tokens"] is None:
        raise bad_request("max_tokens: an integer was expected", "max_tokens", "missing_field")
    chat["stop"] = list(fields.texts("stop_sequences", MOST_STOPS)) or None
    system, turns = fields.raw("system"), fields.raw("messages")
    chat["messages"] = [*_system(system, passed_over), *_messages(turns, passed_over)]
    chat["tools"] = _tools(fields.raw("tools"), passed_over)
    _take_choice(fields.table("tool_choice"), chat)
    thinking = fields.table("thinking")
    if thinking is not None and thinking.get("type") != "disabled":
        passed_over.append("thinking")
    for name, value in fields.left().items():
        # What only chat completions have must not stand beside what was translated to it.
        if name in chat or name == "n":
            passed_over.append(name)
        else:
            chat[name] = value
    try:
        return read_chat(chat, headers, strict=strict, passed_over=passed_over)
    except Refusal as err:
        err.param = _NAMES.get(err.param or "", err.param)
        raise


def _system(value: object, passed_over: list[str]) -> list[dict[str, Any]]:
    if value is None or value == "":
        return []
    if isinstance(value, str):
        return [{"role": "system", "content": value}]
    blocks = _blocks(value, "system")
    texts = [_text(block, f"system[{i}]", passed_over) for i, block in enumerate(blocks)]
    return [{"role": "system", "content": texts}]


def _messages(value: object, passed_over: list[str]) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not value:
        raise bad_request("messages: a list with at least one message was expected", "messages")
    if len(value) > MOST_TURNS:
        told = f"messages: at most {MOST_TURNS} were expected, found {len(value)}"
        raise bad_request(told, "messages")
    messages: list[dict[str, Any]] = []
    for i, item in enumerate(value):
        where = f"messages[{i}]"
        role = item.get("role") if isinstance(item, dict) else None
        if not isinstance(item, dict) or role not in ("user", "assistant"):
            raise bad_request(f"{where}.role: user or assistant was expected", f"{where}.role")
        _name_others(item, ("role", "content"), "messages[]", passed_over)
        content = item.get("content")
        if isinstance(content, str):
            messages.append({"role": role, "content": content})
        else:
            messages += _turn(role, content, f"{where}.content", passed_over)
    return messages


def _turn(role: str, content: object, where: str, passed_over: list[str]) -> list[dict[str, Any]]:
    """The messages that the blocks of one turn are."""
    texts: list[dict[str, Any]] = []
    calls: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []
    blocks = _blocks(content, where)
    if role == "user" and not blocks:
        raise bad_request(f"{where}: at least one block was expected", where)
    for k, block in enumerate(blocks):
        place = f"{where}[{k}]"
        match block.get("type"):
            case "tool_use" if role == "assistant":
                calls.append(_call(block, place, passed_over))
            case "tool_result" if role == "user":
                results.append(_result(block, place, passed_over))
            case "thinking" | "redacted_thinking" if role == "assistant":
                continue  # of an earlier reply; no worker needs it
            case _:
                texts.append(_text(block, place, passed_over))
    told: dict[str, Any] = {"role": role, "content": texts or None}
    if calls:
        return [told | {"tool_calls": calls}]
    return [*results, told] if texts or not results else results


def _blocks(value: object, where: str) -> list[dict[str, Any]]:
    if isinstance(value, list) and all(isinstance(block, dict) for block in value):
        if len(value) > MOST_PARTS:
            raise bad_request(f"{where}: at most {MOST_PARTS} blocks were expected", where)
        return value
    raise bad_request(f"{where}: a text or a list of blocks was expected", where)


def _text(block: Mapping[str, Any], place: str, passed_over: list[str]) -> dict[str, Any]:
    if block.get("type") == "text" and isinstance(block.get("text"), str):
        _name_others(block, _KNOWN["text"], _anywhere(place), passed_over)
        return {"type": "text", "text": block["text"]}
    raise bad_request(f"{place}: only text is supported", place, "unsupported_content")


def _call(block: Mapping[str, Any], place: str, passed_over: list[str]) -> dict[str, Any]:
    _name_others(block, _KNOWN["tool_use"], _anywhere(place), passed_over)
    name, given = block.get("name"), block.get("input", {})
    if not isinstance(name, str) or not isinstance(given, dict):
        raise bad_request(f"{place}: a name and an object as input were expected", place)
    function = {"name": name, "arguments": json.dumps(given)}
    return {"id": _id(block, "id", place), "type": "function", "function": function}


def _result(block: Mapping[str, Any], place: str, passed_over: list[str]) -> dict[str, Any]:
    _name_others(block, _KNOWN["tool_result"], _anywhere(place), passed_over)
    content: object = block.get("content")
    if content is None:
        content = ""
    if not isinstance(content, str):
        inner = f"{place}.content"
        blocks = enumerate(_blocks(content, inner))
        content = [_text(each, f"{inner}[{k}]", passed_over) for k, each in blocks]
    return {"role": "tool", "tool_call_id": _id(block, "tool_use_id", place), "content": content}


def _id(block: Mapping[str, Any], name: str, place: str) -> str:
    value = block.get(name)
    if isinstance(value, str) and 0 < len(value) <= MOST_ID_CHARS:
        return value
    raise bad_request(f"{place}.{name}: a text was expected", f"{place}.{name}")


def _name_others(
    block: Mapping[str, Any], known: Sequence[str], where: str, passed_over: list[str]
) -> None:
    # A false one (`is_error: false`) asks for nothing.
    others = [name for name, value in block.items() if value and name not in known]
    passed_over += [f"{where}.{name}" for name in others]


def _anywhere(place: str) -> str:
    """A place without its indices, so that what stands in many is named once."""
    return re.sub(r"\[\d+\]", "[]", place)


def _tools(tools: object, passed_over: list[str]) -> object:
    if not isinstance(tools, list):
        return tools
    return [_tool(tool, passed_over) if isinstance(tool, dict) else tool for tool in tools]


def _tool(tool: Mapping[str, Any], passed_over: list[str]) -> dict[str, Any]:
    if tool.get("type", "custom") != "custom":
        return dict(tool)  # one of the provider's own, which is refused
    _name_others(tool, _KNOWN["tool"], "tools[]", passed_over)
    function = {"name": tool.get("name"), "parameters": tool.get("input_schema")}
    function |= {name: tool[name] for name in ("description", "strict") if name in tool}
    return {"type": "function", "function": function}


def _take_choice(choice: Mapping[str, Any] | None, chat: dict[str, Any]) -> None:
    if choice is None:
        return
    kind = choice.get("type")
    if kind == "tool":
        chat["tool_choice"] = {"type": "function", "function": {"name": choice.get("name")}}
    elif isinstance(kind, str) and kind in _CHOICES:
        chat["tool_choice"] = _CHOICES[kind]
    else:
        raise bad_request("tool_choice.type: auto, any, none or tool was expected", "tool_choice")
    if choice.get("disable_parallel_tool_use"):
        chat["parallel_tool_calls"] = False
