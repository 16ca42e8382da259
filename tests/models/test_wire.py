import json
from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partbook.errors import WorkerError
from partbook.message import Completion, Message, Sampling, Usage
from partbook.models.wire import StreamDecoder, decode, encode

ASK = [Message("system", "s"), Message("user", "q")]


def body(message=None, finish_reason="stop", **fields) -> bytes:
    choice = {"index": 0, "message": message or {"content": "a"}, "finish_reason": finish_reason}
    return json.dumps({"model": "m-1", "choices": [choice], **fields}).encode()


def chunk(content=None, finish_reason=None, **fields) -> bytes:
    choice = {"index": 0, "delta": {"content": content}, "finish_reason": finish_reason}
    return (
        b"data: " + json.dumps({"model": "m-1", "choices": [choice], **fields}).encode() + b"\n\n"
    )


def usage_chunk(usage) -> bytes:
    return b"data: " + json.dumps({"choices": [], "usage": usage}).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"


def stream(*pieces: bytes) -> tuple[list[str], Completion]:
    decoder = StreamDecoder()
    texts = [decoder.feed(piece) for piece in pieces]
    texts.append(decoder.close())
    return [text for text in texts if text], decoder.completion()


def failure(function, *args) -> WorkerError:
    with pytest.raises(WorkerError) as caught:
        function(*args)
    return caught.value


# Requests


def test_fields_that_are_left_to_the_provider_are_not_sent():
    assert json.loads(encode("m", ASK, Sampling(max_tokens=7))) == {
        "model": "m",
        "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "q"}],
        "max_tokens": 7,
    }


def test_every_field_of_the_sampling_has_its_name_on_the_wire():
    sampling = Sampling(
        max_tokens=7,
        temperature=0.0,
        top_p=0.9,
        seed=0,
        stop=("END",),
        reasoning_effort="low",
        grammar="root ::= [0-9]",
    )

    sent = json.loads(encode("m", ASK, sampling, token_limit="max_completion_tokens"))

    del sent["messages"]
    assert sent == {
        "model": "m",
        "max_completion_tokens": 7,
        "temperature": 0.0,
        "top_p": 0.9,
        "seed": 0,
        "stop": ["END"],
        "reasoning_effort": "low",
        "grammar": "root ::= [0-9]",
    }


def test_a_stream_is_asked_to_say_its_usage():
    sent = json.loads(encode("m", ASK, Sampling(), stream=True))

    assert (sent["stream"], sent["stream_options"]) == (True, {"include_usage": True})


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("price \ud83d up", "price \ufffd up"),
        ("\ude00", "\ufffd"),
        ("\ud83d\ude00", "😀"),
        ("kept 😀 \ud83d", "kept 😀 \ufffd"),
        ('한국어 " \\ \n \x00', '한국어 " \\ \n \x00'),
    ],
)
def test_lone_surrogates_are_replaced_and_all_else_is_sent_as_it_is(text, sent):
    encoded = encode("m", [Message("user", text)], Sampling(stop=(text,)))

    assert json.loads(encoded.decode())["messages"][0]["content"] == sent
    assert json.loads(encoded.decode())["stop"] == [sent]


@given(st.text(st.characters(exclude_categories=[])))
def test_every_text_can_be_sent(text):
    encode("m", [Message("user", text)], Sampling()).decode()


# Whole replies


def test_a_reply_is_read():
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 40,
        "total_tokens": 140,
        "prompt_tokens_details": {"cached_tokens": 20, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 10},
    }

    assert decode(body(usage=usage)) == Completion("a", Usage(100, 40, 20, 10), "m-1", "stop")


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (None, None),
        ({}, None),
        ({"prompt_tokens": 5}, None),
        ([1], None),
        ({"prompt_tokens": 0, "completion_tokens": 0}, None),
        (
            {
                "prompt_tokens": 5,
                "completion_tokens": 1,
                "prompt_tokens_details": None,
                "completion_tokens_details": {"reasoning_tokens": None},
            },
            Usage(5, 1),
        ),
        # Details are parts of the whole, whatever the provider says.
        (
            {
                "prompt_tokens": 100,
                "completion_tokens": 0,
                "prompt_tokens_details": {"cached_tokens": 150},
            },
            Usage(100, 0, 100, inconsistent=True),
        ),
        # Reasoning left out of completion_tokens.
        (
            {
                "prompt_tokens": 30,
                "completion_tokens": 50,
                "total_tokens": 480,
                "completion_tokens_details": {"reasoning_tokens": 400},
            },
            Usage(30, 450, 0, 400),
        ),
        ({"prompt_tokens": 30, "completion_tokens": 50, "total_tokens": 90}, Usage(30, 60, 0, 10)),
    ],
)
def test_usage_that_is_not_told_is_unknown_and_details_are_never_extras(usage, expected):
    assert decode(body(usage=usage)).usage == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("stop", "stop"),
        (None, "stop"),
        ("eos", "stop"),
        ("length", "length"),
        ("MAX_TOKENS", "length"),
        ("content_filter", "filter"),
        ("SAFETY", "filter"),
    ],
)
def test_the_reason_of_the_end_is_mapped(said, expected):
    assert decode(body(finish_reason=said)).finish_reason == expected


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": "a"}, "a"),
        ({"content": None}, ""),
        ({}, ""),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "ab"),
        (
            {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "x"}]}, "b"]},
            "b",
        ),
        ({"content": [{"type": "text"}, None, 3]}, ""),
        ({"content": "a", "reasoning_content": "hidden", "reasoning": "hidden"}, "a"),
        ({"content": "up \ud83d, \ud83d\ude00"}, "up \ufffd, 😀"),
    ],
)
def test_the_text_is_what_the_model_says_and_not_what_it_thinks(message, text):
    assert decode(body({"role": "assistant", **message})).text == text


def test_a_refusal_is_a_text_that_ends_at_a_filter():
    done = decode(body({"content": None, "refusal": "I cannot."}))

    assert (done.text, done.finish_reason) == ("I cannot.", "filter")


@pytest.mark.parametrize(
    ("reply", "message", "status"),
    [
        (
            b'{"id": null, "choices": null, "usage": null,'
            b' "error": {"message": "upstream refused", "code": 429}}',
            "upstream refused",
            429,
        ),
        (b'{"error": {"message": "no such model", "code": "model_not_found"}}', "no such", 404),
        (b'{"error": "busy"}', "busy", None),
        (b'[{"error": {"code": 503, "message": "overloaded"}}]', "overloaded", 503),
        (b'{"object": "error", "message": "bad", "code": 400}', "bad", 400),
        (
            b'{"choices": [{"error": {"message": "died", "code": 502}, "finish_reason": "error",'
            b' "message": {"content": "half"}}]}',
            "died",
            502,
        ),
        (b'{"choices": [{"finish_reason": "abort", "message": {"content": "x"}}]}', "abort", None),
        (b'{"choices": []}', "no choice", None),
        (b'{"choices": null}', "no choice", None),
        (b'{"choices": [null]}', "no choice", None),
        (b'{"choices": [{"message": null}]}', "no choice", None),
        (b'{"choices": {"0": 1}}', "no choice", None),
        (b'{"choices": [{"message": {"content": {"a": 1}}}]}', "text is a dict", None),
        (b"{}", "no choice", None),
        (b"[]", "a JSON list", None),
        (b"3", "a JSON int", None),
        (b"", "no JSON", None),
        (b'{"choices": [{"mess', "no JSON", None),
        (b"\xff\xff\xff", "no JSON", None),
        (b"[" * 100_000, "no JSON", None),
        (b'{"choices": ' + b"9" * 5000 + b"}", "no JSON", None),
    ],
)
def test_a_reply_without_an_answer_is_a_worker_error_in_the_providers_words(reply, message, status):
    error = failure(decode, reply)

    assert message in str(error)
    assert len(str(error)) < 700
    assert (error.status, error.usage) == (status, None)


def test_an_error_carries_the_usage_that_came_with_it():
    reply = b'{"error": "cut", "usage": {"prompt_tokens": 10, "completion_tokens": 5}}'

    assert failure(decode, reply).usage == Usage(10, 5)


@given(st.binary(max_size=60))
def test_no_body_makes_the_reader_raise_anything_but_a_worker_error(data):
    failure(decode, data)


FIELDS = [
    *("choices", "message", "delta", "index", "finish_reason", "content", "text", "model"),
    *("error", "code", "usage", "prompt_tokens", "completion_tokens", "total_tokens"),
]

JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4)
    ),
)


@given(JSON)
def test_no_json_makes_the_readers_raise_anything_but_a_worker_error(value):
    data = json.dumps({"choices": [value], "usage": value}).encode()

    with suppress(WorkerError):
        decode(data)
    with suppress(WorkerError):
        stream(b"data: " + data + b"\n\n", DONE)


# Streams


def test_a_stream_is_read_piece_by_piece():
    usage = {"prompt_tokens": 9, "completion_tokens": 2}

    texts, done = stream(chunk("He"), chunk("llo"), chunk(None, "stop"), usage_chunk(usage), DONE)

    assert texts == ["He", "llo"]
    assert done == Completion("Hello", Usage(9, 2), "m-1", "stop")


def test_a_character_cut_in_two_arrives_whole():
    pieces = [
        "646174613a207b2263686f69636573223a5b7b22696e646578223a302c2264656c7461223a7b22636f6e74656e"
        "74223a22e9",
        "82a3e4b8aaf09f",
        "9880227d2c2266696e6973685f726561736f6e223a6e756c6c7d5d7d0a0a",
    ]

    texts, done = stream(*map(bytes.fromhex, pieces), DONE)

    assert texts == ["那个😀"]
    assert done.text == "那个😀"


@given(st.lists(st.integers(0, 400)))
def test_where_a_stream_is_cut_makes_no_difference(cuts):
    whole = chunk("那个") + b": ping\r\n\r\n" + chunk("\ud83d") + chunk("\ude00!", "stop") + DONE
    edges = [0, *sorted(cuts), len(whole)]

    texts, done = stream(*(whole[a:b] for a, b in pairwise(edges)))

    assert "".join(texts) == done.text == "那个😀!"


def test_half_a_surrogate_pair_at_the_end_is_dropped():
    texts, done = stream(chunk("a\ud83d"), DONE)

    assert texts == ["a"]
    assert done.text == "a"


def test_of_running_totals_the_last_one_counts():
    totals = [
        {"prompt_tokens": 21, "completion_tokens": n, "total_tokens": 21 + n} for n in (1, 2, 3)
    ]

    _, done = stream(*(chunk("a", usage=total) for total in totals), chunk(usage=None), DONE)

    assert done.usage == Usage(21, 3)


def test_usage_may_come_with_the_last_piece_and_nothing_after_it():
    # As `transformers serve` ends its streams; llama.cpp's server adds a chunk and an end mark.
    last = chunk(None, "length", usage={"completion_tokens": 8, "prompt_tokens": 33})

    texts, done = stream(chunk(None), chunk("Hello"), chunk(" there"), last)

    assert texts == ["Hello", " there"]
    assert done == Completion("Hello there", Usage(33, 8), "m-1", "length")


def test_a_stream_that_does_not_say_its_usage_has_none():
    assert stream(chunk("a", "stop"), DONE)[1].usage is None


def test_chunks_without_text_are_passed_over():
    odd = [
        b'data: {"choices": [], "prompt_filter_results": []}\n\n',
        b'data: {"choices": null}\n\n',
        b'data: {"choices": [{"index": 0, "delta": null}]}\n\n',
        b'data: {"choices": [{"index": 0, "delta": {"role": "assistant"}}]}\n\n',
        b'data: {"choices": [{"index": 0, "delta": {"reasoning_content": "hm"}}]}\n\n',
        b'data: {"choices": [{"index": 1, "delta": {"content": "another choice"}}]}\n\n',
    ]

    assert stream(*odd, chunk("a", "length"), DONE)[1] == Completion("a", None, "m-1", "length")


def test_a_refusal_may_come_in_pieces():
    piece = b'data: {"choices": [{"index": 0, "delta": {"refusal": "No"}}]}\n\n'

    texts, done = stream(piece, chunk(".", "stop"), DONE)

    assert texts == ["No", "."]
    assert (done.text, done.finish_reason) == ("No.", "filter")


def test_nothing_after_the_end_is_read():
    assert stream(chunk("a", "stop"), DONE + b"data: {oops\n\n")[1].text == "a"


def test_a_stream_may_end_with_its_reason_or_its_end_mark_alone():
    assert stream(chunk("a", "length"))[1].finish_reason == "length"
    assert stream(chunk("a"), b"data: [DONE]")[1].finish_reason == "stop"


@pytest.mark.parametrize("pieces", [[], [chunk("a")], [chunk("a"), b'data: {"choi']])
def test_a_stream_that_breaks_off_is_a_worker_error(pieces):
    error = failure(stream, *pieces)

    assert "broke off" in str(error) or "cut off" in str(error)


@pytest.mark.parametrize(
    ("event", "message", "status"),
    [
        (b'data: {"error": {"message": "busy", "code": 503}}\n\n', "busy", 503),
        (
            b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error",'
            b'"message":"busy"}}\n\n',
            "busy",
            529,
        ),
        (b'event: error\ndata: {"message": "busy", "code": 500}\n\n', "busy", 500),
        (b'data: {"error": {"message": "busy"}}', "busy", None),
        (chunk("", "error"), "stopped with 'error'", None),
        (b"data: oops\n\n", "no JSON, or was cut off: 'oops'", None),
        (b"data: 3\n\n", "a JSON int", None),
    ],
)
def test_an_error_inside_a_stream_is_a_worker_error(event, message, status):
    error = failure(stream, chunk("abc"), event, DONE)

    assert message in str(error)
    assert error.status == status


def test_an_error_inside_a_stream_carries_the_usage_so_far():
    seen = {"prompt_tokens": 21, "completion_tokens": 1}

    assert failure(stream, chunk("a", usage=seen), b'data: {"error": "x"}\n\n').usage == Usage(
        21, 1
    )


def test_a_wanted_form_is_sent_as_it_was_asked_for():
    wanted = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}}}

    sent = json.loads(encode("m", ASK, Sampling(response_format=json.dumps(wanted))))

    assert sent["response_format"] == wanted
