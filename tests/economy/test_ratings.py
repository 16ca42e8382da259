"""Ratings on disk, and their sums."""

import stat

import pytest

from partbook.economy.pairwise import Record
from partbook.economy.ratings import (
    PERSON,
    Rated,
    Rating,
    add_ratings,
    question_hash,
    read_ratings,
    sums_of,
)
from partbook.errors import ConfigError


def rating(first="single:a", second="conductor", outcome="first", by=PERSON, pool="embedded"):
    run = ("run-1", "run-2")
    return Rating(1.5, by, pool, question_hash("Why?"), first, second, *run, outcome)


def test_ratings_are_added_and_read_again(tmp_path):
    path = tmp_path / "new" / "ratings.jsonl"
    judged = Rating(
        2.0, "judge:gpt", "p", "00", "a", "일", "1", "2", "tie", ("first", "second")
    )  # fmt: skip

    add_ratings(path, [rating()])
    add_ratings(path, [judged])

    assert read_ratings(path) == [rating(), judged]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "Why?" not in path.read_text()


def test_pairs_are_summed_in_either_order_and_raters_and_pools_apart():
    ratings = [
        rating(),
        rating("conductor", "single:a", "first"),
        rating(outcome="tie"),
        rating(outcome="second", by="judge:gpt"),
        rating(pool="open"),
    ]

    assert sums_of(ratings) == [
        Rated(PERSON, "embedded", "single:a", "conductor", Record(1, 1, 1)),
        Rated("judge:gpt", "embedded", "single:a", "conductor", Record(0, 1, 0)),
        Rated(PERSON, "open", "single:a", "conductor", Record(1, 0, 0)),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "{}",
        "[]",
        "nothing",
        '{"rating": 1}',
        '{"rating": 9}',
        rating().to_json()[:-9],
        "[" * 9_000,
        rating().to_json().replace('outcome": "first', 'outcome": "third'),
        rating(by=7).to_json(),
    ],
)
def test_a_line_that_is_no_rating_is_named(tmp_path, line):
    path = tmp_path / "ratings.jsonl"
    path.write_text(f"{rating().to_json()}\n\n{line}\n")

    with pytest.raises(ConfigError, match=r"ratings\.jsonl, line 3: "):
        read_ratings(path)


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(ConfigError, match="cannot write the ratings"):
        add_ratings(tmp_path, [rating()])
    with pytest.raises(ConfigError, match="cannot read the ratings"):
        read_ratings(tmp_path / "none.jsonl")
