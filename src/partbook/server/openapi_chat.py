"""The body of a chat request in the OpenAPI document, and what all requests share.

A schema says what the reader (`chat_request.py`) takes. A field that it does not name is passed
over and named in a header, so further fields are allowed everywhere; at the top level a null is a
field that is not there.
"""

from typing import get_args

from partbook.server.chat_request import AMOUNT, MOST_CALLS, MOST_CHOICES, MOST_SECONDS, FollowUp
from partbook.server.effort import EFFORTS
from partbook.server.messages import MOST_ID_CHARS, MOST_MESSAGES, MOST_PARTS
from partbook.server.openapi_schema import (
    ANYTHING,
    FLAG,
    NULL,
    OBJECT,
    Schema,
    array,
    choice,
    integer,
    maybe,
    number,
    one_of,
    record,
    ref,
    text,
)
from partbook.server.tools import MOST_TOOLS
from partbook.server.wishes import MOST_ANSWER_TOKENS, MOST_STOPS

__all__ = [
    "CALL",
    "CALL_ID",
    "CHAT",
    "CHAT_MESSAGE",
    "COMMON",
    "CONTENT",
    "EFFORT",
    "JSON_FORM",
    "MODES",
    "SPELT_AMOUNT",
    "STOPS",
    "TOKENS",
    "part",
]

TOKENS = integer("Most tokens of the answer.", 1, MOST_ANSWER_TOKENS)
CALL_ID = text("The id of a call.", least=1, most=MOST_ID_CHARS)
SPELT_AMOUNT: Schema = {"type": "string", "pattern": f"^(?:{AMOUNT})$", "maxLength": 40}

COMMON: dict[str, Schema] = {
    "model": text("A name of `GET /v1/models`.", least=1, most=200) | {"examples": ["partbook"]},
    "stream": maybe(FLAG),
    "temperature": maybe(number("", 0, 2)),
    "top_p": maybe({"type": "number", "exclusiveMinimum": 0, "maximum": 1}),
    "max_usd": maybe(
        one_of(number("", 0), SPELT_AMOUNT, about="Most US dollars of all its calls.")
    ),
    "max_calls": maybe(integer("Most calls of Conductor and workers.", 0, MOST_CALLS)),
    "timeout_s": maybe(number("Most seconds.", 0.001, MOST_SECONDS)),
    "partbook_metadata": maybe(FLAG | {"description": "Whether the reply says how it came about."}),
    "partbook_strict": maybe(FLAG | {"description": "Refuse what would be passed over."}),
    "partbook_follow_ups": maybe(
        choice(*get_args(FollowUp), about="How the conversation goes on from the last turn.")
    ),
}

STOPS = one_of(
    text(least=1), array(text(least=1), MOST_STOPS), about="Texts before which the answer ends."
)


def part(kind: str, field: str) -> Schema:
    """A part of a content that holds a text in this field."""
    return record({"type": choice(kind), field: text()}, ("type", field))


def _content(*parts: Schema) -> Schema:
    return one_of(text(), array(one_of(*parts), MOST_PARTS))


_TEXT_PARTS = [part(kind, "text") for kind in ("text", "input_text", "output_text")]
CONTENT = _content(*_TEXT_PARTS, part("refusal", "refusal"))

CALL = record(
    {
        "id": CALL_ID,
        "function": record({"name": text(), "arguments": text()}, ("name", "arguments")),
    },
    ("id", "function"),
)
_NO_OLD_CALL = {"function_call": NULL}

CHAT_MESSAGE = one_of(
    record(
        {"role": choice("system", "developer", "user"), "content": ref("Content"), **_NO_OLD_CALL},
        ("role", "content"),
    ),
    record(
        {
            "role": choice("assistant"),
            "content": maybe(ref("Content")),
            "tool_calls": maybe(array(ref("Call"), MOST_PARTS)),
            **_NO_OLD_CALL,
        },
        ("role",),
    ),
    record(
        {
            "role": choice("tool"),
            "content": ref("Content"),
            "tool_call_id": CALL_ID,
            **_NO_OLD_CALL,
        },
        ("role", "content", "tool_call_id"),
    ),
)

MODES = choice("none", "auto", "required")
_FUNCTION = record(
    {"name": text(least=1), "parameters": ANYTHING, "description": ANYTHING}, ("name",)
)
_CHAT_TOOL = record({"type": choice("function"), "function": _FUNCTION}, ("type", "function"))
_NAMED = record({"name": text("The name of one of the tools.")}, ("name",))

JSON_FORM = record({"type": choice("text", "json_object")}, ("type",))
EFFORT = text(f"{', '.join(EFFORTS)}; any other is taken as medium.", most=40)

CHAT = record(
    {
        **COMMON,
        "messages": array(ref("ChatMessage"), MOST_MESSAGES, 1, "At least one is not blank."),
        "max_tokens": maybe(TOKENS),
        "max_completion_tokens": maybe(TOKENS),
        "seed": maybe(integer("", -(2**63), 2**63 - 1)),
        "stop": maybe(STOPS),
        "n": maybe(integer("How many answers of the last step.", 1, MOST_CHOICES)),
        "reasoning_effort": maybe(EFFORT),
        "response_format": maybe(
            one_of(
                JSON_FORM,
                record(
                    {
                        "type": choice("json_schema"),
                        "json_schema": record({"schema": OBJECT}, ("schema",)),
                    },
                    ("type", "json_schema"),
                ),
            )
        ),
        "stream_options": maybe(
            record({"include_usage": maybe(FLAG)}, about="Only with `stream: true`.")
        ),
        "tools": maybe(array(_CHAT_TOOL, MOST_TOOLS)),
        "tool_choice": maybe(
            one_of(
                MODES,
                record({"type": choice("function"), "function": _NAMED}, ("type", "function")),
                about="Anything but none and auto needs tools.",
            )
        ),
        "parallel_tool_calls": maybe(FLAG),
        "logprobs": choice(False, None),
        "top_logprobs": choice(0, None),
        "modalities": choice(["text"], None),
        "audio": NULL,
        "web_search_options": NULL,
        "functions": maybe(array(ANYTHING, 0)),
        "function_call": choice("none", "auto", None),
    },
    ("model", "messages"),
)
