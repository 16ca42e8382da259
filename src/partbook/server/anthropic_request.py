"""Anthropic's messages API: its requests, translated to those of chat completions.

So that there is one reader that knows what is taken, refused and passed over. A turn there can hold
the results of several tools and a text; here each becomes a message of its own.
"""

import json
from collections.abc import Mapping
from typing import Any

from partbook.server.chat_request import ChatRequest, read_chat
from partbook.server.fields import Fields
from partbook.server.refusal import Refusal, bad_request

__all__ = ["read_anthropic"]

_NAMES = {"stop": "stop_sequences", "response_format": "output_config"}

_SAME = ("model", "stream", "temperature", "top_p")

_CHOICES = {"auto": "auto", "any": "required", "none": "none"}


def read_anthropic(
    body: Mapping[str, Any], headers: Mapping[str, str], *, strict: bool
) -> ChatRequest:
    """Read a request of `POST /v1/messages`; otherwise as `read_chat`.

    Raises:
        Refusal: something in it is wrong or cannot be done; `param` names it.
    """
    fields = Fields(body)
    chat: dict[str, Any] = {name: fields.raw(name) for name in _SAME}
    chat["max_tokens"] = fields.integer("max_tokens", 1, 10_000_000)
    if chat["max_tokens"] is None:
        raise bad_request("max_tokens: an integer was expected", "max_tokens", "missing_field")
    chat["stop"] = list(fields.texts("stop_sequences", 16)) or None
    chat["messages"] = [*_system(fields.raw("system")), *_messages(fields.raw("messages"))]
    chat["tools"] = _tools(fields.raw("tools"))
    _take_choice(fields.table("tool_choice"), chat)
    thinking = fields.table("thinking")
    if thinking is not None and thinking.get("type") != "disabled":
        chat["thinking"] = True  # which is passed over, and said
    chat |= fields.left()
    try:
        return read_chat(chat, headers, strict=strict)
    except Refusal as err:
        err.param = _NAMES.get(err.param or "", err.param)
        raise


def _system(value: object) -> list[dict[str, Any]]:
    if value is None or value == "":
        return []
    if isinstance(value, str):
        return [{"role": "system", "content": value}]
    return [{"role": "system", "content": [_text(p, f"system[{i}]") for i, p in _parts(value)]}]


def _messages(value: object) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not value:
        raise bad_request("messages: a list with at least one message was expected", "messages")
    messages: list[dict[str, Any]] = []
    for i, item in enumerate(value):
        where = f"messages[{i}]"
        role = item.get("role") if isinstance(item, dict) else None
        if not isinstance(item, dict) or role not in ("user", "assistant"):
            raise bad_request(f"{where}.role: user or assistant was expected", f"{where}.role")
        content = item.get("content")
        if isinstance(content, str):
            messages.append({"role": role, "content": content})
        else:
            messages += _turn(role, content, f"{where}.content")
    return messages


def _turn(role: str, content: object, where: str) -> list[dict[str, Any]]:
    """The messages that the blocks of one turn are."""
    texts: list[dict[str, Any]] = []
    calls: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []
    for k, block in _parts(content):
        place = f"{where}[{k}]"
        match block.get("type"):
            case "tool_use" if role == "assistant":
                calls.append(_call(block))
            case "tool_result" if role == "user":
                results.append(_result(block, place))
            case "thinking" | "redacted_thinking":
                continue  # of an earlier reply; no worker needs it
            case _:
                texts.append(_text(block, place))
    told: dict[str, Any] = {"role": role, "content": texts or None}
    if calls:
        return [told | {"tool_calls": calls}]
    return [*results, told] if texts or not results else results


def _parts(value: object) -> list[tuple[int, dict[str, Any]]]:
    if isinstance(value, list) and all(isinstance(part, dict) for part in value):
        return list(enumerate(value))
    raise bad_request("content: a text or a list of blocks was expected", "messages")


def _text(block: Mapping[str, Any], place: str) -> dict[str, Any]:
    if block.get("type") == "text" and isinstance(block.get("text"), str):
        return {"type": "text", "text": block["text"]}
    raise bad_request(f"{place}: only text is supported", place, "unsupported_content")


def _call(block: Mapping[str, Any]) -> dict[str, Any]:
    arguments = json.dumps(block.get("input", {}))
    function = {"name": block.get("name"), "arguments": arguments}
    return {"id": block.get("id"), "type": "function", "function": function}


def _result(block: Mapping[str, Any], place: str) -> dict[str, Any]:
    content = block.get("content", "")
    if isinstance(content, list):
        parts = enumerate(content)
        content = [
            _text(part if isinstance(part, dict) else {}, f"{place}.content[{k}]")
            for k, part in parts
        ]
    return {"role": "tool", "tool_call_id": block.get("tool_use_id"), "content": content}


def _tools(tools: object) -> object:
    if not isinstance(tools, list):
        return tools
    return [_tool(tool) if isinstance(tool, dict) else tool for tool in tools]


def _tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    if tool.get("type", "custom") != "custom":
        return dict(tool)  # one of the provider's own, which is refused
    function = {"name": tool.get("name"), "parameters": tool.get("input_schema")}
    if "description" in tool:
        function["description"] = tool["description"]
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
