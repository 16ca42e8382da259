"""The Responses API's requests, translated to those of chat completions.

So that there is one reader that knows what is taken, refused and passed over. Places in refusals
are translated back. What a server would have to remember between requests is refused: nothing of a
conversation is kept here.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from partbook.server.chat_request import ChatRequest, read_chat
from partbook.server.fields import Fields
from partbook.server.messages import MOST_MESSAGES
from partbook.server.refusal import Refusal, bad_request

__all__ = ["MOST_ITEMS", "read_responses"]

MOST_ITEMS = MOST_MESSAGES - 1
"""Longest history: one message is left for the instructions."""


_NAMES = {
    "max_tokens": "max_output_tokens",
    "response_format": "text.format",
    "reasoning_effort": "reasoning.effort",
    "messages": "input",
}
"""Fields of chat completions, and what they are called here."""

_KEEPS = ("previous_response_id", "conversation", "prompt", "background")
"""Fields that need something which was kept."""

_SAME = ("model", "stream", "temperature", "top_p", "parallel_tool_calls", "tools", "tool_choice")

_MESSAGE = re.compile(r"messages\[(\d*)\]")

_KNOWN_OF_ITEM = frozenset(
    {"type", "id", "status", "role", "content", "call_id", "name", "arguments", "output"}
)


def read_responses(
    body: Mapping[str, Any], headers: Mapping[str, str], *, strict: bool
) -> ChatRequest:
    """Read a request of `POST /v1/responses`; otherwise as `read_chat`.

    Raises:
        Refusal: something in it is wrong or cannot be done; `param` names it.
    """
    fields = Fields(body)
    for name in _KEEPS:
        value = fields.raw(name)
        if value is not None and value is not False and value != "":
            raise bad_request(f"{name}: nothing is kept between requests", name, "unsupported")
    origins: list[int] = []
    passed_over: list[str] = []
    chat: dict[str, Any] = {"messages": _messages(fields, origins, passed_over)}
    for name in _SAME:
        chat[name] = fields.raw(name)
    chat["tools"] = _tools(chat["tools"])
    choice = chat["tool_choice"]
    if isinstance(choice, dict) and choice.get("type") == "function":
        chat["tool_choice"] = {"type": "function", "function": {"name": choice.get("name")}}
    chat["max_tokens"] = fields.integer("max_output_tokens", 1, 10_000_000)
    chat["response_format"], chat["verbosity"] = _text(fields)
    reasoning = fields.table("reasoning") or {}
    chat["reasoning_effort"] = reasoning.get("effort")
    if fields.raw("include"):
        chat["include"] = True  # which is passed over, and said
    if fields.raw("truncation") not in (None, "disabled"):
        chat["truncation"] = True
    if (options := fields.table("stream_options")) and options.get("include_obfuscation"):
        chat["stream_options.include_obfuscation"] = True
    for name, value in fields.left().items():
        # What only chat completions have must not stand beside what was translated to it.
        if name in chat or name == "n":
            passed_over.append(name)
        else:
            chat[name] = value
    try:
        asked = read_chat(chat, headers, strict=strict, passed_over=passed_over)
    except Refusal as err:
        err.param = _translated(err.param, origins)
        raise
    named = (name.replace("messages[]", "input[]", 1) for name in asked.warnings)
    return replace(asked, warnings=tuple(dict.fromkeys(named)))


def _messages(fields: Fields, origins: list[int], passed_over: list[str]) -> list[Any]:
    """The history; `origins` receives the index of the item that each message came from."""
    messages: list[Any] = []
    instructions = fields.text("instructions")
    if instructions:
        messages.append({"role": "system", "content": instructions})
        origins.append(-1)
    value = fields.raw("input")
    items = [{"role": "user", "content": value}] if isinstance(value, str) else value
    if not isinstance(items, list) or not items:
        raise bad_request("input: a text or a list of items was expected", "input")
    if len(items) > MOST_ITEMS:
        found = len(items)
        raise bad_request(
            f"input: at most {MOST_ITEMS} items were expected, found {found}", "input"
        )
    for i, item in enumerate(items):
        kind = item.get("type", "message") if isinstance(item, dict) else None
        if isinstance(item, dict) and kind != "reasoning":
            others = [name for name, sent in item.items() if sent and name not in _KNOWN_OF_ITEM]
            passed_over += [f"input[].{name}" for name in others]
        match kind:
            case "message":
                told = {"role": item.get("role"), "content": item.get("content")}
            case "function_call":
                call = _call(item)
                if messages and messages[-1].get("tool_calls"):
                    messages[-1]["tool_calls"].append(call)  # asked for in the same turn
                    continue
                told = {"role": "assistant", "content": None, "tool_calls": [call]}
            case "function_call_output":
                output, call_id = item.get("output"), item.get("call_id")
                told = {"role": "tool", "content": output, "tool_call_id": call_id}
            case "reasoning":
                continue  # of an earlier reply; no worker needs it
            case _:
                place = f"input[{i}].type"
                raise bad_request(f"{place}: not supported", place, "unsupported")
        messages.append(told)
        origins.append(i)
    return messages


def _call(item: Mapping[str, Any]) -> dict[str, Any]:
    function = {"name": item.get("name"), "arguments": item.get("arguments")}
    return {"id": item.get("call_id"), "type": "function", "function": function}


def _tools(tools: object) -> object:
    """Tools with their fields one level deeper, as chat completions have them."""
    if not isinstance(tools, list):
        return tools
    return [
        {"type": "function", "function": {k: v for k, v in tool.items() if k != "type"}}
        if isinstance(tool, dict) and tool.get("type") == "function"
        else tool
        for tool in tools
    ]


def _text(fields: Fields) -> tuple[dict[str, Any] | None, Any]:
    """The form of the answer, and how wordy it is to be."""
    text = fields.table("text") or {}
    form = text.get("format")
    if isinstance(form, dict) and form.get("type") == "json_schema":
        schema = {name: value for name, value in form.items() if name != "type"}
        return {"type": "json_schema", "json_schema": schema}, text.get("verbosity")
    if form is not None and not isinstance(form, dict):
        raise bad_request("text.format: an object was expected", "text.format")
    return form, text.get("verbosity")


def _translated(param: str | None, origins: list[int]) -> str | None:
    if param is None:
        return None
    found = _MESSAGE.match(param)
    if found is not None and not found[1]:
        return f"input{param.removeprefix('messages')}"
    if found is not None and int(found[1]) < len(origins):
        origin = origins[int(found[1])]
        where = "instructions" if origin < 0 else f"input[{origin}]"
        return where + param[found.end() :]
    return _NAMES.get(param, param)
