"""What is inside a request and changes nothing is named, wherever it stands. Rule 17."""

import pytest

from partbook.server.anthropic_request import read_anthropic
from partbook.server.chat_request import read_chat
from partbook.server.refusal import Refusal
from partbook.server.responses_request import read_responses

MARK = {"cache_control": {"type": "ephemeral"}}
ASK = [{"role": "user", "content": "x"}]
CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}


def chat(*messages, strict=False):
    return read_chat({"model": "m", "messages": list(messages)}, {}, strict=strict)


def anthropic(**fields):
    body = {"model": "m", "max_tokens": 5, "messages": ASK, **fields}
    return read_anthropic(body, {}, strict=False)


def responses(**fields):
    return read_responses({"model": "m", "input": "x", **fields}, {}, strict=False)


def test_rule_17_a_mark_for_a_cache_of_prompts_on_a_part_is_named_and_the_text_is_read():
    part = {"type": "text", "text": "x"}
    read = chat({"role": "user", "content": [part | MARK, part | MARK, part]})

    assert read.warnings == ("messages[].content[].cache_control",)
    assert read.conversation.messages[0].text == "xxx"


def test_rule_17_in_strict_mode_it_is_refused_by_its_place():
    with pytest.raises(Refusal) as refused:
        chat({"role": "user", "content": [{"type": "text", "text": "x", **MARK}]}, strict=True)

    assert (refused.value.status, refused.value.param) == (
        400,
        "messages[].content[].cache_control",
    )


def test_rule_17_names_are_shown_as_far_as_a_reply_can_hold_them():
    strange = {"half \ud83d": 1, "x" * 200: 1} | {f"field-{i}": 1 for i in range(1000)}
    read = chat({"role": "user", "content": "x", **strange})

    assert read.warnings[:2] == ("(a long name)", "messages[].field-0")
    with pytest.raises(Refusal) as refused:
        chat({"role": "user", "content": "x", **strange}, strict=True)
    assert refused.value.param == "(a long name)"
    assert len(str(refused.value)) < 1100


def test_rule_17_what_a_call_carries_beside_its_function_is_named():
    call = CALL | {"index": 0, "extra_content": {"signature": "s"}}
    read = chat(*ASK, {"role": "assistant", "tool_calls": [call]}, *ASK)

    assert read.warnings == ("messages[].tool_calls[].extra_content",)


def test_rule_17_marks_of_anthropics_api_are_named_once_for_each_kind_of_place():
    use = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "a", "content": "no", "is_error": True}
    text = {"type": "text", "text": "x", "citations": None}
    read = anthropic(
        system=[text | MARK],
        tools=[{"name": "f", "input_schema": {}, "strict": True, **MARK}],
        messages=[
            {"role": "user", "content": [text | MARK, text | MARK]},
            {"role": "assistant", "content": [use | MARK]},
            {"role": "user", "content": [result | MARK]},
        ],
    )

    assert read.warnings == (
        "system[].cache_control",
        "messages[].content[].cache_control",
        "messages[].content[].is_error",
        "tools[].cache_control",
    )
    assert '"strict":true' in (read.wishes.tools or "")


def test_rule_17_a_result_that_is_no_error_asks_for_nothing():
    result = {"type": "tool_result", "tool_use_id": "a", "content": "x", "is_error": False}

    assert anthropic(messages=[{"role": "user", "content": [result]}]).warnings == ()


def test_rule_17_fields_that_only_chat_completions_have_change_no_other_request():
    message = anthropic(n=3, stop=["x"], stop_sequences=["END"])
    response = responses(n=3, messages=[{"role": "user", "content": "other"}], max_tokens=1)

    assert (message.n, message.wishes.stop, message.warnings) == (1, ("END",), ("n", "stop"))
    assert (response.n, response.wishes.max_tokens) == (1, None)
    assert response.conversation.question == "x"
    assert response.warnings == ("n", "messages", "max_tokens")


def test_rule_17_what_an_item_carries_is_named_as_it_is_called_there():
    part = {"type": "output_text", "text": "x", "annotations": [], **MARK}
    items = [{"role": "assistant", "content": [part], "phase": "final"}, *ASK]
    read = responses(input=items)

    assert read.warnings == ("input[].phase", "input[].content[].cache_control")
    with pytest.raises(Refusal) as refused:
        read_responses({"model": "m", "input": [items[0], *ASK]}, {}, strict=True)
    assert refused.value.param == "input[].phase"
