"""How the answer is worded and how its numbers are written, in English and in Korean."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Literal

from partbook.economy.bill import Note
from partbook.economy.figure import Figure
from partbook.economy.words_en import ENGLISH
from partbook.economy.words_ko import KOREAN

__all__ = [
    "Language",
    "amount",
    "filled",
    "inputs_of",
    "is_letter",
    "label",
    "note",
    "percent",
    "range_of",
    "say",
    "value_of",
]

Language = Literal["en", "ko"]

_WORDS: Mapping[Language, Mapping[str, str]] = {"en": ENGLISH, "ko": KOREAN}
_POINTS = {"en": "points", "ko": "점"}
_CENTS = Decimal("0.01")


def say(language: Language, key: str, values: Mapping[str, str] | None = None) -> str:
    """A text, with its names filled in."""
    return filled(_WORDS[language][key], values or {})


def filled(text: str, values: Mapping[str, str | int]) -> str:
    """A text with its names filled in; whole numbers get their commas."""
    return text.format_map({k: f"{v:,}" if isinstance(v, int) else v for k, v in values.items()})


def amount(value: Decimal, unit: str, language: Language = "en") -> str:
    """A number with its unit, rounded for people.

    >>> amount(Decimal("1234.5"), "USD"), amount(Decimal("-0.00123"), "USD")
    ('$1,234.50', '−$0.00123')
    >>> amount(Decimal("81000"), "KRW"), amount(Decimal("1.456"), "times")
    ('81,000 KRW', '× 1.46')
    """
    sign, size = ("−" if value < 0 else ""), abs(value)
    if unit == "USD":
        return f"{sign}${_money(size)}"
    if unit == "times":
        return f"× {value:.2f}"
    if unit == "%":
        return f"{value:.1f} %"
    if unit == "points":
        return f"{value:+.1f} {_POINTS[language]}"
    if unit in ("calls", "tokens", "tasks"):
        return f"{sign}{size:,.0f}" if size >= 100 or size == int(size) else f"{sign}{size:.2f}"
    return f"{sign}{size:,.0f} {unit}" if size >= 1000 else f"{sign}{_money(size)} {unit}"


def label(figure: Figure, language: Language, fewer: Decimal) -> str:
    """What a figure is."""
    return say(language, figure.key, {**figure.about, "fewer": percent(fewer)})


def percent(share: Decimal) -> str:
    """A share in per cent, without a sign.

    >>> percent(Decimal("0.4")), percent(Decimal("0.125"))
    ('40', '12.5')
    """
    digits = format(100 * share, "f")
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


def value_of(figure: Figure, language: Language) -> str:
    """A figure's value, or that it is unknown and why."""
    if figure.value is not None:
        return amount(figure.value, figure.unit, language)
    why = say(language, figure.why, figure.about) if figure.why else ""
    unknown = say(language, "unknown")
    return f"{unknown}: {why}" if why else unknown


def range_of(figure: Figure, language: Language) -> str:
    """A figure's range in words; empty: it has none."""
    if figure.range is None or figure.value is None:
        return ""
    low, high = (amount(end, figure.unit, language) for end in figure.range)
    return say(language, f"range.{figure.range_of}", {"low": low, "high": high})


def inputs_of(figure: Figure) -> str:
    """The letters of a figure's formula with their values.

    >>> inputs_of(Figure("x", "bill", None, "USD", "B × f", {"B": "21", "f": "0.4"}))
    'B = 21, f = 0.4'
    """
    return ", ".join(f"{letter} = {value}" for letter, value in figure.inputs.items())


def is_letter(name: str) -> bool:
    """Whether an input is a letter that a text explains."""
    return f"letter.{name}" in ENGLISH


def note(one: Note, language: Language, unit: str) -> str:
    """A warning or a note, its amounts rounded.

    Args:
        one: what is noted.
        language: of the text.
        unit: of its amounts where it names none.
    """
    values = dict(one.values)
    if "amount" in values:
        values["amount"] = amount(Decimal(values["amount"]), values.get("unit", unit), language)
    for name in ("low", "high"):
        if name in values:
            values[name] = f"{Decimal(values[name]):+.1f}"
    return say(language, one.key, values)


def _money(size: Decimal) -> str:
    if size == 0:
        return "0"
    if size >= 1:
        return f"{size.quantize(_CENTS):,}" if size < Decimal(10) ** 12 else f"{size:,.0f}"
    return f"{size:.{max(2, 2 - size.adjusted())}f}" if size >= Decimal("1e-9") else "< 1e-9"
