r"""Units of measurement: taken off a quantity, and brought to a common size.

Length, area, volume, mass, time, speed, money and percent are converted; a noun that is no unit we
know only says what is counted. A single letter is a unit only after a space: `5m` is a product.
"""

import re
from fractions import Fraction
from typing import NamedTuple

__all__ = ["Unit", "comparable", "split_unit"]


class Unit(NamedTuple):
    """A unit of measurement."""

    dimension: str
    """What it measures: `length`, `area`, `time`, ..., or `count` for a noun we do not know."""
    size: Fraction
    """One of it in the base unit of its dimension."""


_LENGTH = {
    "mm millimeter millimetre": "1/1000",
    "cm centimeter centimetre": "1/100",
    "m meter metre": "1",
    "km kilometer kilometre": "1000",
    "in inch inches": "127/5000",
    "ft foot feet": "381/1250",
    "yd yard": "1143/1250",
    "mi mile": "201168/125",
}
_OTHER: dict[str, dict[str, str]] = {
    "mass": {
        "mg milligram": "1/1000",
        "g gram": "1",
        "kg kilogram": "1000",
        "lb lbs pound": "45359237/100000",
        "oz ounce": "45359237/1600000",
    },
    "time": {
        "ms millisecond": "1/1000",
        "s sec second": "1",
        "min minute": "60",
        "h hr hour": "3600",
        "day": "86400",
        "week": "604800",
    },
    "years": {"year yr": "1"},
    "months": {"month": "1"},
    "volume": {"ml milliliter millilitre": "1/1000", "l liter litre": "1"},
    "dollars": {"dollar usd": "1", "cent ¢": "1/100"},
    "euros": {"euro eur €": "1"},
    "pounds sterling": {"gbp £": "1"},
    "won": {"won krw ₩ 원": "1"},
    "speed": {"mph": "1397/3125", "km/h kmh kph": "5/18", "m/s": "1"},
    "angle": {"° degree": "1"},
    "radians": {"rad radian": "1"},
    "temperature C": {"°c": "1"},
    "temperature F": {"°f": "1"},
    "energy": {"j joule": "1", "kj kilojoule": "1000"},
    "force": {"n newton": "1", "kn kilonewton": "1000"},
    "power": {"w watt": "1", "kw kilowatt": "1000"},
    "voltage": {"v volt": "1"},
    "temperature K": {"k kelvin": "1"},
    "frequency": {"hz hertz": "1", "khz": "1000"},
    "pressure": {"pa pascal": "1", "kpa": "1000"},
    "amount": {"mol mole": "1"},
    "acceleration": {"m/s^2": "1"},
    "percent": {"% percent pct 퍼센트 프로": "1/100"},
}


def _table() -> dict[str, Unit]:
    table = {}
    for names, size in _LENGTH.items():
        for name in names.split():
            for power, dimension in ((1, "length"), (2, "area"), (3, "solid")):
                spelt = name if power == 1 else f"{name}^{power}"
                table[spelt] = Unit(dimension, Fraction(size) ** power)
    for dimension, units in _OTHER.items():
        for names, size in units.items():
            for name in names.split():
                table[name] = Unit(dimension, Fraction(size))
    return table


_UNITS = _table()
_COUNT = Unit("count", Fraction(1))
_LONG_NAMES = "|".join(
    sorted((name for name in _UNITS if name.isalpha() and len(name) > 1), key=len, reverse=True)
)
_UNIT_TAIL = re.compile(
    r"^(?P<value>.*?[\w})|!])\s*(?P<unit>°\s*(?:\\text\{\s*[CF]\s*\}|[CF])?|%|[€£₩¢원]"
    r"|\\text\{(?P<text>[^{}]*)\}\s*(?:\^\s*\{?\s*(?P<power>[23])\s*\}?)?"
    rf"|(?P<words>(?:(?:{_LONG_NAMES})s?|(?<=\s)(?-i:[mgshlLJNWVK]))"
    rf"(?:\^\s*\{{?[23]\}}?|\s*/\s*(?:{_LONG_NAMES}|[mgshl])(?:\^\s*\{{?[23]\}}?)?)?"
    r"|(?<=\s)[a-z]{3,}(?: [a-z]+)*))$",
    re.IGNORECASE | re.DOTALL,
)
_UNIT_HEAD = re.compile(
    r"^(?P<sign>-?)\s*(?:\\text\{\s*(?P<text>dollar|usd|eur)\s*\}|(?P<mark>[€£₩]))"
    r"\s*(?P<value>[\d.\\(].*)$",
    re.IGNORECASE | re.DOTALL,
)


def split_unit(text: str) -> tuple[str, Unit | None]:
    r"""Take the unit off a tidy quantity: `12 \text{cm}` is 12 and the centimetre.

    A noun that is no unit we know (`12 \text{apples}`) is the unit `count`. Text without a unit, or
    with words that stand alone, comes back whole with None.
    """
    if head := _UNIT_HEAD.match(text):
        name = (head["text"] or head["mark"]).lower()
        return head["sign"] + head["value"].strip(), _UNITS[name]
    match = _UNIT_TAIL.match(text) if len(text) <= 300 else None
    if match is None or (match["words"] and match["value"].rstrip()[-1] not in "0123456789})"):
        return text, None
    name = match["text"] or match["words"] or match["unit"]
    unit = _unit_named(name, match["power"] or "")
    return match["value"].strip(), unit


def _unit_named(name: str, power: str) -> Unit:
    name = re.sub(r"[{}]|\\text", "", name).strip().strip(".").lower()
    name = re.sub(r"\s*\^\s*", "^", name)
    name = re.sub(r"\s*(?:\bper\b|/)\s*", "/", name)
    for words, exponent in (("square", "2"), ("sq", "2"), ("cubic", "3"), ("cu", "3")):
        if match := re.match(rf"{words}\.?\s+", name):
            name, power = name[match.end() :], exponent
    name = {"miles/hour": "mph", "kilometers/hour": "km/h", "meters/second": "m/s"}.get(name, name)
    base, _, spelt = name.partition("^")
    power = power or spelt
    for candidate in (base, base.removesuffix("s"), base.removesuffix("es")):
        unit = _UNITS.get(f"{candidate}^{power}" if power else candidate)
        if unit is not None:
            return unit
    return _COUNT


def comparable(
    a: Fraction, unit_a: Unit | None, b: Fraction, unit_b: Unit | None
) -> list[tuple[Fraction, Fraction]]:
    """The pairs of numbers of which one must agree for two quantities to be the same amount.

    A unit that one side leaves out is taken from the other; so is a noun. A percentage is the
    hundredth part; left out, it may be meant (64 for 64 %) unless the figure is one that reads as a
    share (0 to 1). Units that measure different things are never comparable: the list is empty.
    """
    if unit_a is None or unit_b is None:
        unit = unit_a or unit_b
        if unit is None or unit.dimension != "percent":
            return [(a, b)]
        share = a * (unit_a.size if unit_a else 1), b * (unit_b.size if unit_b else 1)
        return [share, (a, b)] if abs(a) > 1 else [share]
    if "count" in (unit_a.dimension, unit_b.dimension):
        return [(a, b)]
    return [(a * unit_a.size, b * unit_b.size)] if unit_a.dimension == unit_b.dimension else []
