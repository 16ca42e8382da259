"""Numbers and months as bills spell them, from any spreadsheet's country.

`1,234` is a thousand in one country and a little more than one in another. What a separator means
is settled once for a file, by its own values, and a value that contradicts it is an error.
"""

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Literal

__all__ = ["SYMBOLS", "DecimalMark", "Numbers", "currency_in", "mark_of", "month_of"]

DecimalMark = Literal[".", ","]

SYMBOLS = {"$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₩": "KRW", "￦": "KRW"}
"""Currencies by their signs."""

_PLAIN = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d{1,2})?", re.ASCII)
_SIGNED = re.compile(r"^(?P<open>\()?(?P<minus>[-−])?(?P<body>.*?)(?P<close>\))?$", re.DOTALL)
_CODE = re.compile(r"^([A-Z]{3})\s+|\s+([A-Z]{3})$")
_IN_NAME = re.compile(r"\(([^()]{1,5})\)\s*$|[ _]([a-z]{3})$", re.IGNORECASE)
_CODES = frozenset({"aud", "cad", "chf", "cny", "eur", "gbp", "inr", "jpy", "krw", "sek", "usd"})
_POINT = re.compile(r"^[^,]*\.\d+$|,\d{3}\.\d")
_COMMA = re.compile(r"^[^.]*,\d+$|\.\d{3},\d")
_GROUPS = {
    ".": re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?"),
    ",": re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?"),
}
_LARGEST, _SMALLEST = 15, -40
"""Decimal places of an amount that money can have; 1e999 would only fill memory."""


class Numbers:
    """Reads numbers of one file."""

    def __init__(self, mark: DecimalMark = ".") -> None:
        self.mark = mark

    def whole(self, text: str) -> int:
        """A count of 0 or more; a blank is refused.

        >>> Numbers().whole("1,204"), Numbers().whole("3.0"), Numbers(",").whole("1.204")
        (1204, 3, 1204)

        Raises:
            ValueError: says what was expected.
        """
        if text.isdecimal() and len(text) < 20:
            return int(text)
        value, _ = self.money(text)
        if value != value.to_integral_value():
            raise ValueError("a whole number was expected")
        if value < 0:
            raise ValueError("a number of 0 or more was expected; only costs can be credits")
        return int(value)

    def money(self, text: str) -> tuple[Decimal, str]:
        """An amount, and the currency that is written beside it (empty: none).

        >>> Numbers().money("($1,204.50)"), Numbers(",").money("0,0031 EUR")
        ((Decimal('-1204.50'), 'USD'), (Decimal('0.0031'), 'EUR'))

        Raises:
            ValueError: says what was expected.
        """
        if self.mark == "." and _PLAIN.fullmatch(text):
            return _bounded(Decimal(text)), ""
        body, currency = _without_currency(text.strip())
        signed = _SIGNED.match(body)
        assert signed is not None
        if bool(signed["open"]) != bool(signed["close"]):
            raise ValueError("a number was expected")
        digits, inner = _without_currency(signed["body"].strip())
        digits = digits.replace("\u00a0", "").replace(" ", "").replace("'", "")
        if _GROUPS[self.mark].fullmatch(digits):
            digits = digits.replace("," if self.mark == "." else ".", "")
        if self.mark == ",":
            if "." in digits:
                raise ValueError("the decimal mark of this file is a comma; see --decimal")
            digits = digits.replace(",", ".")
        if not _PLAIN.fullmatch(digits) or digits.startswith("-"):
            hint = "; see --decimal" if "," in digits else ""
            raise ValueError(f"a number was expected{hint}")
        value = _bounded(Decimal(digits))
        negative = bool(signed["minus"]) != bool(signed["open"])
        return (-value if negative else value), currency or inner


def _bounded(value: Decimal) -> Decimal:
    if value and not _SMALLEST <= value.adjusted() <= _LARGEST:
        raise ValueError("an amount that money can have was expected")
    return value


def _without_currency(text: str) -> tuple[str, str]:
    for sign, code in SYMBOLS.items():
        if text.startswith(sign) or text.endswith(sign):
            return text.removeprefix(sign).removesuffix(sign).strip(), code
    found = _CODE.search(text)
    if found is None:
        return text, ""
    return _CODE.sub("", text), found[1] or found[2]


def mark_of(values: Iterable[str], delimiter: str) -> DecimalMark:
    """What the decimal mark of a file is.

    Args:
        values: some of its amounts of money.
        delimiter: what stands between its columns: Excel puts a semicolon where the comma is the
            decimal mark, which decides where the values do not.
    """
    point = comma = 0
    for value in values:
        point += bool(_POINT.search(value)) and not re.fullmatch(r"\d{1,3}(?:\.\d{3})+", value)
        comma += bool(_COMMA.search(value)) and not re.fullmatch(r"\d{1,3}(?:,\d{3})+", value)
    if point != comma:
        return "." if point > comma else ","
    return "," if delimiter == ";" else "."


def currency_in(name: str) -> str:
    """The currency in a column's name; empty: there is none.

    >>> currency_in("Cost ($)"), currency_in("cost_usd"), currency_in("Cost")
    ('USD', 'USD', '')
    """
    found = _IN_NAME.search(name.strip())
    if found is None:
        return ""
    said = (found[1] or found[2]).strip()
    if said.casefold() in _CODES:
        return said.upper()
    return SYMBOLS.get(said, "")


_ISO = re.compile(r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?:[T ].*)?", re.ASCII | re.DOTALL)
_KOREAN = re.compile(r"(\d{4})\s*[년.]\s*(\d{1,2})\s*월?\.?(?:\s*(\d{1,2})\s*[일.]?)?(?:\s.*)?")
_DOTTED = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})(?:\s.*)?", re.ASCII)
_SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})(?:\s.*)?", re.ASCII)
_NAMED = re.compile(r"(?:(\d{1,2})\s+)?([A-Za-z]{3})[a-z]*\.?,?\s+(?:(\d{1,2}),\s+)?(\d{4})")
_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


@lru_cache(maxsize=4096)
def month_of(text: str) -> tuple[str, int]:
    """Month and day of a date; the day is 0 where none is named.

    >>> month_of("2026-10-03T04:05:06Z"), month_of("2026년 10월"), month_of("1790812800")
    (('2026-10', 3), ('2026-10', 0), ('2026-10', 1))

    Raises:
        ValueError: says what was expected.
    """
    text = text.strip()
    if re.fullmatch(r"\d{10}(?:\.\d+)?", text, re.ASCII):
        at = datetime.fromtimestamp(int(text[:10]), UTC)
        return f"{at.year:04}-{at.month:02}", at.day
    for pattern in (_ISO, _KOREAN):
        if found := pattern.fullmatch(text):
            return _checked(found[1], found[2], found[3])
    if found := _DOTTED.fullmatch(text):
        return _checked(found[3], found[2], found[1])
    if found := _SLASHED.fullmatch(text):
        first, second = int(found[1]), int(found[2])
        if first != second and first <= 12 and second <= 12:
            raise ValueError("the order of day and month is unclear; write dates as 2026-10-31")
        month, day = (first, second) if second > 12 or first == second else (second, first)
        return _checked(found[3], str(month), str(day))
    if (found := _NAMED.fullmatch(text)) and found[2].lower() in _NAMES:
        month = _NAMES.index(found[2].lower()) + 1
        return _checked(found[4], str(month), found[1] or found[3])
    raise ValueError("a date was expected, as 2026-10-31, or a month, as 2026-10")


def _checked(year: str, month: str, day: str | None) -> tuple[str, int]:
    try:
        date(int(year), int(month), int(day or 1))
    except ValueError:
        raise ValueError("a date that there is was expected") from None
    return f"{int(year):04}-{int(month):02}", int(day or 0)
