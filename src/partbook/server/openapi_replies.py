"""The bodies of replies in the OpenAPI document.

What a client may count on: fields that every reply has are required, and others may be added.
Streams are described in words, since OpenAPI 3.1 has no schema for the events of one.
"""

from partbook.server.openapi_schema import (
    ANYTHING,
    FLAG,
    NULL,
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

__all__ = ["REPLIES", "STREAMS"]

_COUNT = integer("", 0)
_AMOUNT = text("US dollars, as a decimal number.")


def _whole(properties: dict[str, Schema], *optional: str, about: str = "") -> Schema:
    """An object whose fields are all there, but for these."""
    required = [name for name in properties if name not in optional]
    return record(properties, required, about)


_ERROR = _whole(
    {
        "error": _whole(
            {
                "message": text(),
                "type": text(),
                "param": maybe(text("The field at fault.")),
                "code": maybe(text()),
            }
        )
    }
)
_ANTHROPIC_ERROR = _whole(
    {
        "type": choice("error"),
        "error": _whole({"type": text(), "message": text(), "param": maybe(text())}),
    }
)

_MODEL = _whole(
    {
        "id": text(),
        "object": choice("model"),
        "created": integer(),
        "owned_by": text(),
        "pinned": text("The name that replies carry."),
        "context_length": maybe(integer("The smallest window of all workers it may need.", 1)),
        "max_completion_tokens": maybe(integer("", 1)),
        "input_modalities": array(text()),
        "output_modalities": array(text()),
        "supports_tools": FLAG,
    }
)

_STEP = _whole({"worker": text(), "subtask": text(), "access": array(_COUNT)})
_PLAN = _whole({"source": text(), "name": maybe(text()), "steps": array(_STEP)})
_LEDGER_LINE = _whole(
    {
        "what": choice("conductor", "step", "choice", "answer"),
        "step": maybe(_COUNT),
        "worker": text(),
        "answered_by": text(),
        "model": text(),
        "calls": _COUNT,
        "prompt_tokens": maybe(_COUNT),
        "completion_tokens": maybe(_COUNT),
        "cost_usd": maybe(_AMOUNT),
        "seconds": maybe(number()),
        "cached": FLAG,
        "error": maybe(text()),
        "notes": array(text()),
    }
)
_METADATA = _whole(
    {
        "run_id": text(),
        "seconds": number(),
        "calls": _COUNT,
        "cost_usd": maybe(_AMOUNT),
        "usage_is_whole": FLAG,
        "plan": maybe(_PLAN),
        "turn": maybe(record({"plan": text()})),
        "ledger": array(_LEDGER_LINE),
    },
    about="How a reply came about, where it was asked for.",
)

_CALL = _whole(
    {
        "id": text(),
        "type": choice("function"),
        "function": _whole({"name": text(), "arguments": text()}),
    }
)
_CHOICE = _whole(
    {
        "index": _COUNT,
        "message": _whole(
            {
                "role": choice("assistant"),
                "content": maybe(text()),
                "refusal": NULL,
                "tool_calls": array(_CALL),
                "reasoning_content": text("Plan and steps."),
            },
            "tool_calls",
            "reasoning_content",
        ),
        "logprobs": NULL,
        "finish_reason": choice("stop", "length", "content_filter", "tool_calls"),
    }
)
_CHAT_USAGE = _whole(
    {
        "prompt_tokens": _COUNT,
        "completion_tokens": _COUNT,
        "total_tokens": _COUNT,
        "prompt_tokens_details": _whole({"cached_tokens": _COUNT}),
        "completion_tokens_details": _whole({"reasoning_tokens": _COUNT}),
        "cost": maybe(number("US dollars; only with metadata.")),
    },
    "cost",
    about="The sum of all calls.",
)
_COMPLETION = _whole(
    {
        "id": text(),
        "object": choice("chat.completion"),
        "created": integer(),
        "model": text(),
        "choices": array(_CHOICE, None, 1),
        "usage": _CHAT_USAGE,
        "partbook": ref("Metadata"),
    },
    "partbook",
)

_OUTPUT = one_of(
    _whole(
        {
            "type": choice("reasoning"),
            "id": text(),
            "summary": array(_whole({"type": choice("summary_text"), "text": text()})),
        }
    ),
    _whole(
        {
            "type": choice("message"),
            "id": text(),
            "status": text(),
            "role": choice("assistant"),
            "content": array(
                _whole({"type": choice("output_text"), "text": text(), "annotations": array({})})
            ),
        }
    ),
    _whole(
        {
            "type": choice("function_call"),
            "id": text(),
            "call_id": text(),
            "name": text(),
            "arguments": text(),
            "status": text(),
        }
    ),
)
_RESPONSE = _whole(
    {
        "id": text(),
        "object": choice("response"),
        "created_at": integer(),
        "status": choice("completed", "incomplete"),
        "error": NULL,
        "incomplete_details": maybe(_whole({"reason": text()})),
        "instructions": NULL,
        "metadata": record({}),
        "model": text(),
        "output": array(_OUTPUT, None, 1),
        "parallel_tool_calls": FLAG,
        "temperature": maybe(number()),
        "top_p": maybe(number()),
        "max_output_tokens": maybe(integer()),
        "tool_choice": ANYTHING,
        "tools": array(record({})),
        "store": choice(False),
        "usage": _whole(
            {
                "input_tokens": _COUNT,
                "input_tokens_details": _whole({"cached_tokens": _COUNT}),
                "output_tokens": _COUNT,
                "output_tokens_details": _whole({"reasoning_tokens": _COUNT}),
                "total_tokens": _COUNT,
            }
        ),
        "partbook": ref("Metadata"),
    },
    "partbook",
)

_BLOCK = one_of(
    _whole({"type": choice("thinking"), "thinking": text(), "signature": text()}),
    _whole({"type": choice("text"), "text": text()}),
    _whole({"type": choice("tool_use"), "id": text(), "name": text(), "input": record({})}),
)
_MESSAGE = _whole(
    {
        "id": text(),
        "type": choice("message"),
        "role": choice("assistant"),
        "model": text(),
        "content": array(_BLOCK, None, 1),
        "stop_reason": choice("end_turn", "max_tokens", "tool_use"),
        "stop_sequence": NULL,
        "usage": _whole(
            {
                "input_tokens": _COUNT,
                "cache_read_input_tokens": _COUNT,
                "cache_creation_input_tokens": _COUNT,
                "output_tokens": _COUNT,
            }
        ),
        "partbook": ref("Metadata"),
    },
    "partbook",
)

_TRACE = record(
    {
        "version": integer(),
        "run_id": text(),
        "question": text(),
        "answer": maybe(text()),
        "status": text(),
        "rounds": array(record({})),
    },
    ("version", "run_id", "question", "answer", "status", "rounds"),
    "A run with all that was said; the other fields are described with the store.",
)

_EVENT = record(
    {"event": text("Not in chat completions."), "data": text("JSON, or `[DONE]`.")},
    ("data",),
    "One event of a stream.",
)

REPLIES: dict[str, Schema] = {
    "Event": _EVENT,
    "Error": _ERROR,
    "MessagesError": _ANTHROPIC_ERROR,
    "Model": _MODEL,
    "ModelList": _whole({"object": choice("list"), "data": array(ref("Model"))}),
    "Metadata": _METADATA,
    "ChatCompletion": _COMPLETION,
    "Response": _RESPONSE,
    "Message": _MESSAGE,
    "Trace": _TRACE,
    "Status": record({"status": text(), "model": text()}, ("status",)),
}
"""By name, as components."""

STREAMS = {
    "ChatCompletion": "With `stream: true`: chunks as `data:` events, then `[DONE]`. An error "
    'after the first byte is a chunk `{"error": {...}}`.',
    "Response": "With `stream: true`: the events of OpenAI's Responses API, the last of them "
    "`response.completed`, `response.incomplete` or `response.failed`.",
    "Message": "With `stream: true`: the events of Anthropic's messages API, the last of them "
    "`message_stop` or `error`.",
}
"""What a streamed reply is, by the reply that comes whole."""
