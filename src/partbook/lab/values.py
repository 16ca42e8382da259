"""The values that lab problems are made of, and which split owns which.

Every literal (a word, a number, a date, a name) belongs to exactly one split, by a hash of its
text: nothing that a test question is about was ever in a training question. What is too small a
set to share out (the bases, the units, how many letters to keep) is common to all splits.
"""

import hashlib
import random
import re
from datetime import date, timedelta
from functools import lru_cache
from typing import Literal

__all__ = [
    "NAMES",
    "SPLITS",
    "THINGS",
    "TOWNS",
    "UNITS",
    "WEEKDAYS",
    "WORDS",
    "Kind",
    "Split",
    "fits",
    "fraction",
    "literal",
    "owned",
    "split_of",
]

Split = Literal["train", "validation", "test"]

SPLITS: tuple[Split, ...] = ("train", "validation", "test")

Kind = Literal["word", "number", "numeral", "date", "numbers", "words"]
"""`numeral` is a number in some base; `numbers` and `words` are lists, which no answer ever is."""


def _each(text: str) -> tuple[str, ...]:
    return tuple(text.split())


WORDS = _each(
    "acorn amber anchor apple arrow autumn badger bamboo basket beacon bottle branch bridge "
    "bronze bucket butter button candle canyon carbon carpet castle cherry circle cloud clover "
    "copper coral cotton cradle crystal desert dragon eagle ember engine falcon feather fiddle "
    "finger flower forest fossil garden ginger glacier granite guitar hammer harbor hazel helmet "
    "honey island ivory jacket jasmine jungle kettle ladder lantern lemon linen lizard magnet "
    "maple marble meadow mirror monkey needle nutmeg ocean olive orange orchid otter oyster "
    "paddle parrot pebble pencil pepper pillow planet plum pocket prism pumpkin puzzle quartz "
    "rabbit raven ribbon river rocket saddle salmon sandal shadow silver sparrow spider sugar "
    "summer sunset temple thunder tiger timber tulip tunnel turtle valley velvet violin walnut "
    "willow window winter zebra"
)

NAMES = _each(
    "Ali Amir Anna Bela Bruno Carla Chen Clara Dana Dario Edda Elif Emil Erik Esra Finn Gina "
    "Hana Hugo Ines Ivan Ivo Jana Jonas Kai Kira Lara Lea Leo Lina Luis Mara Marco Mila Nadia "
    "Nils Nora Olga Omar Otto Pia Rana Rosa Sami Sven Tara Timo Vera Yara"
)

TOWNS = _each(
    "accra ankara athens basel bergen berlin bologna bremen cairo calais cardiff cork dakar "
    "delhi denver dublin geneva genoa ghent hanoi havana krakow lagos lima lisbon london lyon "
    "madrid malaga malmo manila milan munich nairobi naples osaka oslo ottawa paris porto prague "
    "quito riga rome seoul sofia sydney tallinn tokyo toledo tunis turin venice verona vienna "
    "warsaw"
)

THINGS = ("books", "coins", "keys", "pens", "shells", "stamps")

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

UNITS = {
    ("feet", "inches"): 12,
    ("hours", "minutes"): 60,
    ("kilograms", "grams"): 1000,
    ("meters", "centimeters"): 100,
    ("minutes", "seconds"): 60,
    ("weeks", "days"): 7,
    ("yards", "feet"): 3,
}
"""How many of the second make one of the first."""

_SHAPES: dict[Kind, re.Pattern[str]] = {
    "word": re.compile(r"[a-z]{1,64}"),
    "number": re.compile(r"-?\d{1,12}"),
    "numeral": re.compile(r"\d{1,40}"),
    "date": re.compile(r"\d{4}-\d{2}-\d{2}"),
}


def fits(value: str, kind: Kind) -> bool:
    """Whether an answer can be used as a value of this kind."""
    shape = _SHAPES.get(kind)
    return shape is not None and shape.fullmatch(value) is not None


def fraction(text: str) -> float:
    """A number in [0, 1) that depends on nothing but the text.

    >>> fraction("lantern") == fraction("lantern") != fraction("Lantern")
    True
    """
    # A model may have written half of a surrogate pair, which plain UTF-8 refuses.
    digest = hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()
    return (int.from_bytes(digest) >> 11) / 2**53


@lru_cache(maxsize=4096)
def split_of(value: str) -> Split:
    """The split whose questions may contain this literal: 60 % train, 15 % validation, 25 % test.

    The case of its letters makes no difference.
    """
    where = fraction(f"split {value.lower()}")
    return "train" if where < 0.6 else "validation" if where < 0.75 else "test"


@lru_cache
def owned(values: tuple[str, ...], split: Split) -> tuple[str, ...]:
    """Those of the values that belong to the split, in their order."""
    return tuple(value for value in values if split_of(value) == split)


def literal(kind: Kind, split: Split, rng: random.Random) -> str:
    """A literal of the split.

    Words are from `WORDS`, numbers from 11 to 199, dates from 2001 to 2039, lists are of four
    numbers or three words, each of the split.

    Raises:
        ValueError: numerals have no literal of their own; write a number in a base.
    """
    if kind == "word":
        return rng.choice(owned(WORDS, split))
    if kind == "words":
        return ", ".join(rng.sample(owned(WORDS, split), 3))
    if kind == "numbers":
        found: dict[str, None] = {}
        while len(found) < 4:
            found[literal("number", split, rng)] = None
        return ", ".join(found)
    if kind == "numeral":
        raise ValueError("a numeral has no literal of its own; write a number in a base")
    while True:
        day = date(2001, 1, 1) + timedelta(rng.randrange(39 * 365))
        value = str(rng.randint(11, 199)) if kind == "number" else day.isoformat()
        if split_of(value) == split:
            return value
