"""Logs of prompts: JSON lines of chat requests, the batch format of OpenAI, or a table.

Of a chat, the last thing that the user said is the prompt. One prompt is in memory at a time.
"""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeVar

from partbook.economy.amounts import SYMBOLS, Numbers, currency_in, mark_of
from partbook.economy.decode import encoding_of, is_json, open_text
from partbook.economy.documents import objects_in
from partbook.economy.shapes import plain_name
from partbook.economy.tables import DELIMITERS, PREAMBLE, bounded_lines, large_fields
from partbook.errors import ConfigError
from partbook.price import EXACT

__all__ = ["Prompt", "prompts_in"]

_T = TypeVar("_T")

_PROMPT = ("prompt", "question", "input", "text", "message", "content", "프롬프트", "질문", "요청")
_COST = ("cost", "cost usd", "cost krw", "cost eur", "spend", "price", "usd", "비용", "금액")
_CURRENCY = ("currency", "통화")
_MODEL = ("model", "모델")
_SAMPLE = 100
"""Lines whose costs show the decimal mark; each may hold a long prompt."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt of a log."""

    text: str
    model: str = ""
    cost_usd: Decimal | None = None
    """None: unknown."""


def prompts_in(path: Path, rates: Mapping[str, Decimal] | None = None) -> Iterator[Prompt]:
    """The prompts of a file; objects and rows without one are passed over.

    Args:
        path: of the file.
        rates: dollars for one unit of a currency, by its code.

    Raises:
        ConfigError: it cannot be read, it is neither JSON nor a table with a column of prompts, or
            a cost is no amount in dollars or in a currency with a rate.
    """
    encoding = encoding_of(path)
    if not is_json(path, encoding):
        yield from _rows(path, encoding, rates or {})
        return
    costs = _Costs(Numbers(), rates or {})
    for line, item in objects_in(path, encoding):
        found = _of_object(item)
        if found is not None:
            text_, plain = found
            try:
                yield Prompt(text_, _first(plain, _MODEL), costs.of(plain))
            except ValueError as err:
                raise ConfigError(f"{path}, line {line}, cost: {err}") from err


class _Costs:
    """Reads what a prompt cost, in dollars."""

    def __init__(self, numbers: Numbers, rates: Mapping[str, Decimal], usual: str = "") -> None:
        self._numbers = numbers
        self._rates = rates
        self._usual = usual
        """The currency that the column's name gives; empty: none."""

    def of(self, plain: Mapping[str, Any]) -> Decimal | None:
        """The cost; None: unknown.

        Raises:
            ValueError: says what was expected and what was found.
        """
        text = _first(plain, _COST)
        if not text.strip():
            return None
        try:
            value, said = self._numbers.money(text)
        except ValueError as err:
            raise ValueError(f"{err}, found {text[:60]!r}") from err
        if value < 0:
            raise ValueError(f"a cost of 0 or more was expected, found {text[:60]!r}")
        named = _first(plain, _CURRENCY).strip()
        code = said or SYMBOLS.get(named, named.upper()[:12]) or self._usual or "USD"
        if code in self._rates:
            return EXACT.multiply(value, self._rates[code])
        if code != "USD":
            raise ValueError(f"the currency is {code}; say what one is worth: --rate {code}=...")
        return value


def _of_object(item: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]] | None:
    """The prompt of an object, and its fields by plain names."""
    body = item.get("body")
    inner: Mapping[str, Any] = body if isinstance(body, Mapping) else item
    plain = {plain_name(key): value for key, value in {**item, **inner}.items()}
    text = _last_said(inner.get("messages"))
    if not text:
        text = next((t for name in _PROMPT if (t := _text(plain.get(name)))), "")
    return (text, plain) if text.strip() else None


def _last_said(messages: object) -> str:
    if not isinstance(messages, Sequence) or isinstance(messages, str):
        return ""
    for message in reversed(messages):
        if isinstance(message, Mapping) and message.get("role") == "user":
            return _text(message.get("content"))
    return ""


def _text(content: object) -> str:
    """The text of a message: a text, or parts of which some are texts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, Sequence):
        return ""
    parts = [part.get("text") for part in content if isinstance(part, Mapping)]
    return "\n".join(part for part in parts if isinstance(part, str))


def _first(plain: Mapping[str, Any], names: Sequence[str]) -> str:
    for name in names:
        value = plain.get(name)
        if isinstance(value, str | int | Decimal) and not isinstance(value, bool):
            return str(value)
    return ""


def _rows(path: Path, encoding: str, rates: Mapping[str, Decimal]) -> Iterator[Prompt]:
    with open_text(path, encoding) as text:
        sample = _some(bounded_lines(path, text), PREAMBLE, len)
    line, delimiter, heading = _heading(path, sample)
    names = [plain_name(name) for name in heading]
    column = next((i for i, name in enumerate(names) if name in _COST), None)
    usual = "" if column is None else currency_in(heading[column])
    with open_text(path, encoding) as text, large_fields():
        reader = csv.reader(bounded_lines(path, text), delimiter=delimiter, strict=True)
        try:
            rows = (row for row in reader if reader.line_num > line)
            first = _some(rows, _SAMPLE, lambda row: sum(map(len, row)))
            values = [] if column is None else [r[column] for r in first if len(r) > column]
            costs = _Costs(Numbers(mark_of(values, delimiter)), rates, usual)
            for row in chain(first, rows):
                plain = dict(zip(names, row, strict=False))
                said = next((plain[name] for name in _PROMPT if plain.get(name)), "")
                if said.strip():
                    yield Prompt(said, _first(plain, _MODEL), costs.of(plain))
        except (csv.Error, ValueError) as err:
            where = f"{path}, line {reader.line_num}"
            raise ConfigError(f"{where}: {err}") from err


def _some(items: Iterator[_T], count: int, size: Callable[[_T], int]) -> list[_T]:
    """The first of them: so many, or as many as a megabyte holds, and at least one."""
    found: list[_T] = []
    room = 1_000_000
    for item in islice(items, count):
        found.append(item)
        room -= size(item)
        if room < 0:
            break
    return found


@large_fields()
def _heading(path: Path, sample: Sequence[str]) -> tuple[int, str, list[str]]:
    """Where the heading is, its delimiter, and its names."""
    for number, line in enumerate(sample, 1):
        for delimiter in DELIMITERS:
            row = next(csv.reader([line], delimiter=delimiter), [])
            if any(plain_name(name) in _PROMPT for name in row):
                return number, delimiter, row
    listed = ", ".join(repr(name) for name in next(csv.reader(sample[:1]), [])[:20])
    raise ConfigError(
        f"{path}, line 1: a column {', '.join(_PROMPT[:3])} was expected, found {listed}"
    )
