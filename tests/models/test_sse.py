from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partbook.models.sse import SseDecoder, SseEvent


def read(*pieces: bytes) -> list[SseEvent]:
    decoder = SseDecoder()
    events = [event for piece in pieces for event in decoder.feed(piece)]
    return events + decoder.close()


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        (b"data: a\n\ndata: b\n\n", [("", "a"), ("", "b")]),
        (b"data:a\n\n", [("", "a")]),
        (b"data:  a\n\n", [("", " a")]),
        (b"data: a\r\n\r\ndata: b\r\n\r\n", [("", "a"), ("", "b")]),
        (b"data: a\r\rdata: b\r\r", [("", "a"), ("", "b")]),
        (b"data: a\r\n\ndata: b\n\n", [("", "a"), ("", "b")]),
        (b"data: a\ndata: b\n\n", [("", "a\nb")]),
        (b": keep-alive\n\ndata: a\n\n", [("", "a")]),
        (b": data: x\ndata: a\n\n", [("", "a")]),
        (b"event: error\ndata: a\n\ndata: b\n\n", [("error", "a"), ("", "b")]),
        (b"id: 7\nretry: 10\ndata: a\n\n", [("", "a")]),
        (b"dataset: x\ndata: a\n\n", [("", "a")]),
        (b"event: ping\n\ndata: a\n\n", [("", "a")]),
        (b"\n\n\ndata: a\n\n\n\n", [("", "a")]),
        (b"data\n\n", [("", "")]),
        (b"\xef\xbb\xbfdata: a\n\n", [("", "a")]),
        (b"data: a\xff\n\n", [("", "a\ufffd")]),
        (b"data: a", [("", "a")]),
        (b"data: a\n", [("", "a")]),
        (b"", []),
    ],
)
def test_events_are_read_as_the_specification_says_whole_and_byte_by_byte(stream, expected):
    assert read(stream) == expected
    assert read(*(bytes([byte]) for byte in stream)) == expected


def test_an_event_is_given_out_with_its_last_byte():
    decoder = SseDecoder()

    assert decoder.feed(b"data: a\r") == []
    assert decoder.feed(b"\n\r") == [("", "a")]
    assert decoder.feed(b"\n") == []
    assert decoder.feed(b"data: b\n\n") == [("", "b")]


STREAM = (
    'event: x\r\ndata: 那个😀\r\n\r\n: c\ndata:é\ndata: 2\n\ndata: {"a":1}\r\rdata: [DONE]'.encode()
)


@given(st.lists(st.integers(0, len(STREAM))))
def test_where_the_bytes_are_cut_makes_no_difference(cuts):
    edges = [0, *sorted(cuts), len(STREAM)]
    pieces = [STREAM[a:b] for a, b in pairwise(edges)]

    events = read(*pieces)

    assert events == [("x", "那个😀"), ("", "é\n2"), ("", '{"a":1}'), ("", "[DONE]")]
