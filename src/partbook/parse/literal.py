"""Reads one literal list out of text that a language model wrote, and evaluates nothing.

The form is what Python and JSON share, written by a hand that slips: tuples, trailing commas,
comments, curly quotes, triple quotes, `null`, a bare `all`, full-width brackets, and quotes inside
a string that should have been escaped. A list or a string that is not closed stays an error:
nothing is completed by guess. What the lists mean is left to `text.py`.

Every character is looked at a bounded number of times, so time is linear in the text. The reader
stops at the first thing that cannot be part of a literal and says where; a caller that goes on
from there is linear as well, and never reads inside a string that was already read.
"""

import re
from typing import Final

from partbook.parse.escape import unescape

__all__ = ["LiteralError", "Value", "read_list"]

Value = int | float | bool | str | list["Value"] | None
"""What a literal holds; tuples are lists, a bare `all` is the string."""

MAX_DEPTH: Final = 8
"""The deepest nesting read. A workflow needs 2."""

MAX_DIGITS: Final = 18
"""The longest number read."""

_SPACE = r"[\s\u200b\u200c\u200d\u2060\ufeff]"
_CLOSERS: Final = {"[": "]］", "(": ")）", "［": "]］", "（": ")）"}
_QUOTES: Final = {'"': '"', "'": "'", "“": "”", "‘": "’", "„": "“", "「": "」"}
_APOSTROPHES: Final = ("'", "’")

# No group is possessive: before Python 3.11.5 a match may then end before it begins (gh-106052).
_BLANK = re.compile(rf"(?:{_SPACE}++|(?<=[\s,\[(])(?:\#|//)[^\n]*+)*")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?![\w.])", re.ASCII)
_WORD = re.compile(r"[A-Za-z]+(?![\w(.\[\"'])", re.ASCII)
_PREFIX = re.compile(r"[rRuU](?=[\"'])")
_PLACEHOLDER = re.compile(r"\.\.\.|…|<")
_CUT = re.compile(r"[-\w.]*\Z")
_WORDS: Final[dict[str, Value]] = {
    "none": None,
    "null": None,
    "true": True,
    "false": False,
    "all": "all",
}

_CLOSES = re.compile(
    rf"""{_SPACE}*+(?:
        \Z | [\])］）] | ["'“‘„「] | (?<=\s)(?:\#|//)
        | [,，]{_SPACE}*+(?:(?:\#|//)[^\n]{{0,200}}\n{_SPACE}*+){{0,9}}
          (?: \Z | ["'“‘„「\[\]()（［）］] | [rRuU]["']
            | \.\.\. | … | (?:-?\d+(?:\.\d+)?|none|null|true|false|all){_SPACE}*+[,\])］）] ) )""",
    re.VERBOSE | re.IGNORECASE,
)
"""What may follow the closing quote of an item: its bracket, a comment, or a comma and an item."""

_TRIPLE: Final = {
    q * 3: re.compile(rf"[^{q}\\]*+(?:(?:\\.|{q}(?!{q}{q}))[^{q}\\]*+)*", re.DOTALL) for q in "\"'"
}
_CHUNK: Final = {
    opening: re.compile(
        rf"[^{opening}{closing}\\\n]*+(?:\\.[^{opening}{closing}\\\n]*+)*", re.DOTALL
    )
    for opening, closing in _QUOTES.items()
}


class LiteralError(Exception):
    """No literal stands here. It does not leave this package."""

    def __init__(
        self, message: str, at: int, *, reason: str = "not_a_literal", placeholder: bool = False
    ) -> None:
        super().__init__(message)
        self.at = at
        """Where reading stopped, as an index into the text."""
        self.reason = reason
        self.placeholder = placeholder
        """Whether it is the format restated (`[id, ...]`) and not an attempt to fill it in."""


def read_list(
    text: str, start: int, *, stop: re.Pattern[str] | None = None, is_json: bool = False
) -> tuple[Value, int]:
    r"""Read the list, or the string, that starts at `start`.

    Args:
        text: any text.
        start: index of an opening bracket or quote.
        stop: matches the start of a line that no string in plain quotes reaches into.
        is_json: whether `\/` in a string is a slash.

    Returns:
        The value and the index after it.

    Raises:
        LiteralError: what stands there is cut off, nested too deeply, or no literal.

    >>> read_list("x = ['a', (0, null),]  # two", 4)
    (['a', [0, None]], 21)
    """
    reader = _Reader(text, start, stop, is_json)
    return reader.value(0, is_first=True), reader.pos


class _Reader:
    """A position in a text, moved on by reading."""

    __slots__ = ("is_json", "pos", "stop", "text")

    def __init__(self, text: str, pos: int, stop: re.Pattern[str] | None, is_json: bool) -> None:
        self.text = text
        self.pos = pos
        self.stop = stop
        self.is_json = is_json

    def value(self, depth: int, *, is_first: bool) -> Value:
        text, pos = self.text, self.pos
        char = text[pos : pos + 1]
        if char in _CLOSERS:
            return self._items(depth)
        if char in _QUOTES or _PREFIX.match(text, pos):
            return self._strings(depth)
        if number := _NUMBER.match(text, pos):
            return self._number(number.group())
        word = _WORD.match(text, pos)
        if word and word.group().lower() in _WORDS:
            self.pos = word.end()
            return _WORDS[word.group().lower()]
        if _CUT.match(text, pos, pos + 16) and len(text) <= pos + 16:
            raise self._truncated("a list")
        placeholder = bool(_PLACEHOLDER.match(text, pos)) or (is_first and char.isalpha())
        raise LiteralError(f"{_near(text, pos)} is not a literal", pos, placeholder=placeholder)

    def _items(self, depth: int) -> list[Value]:
        text, start = self.text, self.pos
        if depth >= MAX_DEPTH:
            raise LiteralError("the lists are nested too deeply", start, reason="too_deep")
        closers = _CLOSERS[text[start]]
        items: list[Value] = []
        self.pos += 1
        while True:
            self._skip()
            char = text[self.pos : self.pos + 1]
            if not char:
                raise self._truncated("a list")
            if char in closers:
                self.pos += 1
                return items
            items.append(self.value(depth + 1, is_first=not items))
            self._skip()
            char = text[self.pos : self.pos + 1]
            if char in (",", "，"):
                self.pos += 1
            elif char and char not in closers:
                raise LiteralError(
                    f"expected a comma or {closers[0]}, found {_near(text, self.pos)}", self.pos
                )

    def _number(self, digits: str) -> Value:
        if len(digits) > MAX_DIGITS:
            raise LiteralError(
                f"a number of {len(digits)} digits is no index",
                self.pos + len(digits),
                reason="bad_number",
            )
        self.pos += len(digits)
        return float(digits) if "." in digits else int(digits)

    def _strings(self, depth: int) -> str:
        """One string, or several that follow each other and are joined as Python joins them."""
        parts = [self._string(depth)]
        while depth:
            end = self.pos
            self._skip()
            char = self.text[self.pos : self.pos + 1]
            if not char or (char not in _QUOTES and not _PREFIX.match(self.text, self.pos)):
                self.pos = end
                break
            parts.append(self._string(depth))
        return "".join(parts)

    def _string(self, depth: int) -> str:
        text = self.text
        is_raw = False
        if text[self.pos] not in _QUOTES:
            is_raw = text[self.pos] in "rR"
            self.pos += 1
        triple = _TRIPLE.get(text[self.pos : self.pos + 3])
        if triple:
            start = self.pos + 3
            end = triple.match(text, start).end()  # type: ignore[union-attr]  # it matches ""
            if not text.startswith(text[self.pos] * 3, end):
                raise self._truncated("a string")
            self.pos = end + 3
        else:
            start = self.pos + 1
            end = self._end_of_string(strict=depth == 0)
            self.pos = end + 1
        body = text[start:end]
        return body if is_raw or "\\" not in body else unescape(body, is_json=self.is_json)

    def _end_of_string(self, *, strict: bool) -> int:
        """Index of the quote that closes the string at `pos`.

        The first quote closes it, unless what follows shows that it was meant as text. Such quotes
        must come as the pairs that stand around a word, or be apostrophes; else the string is
        refused, because a guess could cut a subtask or join two.
        """
        text, opening = self.text, self.text[self.pos]
        closing, chunk = _QUOTES[opening], _CHUNK[opening]
        nested, is_inside, has_newline = 0, False, False
        i = self.pos + 1
        while True:
            i = chunk.match(text, i).end()  # type: ignore[union-attr]  # it matches ""
            char = text[i : i + 1]
            if char in ("", "\\"):
                raise self._truncated("a string")
            if char == "\n":
                if is_inside or self._stops(i):
                    raise LiteralError(f"the string {_near(text, self.pos)} is not closed", i)
                has_newline = True
            elif opening != closing and (char == opening or nested):
                nested += 1 if char == opening else -1
            elif (
                closing in _APOSTROPHES and text[i - 1].isalnum() and text[i + 1 : i + 2].isalnum()
            ):
                pass
            elif strict or _CLOSES.match(text, i + 1) or self._stops(i + 1):
                if not is_inside:
                    return i
                if text[i + 1 : i + 2] != closing:
                    raise self._unescaped(i)
                is_inside = False
            elif has_newline:
                raise self._unescaped(i)
            else:
                is_inside = self._turns(i, closing, is_inside)
            i += 1

    def _stops(self, i: int) -> bool:
        """Whether the line ends at `i` and no string reaches into the next one."""
        return bool(
            self.text[i : i + 1] == "\n" and self.stop and self.stop.match(self.text, i + 1)
        )

    def _turns(self, i: int, closing: str, is_inside: bool) -> bool:
        """Whether the text after the quote at `i` is inside a quoted word."""
        before, after = self.text[i - 1], self.text[i + 1 : i + 2]
        starts_word = i == self.pos + 1 or before.isspace() or before in "([{/-–—:"
        if not is_inside and starts_word and (after.isalnum() or after in ("\\", "$")):
            return True
        if is_inside and not before.isspace() and not after.isalnum():
            return False
        if not is_inside and closing in _APOSTROPHES and before in "sS" and after == " ":
            return False
        raise self._unescaped(i)

    def _skip(self) -> None:
        self.pos = _BLANK.match(self.text, self.pos).end()  # type: ignore[union-attr]

    def _truncated(self, what: str) -> LiteralError:
        message = f"{what} is not closed, the text ends inside it"
        return LiteralError(message, len(self.text), reason="truncated")

    def _unescaped(self, i: int) -> LiteralError:
        quote = self.text[i]
        return LiteralError(
            f"a {quote} inside a string is not written as \\{quote}, at {_near(self.text, i)}", i
        )


def _near(text: str, at: int) -> str:
    """The text at a place, short and on one line."""
    piece = text[at : at + 24]
    return repr(piece + "…" if len(text) > at + 24 else piece)
