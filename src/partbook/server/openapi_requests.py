"""The bodies of requests in the OpenAPI document, by name; those of chat are in `openapi_chat.py`.

They say what the readers (`responses_request.py`, `anthropic_request.py`) take.
"""

from partbook.server.anthropic_request import MOST_TURNS
from partbook.server.messages import MOST_PARTS
from partbook.server.openapi_chat import (
    CALL,
    CALL_ID,
    CHAT,
    CHAT_MESSAGE,
    COMMON,
    CONTENT,
    EFFORT,
    JSON_FORM,
    MODES,
    STOPS,
    TOKENS,
    part,
)
from partbook.server.openapi_schema import (
    FLAG,
    OBJECT,
    Schema,
    array,
    choice,
    maybe,
    one_of,
    record,
    ref,
    text,
)
from partbook.server.responses_request import MOST_ITEMS
from partbook.server.tools import MOST_TOOLS

__all__ = ["REQUESTS"]

_ITEM = one_of(
    record(
        {
            "type": choice("message"),
            "role": choice("user", "system", "developer"),
            "content": ref("Content"),
        },
        ("role", "content"),
    ),
    record(
        {
            "type": choice("message"),
            "role": choice("assistant"),
            "content": maybe(ref("Content")),
        },
        ("role",),
    ),
    record(
        {
            "type": choice("function_call"),
            "call_id": CALL_ID,
            "name": text(),
            "arguments": text(),
        },
        ("type", "call_id", "name", "arguments"),
    ),
    record(
        {
            "type": choice("function_call_output"),
            "call_id": CALL_ID,
            "output": ref("Content"),
        },
        ("type", "call_id", "output"),
    ),
    record({"type": choice("reasoning")}, ("type",), "Of an earlier reply; passed over."),
)

_NOTHING_KEPT = choice(None, False, "", about="Nothing is kept between requests.")

_RESPONSES = record(
    {
        **COMMON,
        "input": one_of(text(), array(ref("InputItem"), MOST_ITEMS, 1)),
        "instructions": maybe(text(most=1_000_000)),
        "max_output_tokens": maybe(TOKENS),
        "reasoning": maybe(record({"effort": maybe(EFFORT)})),
        "text": maybe(
            record(
                {
                    "format": maybe(
                        one_of(
                            JSON_FORM,
                            record(
                                {"type": choice("json_schema"), "schema": OBJECT},
                                ("type", "schema"),
                            ),
                        )
                    )
                }
            )
        ),
        "stream_options": maybe(OBJECT),
        "tools": maybe(
            array(
                record({"type": choice("function"), "name": text(least=1)}, ("type", "name")),
                MOST_TOOLS,
            )
        ),
        "tool_choice": maybe(
            one_of(
                MODES,
                record({"type": choice("function"), "name": text()}, ("type", "name")),
                about="Anything but none and auto needs tools.",
            )
        ),
        "parallel_tool_calls": maybe(FLAG),
        "previous_response_id": _NOTHING_KEPT,
        "conversation": _NOTHING_KEPT,
        "prompt": _NOTHING_KEPT,
        "background": _NOTHING_KEPT,
    },
    ("model", "input"),
)

_TEXT_BLOCK = part("text", "text")
_RESULT_BLOCK = record(
    {
        "type": choice("tool_result"),
        "tool_use_id": CALL_ID,
        "content": one_of(text(), array(_TEXT_BLOCK, MOST_PARTS)),
    },
    ("type", "tool_use_id"),
)
_USE_BLOCK = record(
    {"type": choice("tool_use"), "id": CALL_ID, "name": text(), "input": OBJECT},
    ("type", "id", "name"),
)
_THOUGHT_BLOCK = record(
    {"type": choice("thinking", "redacted_thinking")}, ("type",), "Of an earlier reply."
)

_TURN = one_of(
    record(
        {
            "role": choice("user"),
            "content": one_of(text(), array(one_of(_TEXT_BLOCK, _RESULT_BLOCK), MOST_PARTS, 1)),
        },
        ("role", "content"),
    ),
    record(
        {
            "role": choice("assistant"),
            "content": one_of(
                text(), array(one_of(_TEXT_BLOCK, _USE_BLOCK, _THOUGHT_BLOCK), MOST_PARTS)
            ),
        },
        ("role", "content"),
    ),
)

_ANTHROPIC = record(
    {
        **COMMON,
        "max_tokens": TOKENS,
        "messages": array(ref("Turn"), MOST_TURNS, 1, "At least one is not blank."),
        "system": maybe(one_of(text(), array(_TEXT_BLOCK, MOST_PARTS))),
        "stop_sequences": maybe(STOPS),
        "thinking": maybe(OBJECT),
        "tools": maybe(
            array(record({"name": text(least=1), "type": choice("custom")}, ("name",)), MOST_TOOLS)
        ),
        "tool_choice": maybe(
            one_of(
                record({"type": choice("auto", "any", "none")}, ("type",)),
                record({"type": choice("tool"), "name": text()}, ("type", "name")),
                about="Anything but none and auto needs tools.",
            )
        ),
    },
    ("model", "max_tokens", "messages"),
)

REQUESTS: dict[str, Schema] = {
    "Content": CONTENT,
    "Call": CALL,
    "ChatMessage": CHAT_MESSAGE,
    "ChatRequest": CHAT,
    "InputItem": _ITEM,
    "ResponsesRequest": _RESPONSES,
    "Turn": _TURN,
    "MessagesRequest": _ANTHROPIC,
}
"""By name, as components."""
