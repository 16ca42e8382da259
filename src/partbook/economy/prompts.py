"""Logs of prompts: JSON lines of chat requests, the batch format of OpenAI, or a table.

Of a chat, the last thing that the user said is the prompt. One prompt is in memory at a time.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any

from partbook.economy.amounts import Numbers
from partbook.economy.decode import encoding_of, open_text
from partbook.economy.documents import objects_in
from partbook.economy.shapes import plain_name
from partbook.economy.tables import bounded_lines, large_fields
from partbook.errors import ConfigError

__all__ = ["Prompt", "prompts_in"]

_PROMPT = ("prompt", "question", "input", "text", "message", "content", "프롬프트", "질문", "요청")
_COST = ("cost", "cost usd", "spend", "price", "usd", "비용")
_MODEL = ("model", "모델")
_DELIMITERS = (",", ";", "\t", "|")


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt of a log."""

    text: str
    model: str = ""
    cost_usd: Decimal | None = None
    """None: unknown."""


def prompts_in(path: Path) -> Iterator[Prompt]:
    """The prompts of a file; objects and rows without one are passed over.

    Raises:
        ConfigError: it cannot be read, or it is neither JSON nor a table with a column of prompts.
    """
    encoding = encoding_of(path)
    with open_text(path, encoding) as text:
        start = text.read(4096).lstrip("\ufeff \t\r\n")[:1]
    if start not in ("{", "["):
        yield from _rows(path, encoding)
        return
    for line, item in objects_in(path, encoding):
        found = _of_object(item)
        if found is not None:
            try:
                yield Prompt(found[0], found[1], _cost(found[2]))
            except ValueError as err:
                raise ConfigError(f"{path}, line {line}, cost: {err}, found {found[2]!r}") from err


def _of_object(item: Mapping[str, Any]) -> tuple[str, str, str] | None:
    body = item.get("body")
    inner: Mapping[str, Any] = body if isinstance(body, Mapping) else item
    plain = {plain_name(key): value for key, value in {**item, **inner}.items()}
    text = _last_said(inner.get("messages"))
    if not text:
        text = next((t for name in _PROMPT if (t := _text(plain.get(name)))), "")
    if not text.strip():
        return None
    model, cost = _first(plain, _MODEL), _first(plain, _COST)
    return text, model, cost


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


def _cost(text: str) -> Decimal | None:
    return Numbers().money(text)[0] if text.strip() else None


def _rows(path: Path, encoding: str) -> Iterator[Prompt]:
    with open_text(path, encoding) as text:
        head = list(islice(bounded_lines(path, text), 1))
    for delimiter in _DELIMITERS:
        names = [plain_name(name) for name in next(csv.reader(head, delimiter=delimiter), [])]
        if any(name in _PROMPT for name in names):
            break
    else:
        listed = ", ".join(repr(name) for name in next(csv.reader(head), [])[:20])
        raise ConfigError(
            f"{path}, line 1: a column {', '.join(_PROMPT[:3])} was expected, found {listed}"
        )
    with open_text(path, encoding) as text, large_fields():
        reader = csv.reader(bounded_lines(path, text), delimiter=delimiter, strict=True)
        try:
            for row in islice(reader, 1, None):
                plain = dict(zip(names, row, strict=False))
                said = next((plain[name] for name in _PROMPT if plain.get(name)), "")
                if said.strip():
                    yield Prompt(said, _first(plain, _MODEL), _cost(_first(plain, _COST)))
        except (csv.Error, ValueError) as err:
            raise ConfigError(f"{path}, line {reader.line_num}: {err}") from err
