"""What a request may hold, and what becomes of the rest."""

import json
from typing import Any

import pytest

from partbook.message import Message, Sampling
from partbook.pool import WorkerSpec
from partbook.server.chat_request import read_chat
from partbook.server.fields import parsed
from partbook.server.refusal import Refusal

ASK = [{"role": "user", "content": "What is 6*7?"}]


def read(headers: dict[str, str] | None = None, strict: bool = False, **fields: Any):
    return read_chat({"model": "m", "messages": ASK, **fields}, headers or {}, strict=strict)


def refusal(**fields: Any) -> Refusal:
    with pytest.raises(Refusal) as caught:
        read(**fields)
    return caught.value


@pytest.mark.parametrize("content", ["Which word?", [{"type": "text", "text": "Which word?"}]])
def test_text_and_text_parts_are_the_same(content):
    asked = read(messages=[{"role": "user", "content": content}])

    assert asked.conversation.messages == (Message("user", "Which word?"),)


def test_developer_is_system():
    asked = read(messages=[{"role": "developer", "content": "Be brief."}, *ASK])

    assert asked.conversation.messages[0] == Message("system", "Be brief.")


def test_an_assistant_may_have_said_nothing():
    asked = read(messages=[*ASK, {"role": "assistant", "content": None}, *ASK])

    assert asked.conversation.messages[1] == Message("assistant", "")


@pytest.mark.parametrize(
    ("messages", "param"),
    [
        ([], "messages"),
        ("hi", "messages"),
        (None, "messages"),
        ([3], "messages[0]"),
        ([{"role": "wizard", "content": "x"}], "messages[0].role"),
        ([{"role": "user"}], "messages[0].content"),
        ([{"role": "user", "content": 3}], "messages[0].content"),
        ([{"role": "user", "content": [3]}], "messages[0].content[0]"),
        (
            [*ASK, {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}],
            "messages[1].content[0]",
        ),
        ([{"role": "user", "content": "  \n"}], "messages"),
    ],
)
def test_a_wrong_message_is_named_by_its_place(messages, param):
    assert refusal(messages=messages).param == param


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("model", 3),
        ("model", ""),
        ("stream", "yes"),
        ("n", 0),
        ("n", 1.5),
        ("n", True),
        ("n", 17),
        ("max_tokens", 0),
        ("max_completion_tokens", "5"),
        ("temperature", 2.1),
        ("temperature", False),
        ("top_p", 0),
        ("seed", 2**63),
        ("stop", [""]),
        ("stop", ["x"] * 17),
        ("response_format", {"type": "yaml"}),
        ("response_format", {"type": "json_schema"}),
        ("reasoning_effort", 3),
        ("max_usd", "much"),
        ("max_usd", -1),
        ("max_calls", -1),
        ("timeout_s", 0),
        ("partbook_metadata", 1),
        ("partbook_follow_ups", "always"),
        ("partbook_follow_ups", True),
        ("stream_options", {"include_usage": True}),
        ("tools", "x"),
        ("tool_choice", "required"),
        ("functions", [{"name": "f"}]),
        ("logprobs", True),
        ("modalities", ["text", "audio"]),
    ],
)
def test_a_field_that_is_wrong_or_cannot_be_done_is_named(field, value):
    err = refusal(**{field: value})

    assert (err.status, err.param) == (400, field)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("n", 1),
        ("frequency_penalty", 0),
        ("presence_penalty", 0.0),
        ("logprobs", False),
        ("logit_bias", {}),
        ("tools", []),
        ("tool_choice", "auto"),
        ("parallel_tool_calls", True),
        ("modalities", ["text"]),
        ("store", False),
        ("user", "u-1"),
        ("metadata", {"a": "b"}),
        ("service_tier", "auto"),
        ("response_format", {"type": "text"}),
        ("tools", None),
        ("anything", None),
    ],
)
def test_what_asks_for_nothing_is_taken_in_strict_mode_too(field, value):
    assert read(strict=True, **{field: value}).warnings == ()


@pytest.mark.parametrize("field", ["frequency_penalty", "top_k", "verbosity"])
def test_what_is_passed_over_is_named_and_refused_in_strict_mode(field):
    assert read(**{field: 1}).warnings == (field,)
    assert refusal(strict=True, **{field: 1}).param == field


def test_one_request_may_be_strict_on_its_own():
    assert refusal(top_k=1, partbook_strict=True).param == "top_k"
    assert refusal(top_k=1, headers={"x-partbook-strict": "true"}).param == "top_k"
    assert read(strict=True, top_k=1, partbook_strict=False).warnings == ("top_k",)


@pytest.mark.parametrize("effort", ["none", "minimal", "low", "medium", "high", "xhigh", "max"])
def test_every_known_effort_is_taken(effort):
    assert read(strict=True, reasoning_effort=effort).warnings == ()


def test_an_unknown_effort_is_taken_and_named():
    assert read(strict=True, reasoning_effort="heroic").warnings == ("reasoning_effort=heroic",)


def test_the_smaller_of_both_names_of_the_limit_holds():
    assert read(max_tokens=50, max_completion_tokens=80).wishes.max_tokens == 50


def test_limits_come_from_the_body_before_the_headers():
    headers = {
        "x-partbook-max-usd": "0.5",
        "x-partbook-max-calls": "7",
        "x-partbook-timeout-s": "2.5",
    }

    by_headers, by_body = read(headers).limits, read(headers, max_calls=3).limits

    assert (str(by_headers.usd), by_headers.calls, by_headers.timeout_s) == ("0.5", 7, 2.5)
    assert by_body.calls == 3


def test_a_wrong_header_is_refused():
    with pytest.raises(Refusal) as caught:
        read({"x-partbook-max-calls": "many"})

    assert caught.value.param == "x-partbook-max-calls"


def test_wishes_stay_below_the_workers_own_limit():
    spec = WorkerSpec("w", "http", sampling=Sampling(max_tokens=100, temperature=0.5))

    high = read(max_tokens=500, temperature=1, seed=3, stop="END").wishes.over(spec)
    low = read(max_tokens=50).wishes.over(spec)

    assert high == Sampling(max_tokens=100, temperature=1, seed=3, stop=("END",))
    assert low == Sampling(max_tokens=50, temperature=0.5)


@pytest.mark.parametrize("body", [b"{oops", b"[]", b"", b"\xff", b'{"a": NaN}', b"[" * 100_000])
def test_a_body_that_is_no_json_object_is_refused(body):
    with pytest.raises(Refusal) as caught:
        parsed(body)

    assert (caught.value.status, caught.value.code) == (400, "invalid_json")


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ('{"a": 1}', True),
        ('{"b": 1}', False),
        ("[1]", False),
        ("Sure! {", False),
    ],
)
def test_an_answer_is_held_against_its_schema(text, fits):
    schema = {"type": "object", "required": ["a"]}
    wishes = read(
        response_format={"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    ).wishes

    if fits:
        wishes.check(text, "stop")
    else:
        with pytest.raises(Refusal, match="response_format"):
            wishes.check(text, "stop")


def test_a_schema_is_told_in_words_and_on_the_wire():
    schema = {"type": "object", "required": ["a"]}
    wanted = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    wishes = read(response_format=wanted).wishes

    sampling = wishes.over(WorkerSpec("w", "http"))

    assert json.loads(sampling.response_format or "") == wanted
    assert '{"type":"object","required":["a"]}' in wishes.instruction
