"""Ratings: who was preferred to whom, one JSON line each, and their sums by pair of systems.

A line holds names, ids of runs and a verdict, and of the question only a hash: what was asked and
answered stays in the store. What people say and what each judge says is never summed together.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, get_args

from partbook.economy.pairwise import TURNED, Outcome, Record
from partbook.errors import ConfigError

__all__ = ["PERSON", "Rated", "Rating", "add_ratings", "question_hash", "read_ratings", "sums_of"]

PERSON = "person"
"""Who rated, where it was no model."""

RATING_VERSION = 1

_MAX_LINE = 100_000


@dataclass(frozen=True, slots=True)
class Rating:
    """One answer held against another."""

    at: float
    """Seconds since the epoch."""
    by: str
    """`PERSON`, or `judge:` and the model that judged."""
    pool: str
    question: str
    """As `question_hash` gives it."""
    first: str
    """A system's name."""
    second: str
    first_run: str
    """The id of its run in the store."""
    second_run: str
    outcome: Outcome
    orders: tuple[str, ...] = ()
    """What a judge said with the first answer shown first, and with the second."""

    def to_json(self) -> str:
        """As one line."""
        return json.dumps({"rating": RATING_VERSION, **asdict(self)}, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> "Rating":
        """Read what `to_json` wrote.

        Raises:
            ConfigError: it is something else.
        """
        try:
            data: dict[str, Any] = json.loads(text)
            if data.pop("rating") != RATING_VERSION:
                raise ConfigError("it was written by a newer Partbook; update this one")
            rating = cls(**data | {"orders": tuple(data.get("orders", ()))})
            words = (rating.by, rating.first, rating.second, rating.pool, rating.question)
            if rating.outcome not in get_args(Outcome) or not all(
                isinstance(word, str) for word in words
            ):
                raise ConfigError(f"no rating, found {text[:80]!r}")
        except (AttributeError, LookupError, TypeError, ValueError, RecursionError) as err:
            raise ConfigError(f"no rating, found {text[:80]!r}") from err
        return rating


@dataclass(frozen=True, slots=True)
class Rated:
    """All that one rater said of two systems on one pool."""

    by: str
    pool: str
    first: str
    second: str
    record: Record
    """Wins are those of the first."""


def question_hash(question: str) -> str:
    """What stands for a question: 16 hexadecimal digits."""
    return hashlib.sha256(question.encode("utf-8", "replace")).hexdigest()[:16]


def add_ratings(path: Path, ratings: Sequence[Rating]) -> None:
    """Write ratings at the end of a file, which only its owner can read if it is new.

    Raises:
        ConfigError: it cannot be written.
    """
    if not ratings:
        return
    text = "".join(f"{rating.to_json()}\n" for rating in ratings)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with open(handle, "ab") as file:
            file.write(text.encode("utf-8", "replace"))
    except OSError as err:
        raise ConfigError(f"cannot write the ratings {path}: {err.strerror or err}") from err


def read_ratings(path: Path) -> list[Rating]:
    """All ratings of a file, in order.

    Raises:
        ConfigError: it cannot be read, or a line is no rating; the message names the line.
    """
    found = []
    try:
        with path.open("rb") as file:
            for number, line in enumerate(iter(lambda: file.readline(_MAX_LINE), b""), 1):
                text = line.decode("utf-8", "replace").strip()
                try:
                    found += [Rating.from_json(text)] if text else []
                except ConfigError as err:
                    raise ConfigError(f"{path}, line {number}: {err}") from err
    except OSError as err:
        raise ConfigError(f"cannot read the ratings {path}: {err.strerror or err}") from err
    return found


def sums_of(ratings: Iterable[Rating]) -> list[Rated]:
    """Wins, losses and ties by rater, pool and pair, whichever of the two was named first.

    The order is that in which they came up.
    """
    sums: dict[tuple[str, str, str, str], Record] = {}
    for rating in ratings:
        rater = rating.by, rating.pool
        key, outcome = (*rater, rating.first, rating.second), rating.outcome
        if (back := (*rater, rating.second, rating.first)) in sums:
            key, outcome = back, TURNED[outcome]
        sums[key] = sums.get(key, Record()).with_outcome(outcome)
    return [Rated(*key, record) for key, record in sums.items()]
