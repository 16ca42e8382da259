import pytest
from hypothesis import given
from hypothesis import strategies as st

from partbook.message import Message
from partbook.shorten import SMALLEST_CHARS, is_surely_too_long, room_for_answers, shortened

MARK = len("\n[... 1000000 characters left out ...]\n")


def test_the_longest_is_cut_in_the_middle_and_the_rest_stays():
    texts = shortened(["a" * 500 + "b" * 500, "short", "c" * 300], 705)

    assert texts == [
        "a" * 200 + "\n[... 600 characters left out ...]\n" + "b" * 200,
        "short",
        "c" * 300,
    ]


def test_the_longest_are_cut_to_one_length():
    texts = shortened(["x" * 1000, "y" * 400, "z" * 10], 410)

    assert [t.count(letter) for t, letter in zip(texts, "xyz", strict=True)] == [200, 200, 10]


def test_what_fits_stays_as_it_is():
    assert shortened(["a" * 100, ""], 100) == ["a" * 100, ""]
    assert shortened([], 10) == []


def test_nothing_is_cut_below_what_says_something():
    (text,) = shortened(["a" * 1000], 0)

    assert text.count("a") == SMALLEST_CHARS + "characters left out".count("a")


@given(st.lists(st.text(max_size=400), max_size=5), st.integers(0, 2000))
def test_shortened_texts_fit_up_to_their_marks(texts, room):
    cut = shortened(texts, room)

    least = SMALLEST_CHARS * len(texts)
    assert sum(map(len, cut)) <= max(room, least) + MARK * len(texts)
    assert all(text.startswith(part[:20]) for text, part in zip(texts, cut, strict=True))


@pytest.mark.parametrize(
    ("size", "limit", "too_long"),
    [
        (3000, 100, False),
        (3600, 100, False),
        (3601, 100, True),
        # A limit as large as the window leaves a quarter of it for the answer.
        (3000, 1000, False),
        (3001, 1000, True),
    ],
)
def test_a_prompt_is_surely_too_long_where_even_a_low_count_leaves_no_room(size, limit, too_long):
    assert is_surely_too_long([Message("user", "x" * size)], 1000, limit) == too_long


def test_the_room_for_answers_is_what_the_rest_leaves():
    messages = [Message("user", "x" * 1000), Message("assistant", "y" * 4000)]

    assert room_for_answers(messages, ["y" * 4000], 1000, 100) == 2600
    assert room_for_answers(messages, [""], 1000, 100) == 0
