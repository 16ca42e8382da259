"""Whatever a body holds, it is read or refused."""

from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from partbook.server.anthropic_request import read_anthropic
from partbook.server.chat_request import read_chat
from partbook.server.refusal import Refusal
from partbook.server.responses_request import read_responses

NAMES = st.sampled_from(
    [
        "model", "messages", "stream", "n", "stop", "seed", "max_tokens", "max_completion_tokens",
        "temperature", "top_p", "response_format", "reasoning_effort", "tools", "tool_choice",
        "stream_options", "max_usd", "max_calls", "timeout_s", "partbook_metadata",
        "partbook_follow_ups", "logit_bias",
        "role", "content", "type", "text", "tool_calls", "name", "json_schema", "schema", "wild",
        "include_usage", "tool_use", "tool_result", "input_schema", "reasoning", "format",
        "function", "arguments", "id", "tool_call_id", "parameters",
    ]
)  # fmt: skip
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(
        ["user", "assistant", "tool", "text", "json_schema", "function", "auto", "tool_use"]
    )
)
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)
BODIES = st.dictionaries(NAMES, JSON, max_size=8)
MESSAGES = st.lists(st.dictionaries(NAMES, JSON, max_size=4) | JSON, max_size=3)


@given(BODIES, MESSAGES, st.dictionaries(st.just("x-partbook-max-calls"), st.text(max_size=4)))
@settings(max_examples=150, deadline=None)
def test_any_body_is_read_or_refused(body, messages, headers):
    for read in (read_chat, read_responses, read_anthropic):
        with suppress(Refusal):
            told = {"model": "m", "max_tokens": 5, **body, "messages": messages, "input": messages}
            read(told, headers, strict=False)


@given(BODIES)
@settings(max_examples=150, deadline=None)
def test_any_fields_beside_a_good_message_are_read_or_refused(body):
    whole = {**body, "model": "m", "messages": [{"role": "user", "content": "x"}]}

    for read in (read_chat, read_responses, read_anthropic):
        with suppress(Refusal):
            read({**whole, "input": "x", "max_tokens": 5}, {}, strict=False)
