"""The operations that problems are chains of: pure functions from texts to a text.

Each belongs to one of eight skills. An operation is given its parameters and its inputs as they
were read, and answers None where they do not make sense together. How an operation is said in
words is in `phrases.py`; who can do it well is in `pool.py`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from partbook.lab.values import UNITS, WEEKDAYS, Kind

__all__ = ["OPERATIONS", "RANKS", "SKILLS", "Operation", "Skill", "in_base", "noted"]

Skill = Literal["arithmetic", "letters", "counting", "sorting", "dates", "bases", "units", "lookup"]

SKILLS: tuple[Skill, ...] = (
    "arithmetic",
    "letters",
    "counting",
    "sorting",
    "dates",
    "bases",
    "units",
    "lookup",
)

RANKS = ("largest", "smallest", "second largest", "second smallest")

Texts = tuple[str, ...]

Compute = Callable[[Texts, Texts], str | None]
"""From parameters (in the order of `slots`) and inputs to the value, or None."""


@dataclass(frozen=True, slots=True)
class Operation:
    """Something that can be asked for."""

    name: str
    skill: Skill
    takes: tuple[Kind, ...]
    """Kinds of its inputs; empty for a look-up, whose one input is the text of the notes."""
    gives: Kind
    slots: tuple[str, ...]
    """Names of its parameters, as phrases write them."""
    compute: Compute

    @property
    def reads_notes(self) -> bool:
        """Whether it works on the notes in the question."""
        return not self.takes


def in_base(number: int, base: int) -> str:
    """A number from 0 in base 2 to 9.

    >>> in_base(45, 2)
    '101101'
    """
    digits = ""
    while number >= base:
        number, last = divmod(number, base)
        digits = str(last) + digits
    return str(number) + digits


def noted(notes: str, pattern: str) -> list[Texts]:
    """The entries of the notes that match, as the pattern's groups."""
    return [match.groups() for match in re.finditer(pattern, notes, re.IGNORECASE)]


def _to_base(given: Texts, values: Texts) -> str | None:
    base, number = int(given[0]), int(values[0])
    return in_base(number, base) if 2 <= base <= 9 and number >= 0 else None


def _from_base(given: Texts, values: Texts) -> str | None:
    base = int(given[0])
    if not 2 <= base <= 9 or any(int(digit) >= base for digit in values[0]):
        return None
    return str(int(values[0], base))


def _convert(given: Texts, values: Texts) -> str | None:
    larger, smaller = given
    factor = UNITS.get((larger, smaller))
    return None if factor is None else str(int(values[0]) * factor)


def _ranked(given: Texts, values: Texts) -> str | None:
    numbers = sorted(int(item) for item in values[0].split(", "))
    if len(numbers) < 2:
        return None
    places = {"largest": -1, "smallest": 0, "second largest": -2, "second smallest": 1}
    return str(numbers[places[given[0]]])


def _alphabet(given: Texts, values: Texts) -> str | None:
    return sorted(values[0].split(", "))[0 if given[0] == "first" else -1]


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _days_after(given: Texts, values: Texts) -> str | None:
    day = _day(values[0])
    if day is None:
        return None
    try:
        return (day + timedelta(int(given[0]))).isoformat()
    except OverflowError:
        return None


def _weekday(given: Texts, values: Texts) -> str | None:
    day = _day(values[0])
    return None if day is None else WEEKDAYS[day.weekday()]


def _day_of_year(given: Texts, values: Texts) -> str | None:
    day = _day(values[0])
    return None if day is None else str(day.timetuple().tm_yday)


def _owned_things(given: Texts, values: Texts) -> str | None:
    things, who = given
    found = noted(values[0], rf"\b{re.escape(who)} has (\d+) {re.escape(things)}\b")
    return found[0][0] if found else None


def _town(given: Texts, values: Texts) -> str | None:
    found = noted(values[0], rf"\b{re.escape(given[0])} lives in ([a-z]+)\b")
    return found[0][0].lower() if found else None


def _birthday(given: Texts, values: Texts) -> str | None:
    found = noted(values[0], rf"\b{re.escape(given[0])} was born on (\d{{4}}-\d\d-\d\d)\b")
    return found[0][0] if found else None


def _op(
    name: str, skill: Skill, takes: tuple[Kind, ...], gives: Kind, slots: str, compute: Compute
) -> Operation:
    return Operation(name, skill, takes, gives, tuple(slots.split()), compute)


_ALL = (
    _op("plus", "arithmetic", ("number",), "number", "k", lambda k, x: str(int(x[0]) + int(k[0]))),
    _op("minus", "arithmetic", ("number",), "number", "k", lambda k, x: str(int(x[0]) - int(k[0]))),
    _op("times", "arithmetic", ("number",), "number", "k", lambda k, x: str(int(x[0]) * int(k[0]))),
    _op(
        "sum",
        "arithmetic",
        ("number", "number"),
        "number",
        "",
        lambda k, x: str(int(x[0]) + int(x[1])),
    ),
    _op(
        "product",
        "arithmetic",
        ("number", "number"),
        "number",
        "",
        lambda k, x: str(int(x[0]) * int(x[1])),
    ),
    _op("reverse", "letters", ("word",), "word", "", lambda k, x: x[0][::-1]),
    _op(
        "drop_vowels",
        "letters",
        ("word",),
        "word",
        "",
        lambda k, x: re.sub("[aeiou]", "", x[0]) or None,
    ),
    _op("first_letters", "letters", ("word",), "word", "k", lambda k, x: x[0][: int(k[0])] or None),
    _op("twice", "letters", ("word",), "word", "", lambda k, x: x[0] * 2),
    _op(
        "vowels",
        "counting",
        ("word",),
        "number",
        "",
        lambda k, x: str(len(re.findall("[aeiou]", x[0]))),
    ),
    _op("length", "counting", ("word",), "number", "", lambda k, x: str(len(x[0]))),
    _op(
        "digit",
        "counting",
        ("numeral",),
        "number",
        "digit",
        lambda k, x: str(x[0].count("1" if k[0] == "ones" else "0")),
    ),
    _op("ranked", "sorting", ("numbers",), "number", "rank", _ranked),
    _op("alphabet", "sorting", ("words",), "word", "place", _alphabet),
    _op("days_after", "dates", ("date",), "date", "k", _days_after),
    _op("weekday", "dates", ("date",), "word", "", _weekday),
    _op("day_of_year", "dates", ("date",), "number", "", _day_of_year),
    _op("to_base", "bases", ("number",), "numeral", "k", _to_base),
    _op("from_base", "bases", ("numeral",), "number", "k", _from_base),
    _op("convert", "units", ("number",), "number", "larger smaller", _convert),
    _op("things", "lookup", (), "number", "things who", _owned_things),
    _op("town", "lookup", (), "word", "who", _town),
    _op("birthday", "lookup", (), "date", "who", _birthday),
)

OPERATIONS = {operation.name: operation for operation in _ALL}
