"""JSON of any length as objects, one at a time: lines of objects, an array, or pages of an API.

A page is an object with a list `data`, which is where APIs put what they list. Only one object is
in memory, so a file may be longer than that.
"""

import json
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, TextIO

from partbook.economy.decode import open_text
from partbook.errors import ConfigError

__all__ = ["objects_in"]

_PIECE = 1 << 16
_WHOLE_PAGE = 1 << 20
"""Characters up to which a page is read as one object; a longer one is entered."""
_LARGEST = 16_000_000
"""Characters of one object: a spend log may hold whole prompts."""
_DATA = re.compile(r'"data"\s*:\s*\[')
_BLANK = re.compile(r"[\s,\x1e]*")


def objects_in(path: Path, encoding: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The objects of a file, each with the line that it begins at. Numbers are exact.

    Raises:
        ConfigError: it is no JSON; the message says from which line on.
    """
    with open_text(path, encoding) as text:
        buffer = _Buffer(path, text)
        while (sign := buffer.peek()) is not None:
            if sign == "[":
                buffer.drop(1)
                yield from _items(buffer)
            elif sign == "{":
                yield from _page(buffer)
            else:
                raise buffer.error("a JSON object was expected")


def _page(buffer: "_Buffer") -> Iterator[tuple[int, Mapping[str, Any]]]:
    line = buffer.line
    value = buffer.value(_WHOLE_PAGE)
    if value is None and (found := _DATA.search(buffer.text)):
        buffer.drop(found.end())
        yield from _items(buffer)
        buffer.drop_object()
        return
    if value is None:
        value = buffer.value(_LARGEST)
    if value is None:
        raise buffer.error("an object without an end was found")
    data = value.get("data")
    if isinstance(data, list):
        for item in data:
            if not isinstance(item, dict):
                raise buffer.error("objects were expected in `data`")
            yield line, item
    else:
        yield line, value


def _items(buffer: "_Buffer") -> Iterator[tuple[int, Mapping[str, Any]]]:
    while (sign := buffer.peek()) != "]":
        if sign != "{":
            raise buffer.error("an object or the end of the list was expected")
        line = buffer.line
        value = buffer.value(_LARGEST)
        if value is None:
            raise buffer.error("an object without an end was found")
        yield line, value
    buffer.drop(1)


class _Buffer:
    """The part of a text that is in memory."""

    def __init__(self, path: Path, text: TextIO) -> None:
        self.text = ""
        self.line = 1
        self._path = path
        self._source = text
        self._at = 0
        self._decode = json.JSONDecoder(parse_float=Decimal).raw_decode

    def peek(self) -> str | None:
        """The next character that is not between values; None: there is none."""
        while True:
            found = _BLANK.match(self.text, self._at)
            assert found is not None
            self.line += self.text.count("\n", self._at, found.end())
            self._at = found.end()
            if self._at < len(self.text):
                return self.text[self._at]
            if not self._more():
                return None

    def value(self, most: int) -> Mapping[str, Any] | None:
        """The next object; None: it does not end within so many characters."""
        while True:
            try:
                value, end = self._decode(self.text, self._at)
            except RecursionError as err:
                raise self.error("this is nested too deeply") from err
            except json.JSONDecodeError as err:
                if len(self.text) - self._at > most and _may_go_on(err, self.text):
                    return None
                size = max(_PIECE, len(self.text) - self._at)
                if not _may_go_on(err, self.text) or not self._more(size):
                    self.line += self.text.count("\n", self._at, err.pos)
                    raise self.error(f"this is no JSON: {err.msg}") from err
                continue
            except (ValueError, ArithmeticError) as err:
                raise self.error("a number here has too many digits") from err
            self.line += self.text.count("\n", self._at, end)
            self._at = end
            if not isinstance(value, dict):
                raise self.error("a JSON object was expected")
            return value

    def drop(self, count: int) -> None:
        """Go on behind so many characters."""
        self.line += self.text.count("\n", self._at, self._at + count)
        self._at += count

    def drop_object(self) -> None:
        """Pass over what stands behind a list in the object that was entered."""
        while (found := self.text.find("}", self._at)) < 0:
            self._at = len(self.text)
            if not self._more():
                raise self.error("an object without an end was found")
        self.drop(found + 1 - self._at)

    def error(self, said: str) -> ConfigError:
        """An error at this place."""
        return ConfigError(f"{self._path}, line {self.line}: {said}")

    def _more(self, count: int = _PIECE) -> bool:
        piece = self._source.read(count)
        if piece:
            self.text = self.text[self._at :] + piece
            self._at = 0
        return bool(piece)


def _may_go_on(err: json.JSONDecodeError, text: str) -> bool:
    """Whether what is wrong may only be that the text in memory ends too early."""
    return err.pos >= len(text) - 20 or "Unterminated" in err.msg
