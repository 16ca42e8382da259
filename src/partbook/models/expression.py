"""Reads and computes an arithmetic expression.

A small grammar of its own instead of Python's: `15% of 240`, `5!`, `1,234 * 2` and `3²` are no
Python. What is read is kept in postfix order, which needs no recursion to compute.

    sum      = product (("+" | "-") product)*
    product  = signed (("*" | "/" | "//" | "mod" | "of") signed)*
    signed   = ("-" | "+") signed | power
    power    = postfix ("**" signed)?
    postfix  = atom ("!" | "%" | "²" | "³")*
    atom     = number | "(" sum ")" | name "(" sum ("," sum)* ")" | "√" atom
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple

from partbook.models.exact import FUNCTIONS, MAX_DIGITS, OPERATORS, Number

__all__ = ["Expression", "Parser", "Token", "evaluate", "tokens_of"]

_MAX_DEPTH = 40
"""Of brackets, signs and exponents within each other."""

_NUMBER = r"(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d{1,3}(?!\d))?"
_TOKEN = re.compile(
    rf"(?P<grouped>(?<![\w.,])\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?(?![\d,]\d))"
    rf"|(?P<number>(?<![\w.]){_NUMBER}(?!\d))"
    r"|(?P<op>\*\*|//|[-+*/%!²³√(),]|\bmod\b)"
    r"|(?P<word>[^\W\d_]\w*)"
    r"|(?P<space>[^\S\n]+)"
    r"|(?P<other>.|\n)"
)
_PLAIN_NUMBER = re.compile(_NUMBER)

_LISTING = frozenset(("gcd", "lcm", "max", "min", "comb", "round", "pow"))
"""Functions in which a comma separates arguments and never thousands."""

_Kind = Literal["number", "op", "word", "other"]


class Token(NamedTuple):
    """A piece of a text and where it lies."""

    kind: _Kind
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression as it was found."""

    text: str
    """With signs and spellings made uniform."""
    postfix: tuple[Fraction | tuple[str, int], ...]
    """Numbers, and operations with the number of their operands."""

    @property
    def operators(self) -> int:
        """How many operations it has, signs and percent marks left out."""
        return sum(
            isinstance(item, tuple) and item[0] not in ("neg", "percent") for item in self.postfix
        )


def evaluate(expression: Expression) -> Number:
    """Compute it.

    Raises:
        ArithmeticFailure: it has no value, or none of bearable size.
    """
    stack: list[Number] = []
    for item in expression.postfix:
        if isinstance(item, Fraction):
            stack.append(Number(item))
            continue
        name, count = item
        operands = stack[-count:]
        del stack[-count:]
        operation = OPERATORS[name] if name in OPERATORS else FUNCTIONS[name][2]
        stack.append(operation(*operands))
    return stack[0]


def tokens_of(text: str) -> list[Token]:
    """Cut a text into tokens; blanks are left out, line ends are not."""
    tokens: list[Token] = []
    listing = [False]
    at = 0
    while match := _TOKEN.match(text, at):
        kind, piece = match.lastgroup, match[0]
        if kind == "grouped" and listing[-1]:
            match = _PLAIN_NUMBER.match(text, at)
            assert match is not None
            kind, piece = "number", match[0]
        if piece == "(":
            listing.append(bool(tokens) and tokens[-1].text.lower() in _LISTING)
        elif piece == ")" and len(listing) > 1:
            listing.pop()
        if kind in ("grouped", "number") and len(piece) <= MAX_DIGITS:
            tokens.append(Token("number", piece.replace(",", ""), at, match.end()))
        elif kind == "op":
            tokens.append(Token("op", piece, at, match.end()))
        elif kind == "word":
            tokens.append(Token("word", piece, at, match.end()))
        elif kind != "space":
            tokens.append(Token("other", piece, at, match.end()))
        at = match.end()
    return tokens


class Parser:
    """Reads the longest expression that starts at a token; each method says whether it could.

    A method that could not may leave `at` and `postfix` anywhere: whoever can go on without it
    puts them back.
    """

    def __init__(self, tokens: list[Token], at: int, work: int) -> None:
        self.at = at
        self.work = work
        """Steps that may still be made; without them everything fails."""
        self.postfix: list[Fraction | tuple[str, int]] = []
        self._tokens = tokens
        self._depth = 0
        self._of_at = -1
        """Where the word `of` means a product: after a percent mark or a division."""

    def sum(self) -> bool:
        """Read an expression from `at` on, and leave `at` behind it."""
        if not self._product():
            return False
        while (sign := self._text()) in ("+", "-"):
            if not self._right(self._product, sign):
                break
        return True

    def _product(self) -> bool:
        if not self._signed():
            return False
        while True:
            sign, width = self._text(), 1
            if sign == "of" and self.at == self._of_at:
                sign, width = "*", 2 if self._text(1) == "the" else 1
            elif sign == "(" and self._touches():
                sign, width = "*", 0
            elif sign == "%":
                sign = "mod"
            elif sign not in ("*", "/", "//", "mod"):
                return True
            if not self._right(self._signed, sign, width):
                return True
            if sign == "/":
                self._of_at = self.at

    def _signed(self) -> bool:
        sign = self._text()
        if sign not in ("+", "-"):
            return self._power()
        self.at += 1
        if not self._deeper(self._signed):
            return False
        if sign == "-":
            self.postfix.append(("neg", 1))
        return True

    def _power(self) -> bool:
        if not self._postfix():
            return False
        if self._text() == "**":
            self._right(self._signed, "**")
        return True

    def _postfix(self) -> bool:
        if not self._atom():
            return False
        while (sign := self._text()) in ("!", "%", "²", "³"):
            if sign == "%" and self._starts_operand(1):
                return True
            self.at += 1
            if sign in ("²", "³"):
                self.postfix += [Fraction(2 if sign == "²" else 3), ("**", 2)]
            elif sign == "!":
                self.postfix.append(("!", 1))
            else:
                self.postfix.append(("percent", 1))
                self._of_at = self.at
        return True

    def _atom(self) -> bool:
        if self.at >= len(self._tokens):
            return False
        token = self._tokens[self.at]
        self.at += 1
        self.work -= 1
        if token.kind == "number":
            self.postfix.append(Fraction(token.text))
            return True
        if token.text == "(":
            return self._deeper(self.sum) and self._closed()
        if token.text == "√":
            could = self._deeper(self._atom)
            self.postfix.append(("sqrt", 1))
            return could
        name = token.text.lower()
        return token.kind == "word" and name in FUNCTIONS and self._call(name)

    def _call(self, name: str) -> bool:
        if self._text() != "(":
            return False
        count = 0
        while count == 0 or self._text() == ",":
            self.at += 1
            count += 1
            if not self._deeper(self.sum):
                return False
        self.postfix.append((name, count))
        fewest, most, _ = FUNCTIONS[name]
        return fewest <= count <= most and self._closed()

    def _right(self, read: Callable[[], bool], sign: str, width: int = 1) -> bool:
        # The right-hand side of an operator, or back to before the operator.
        at, size = self.at, len(self.postfix)
        self.at += width
        if self._deeper(read):
            self.postfix.append((sign, 2))
            return True
        self.at = at
        del self.postfix[size:]
        return False

    def _deeper(self, read: Callable[[], bool]) -> bool:
        self._depth += 1
        self.work -= 1
        could = self.work > 0 and self._depth <= _MAX_DEPTH and read()
        self._depth -= 1
        return could

    def _closed(self) -> bool:
        self.at += 1
        return self._text(-1) == ")"

    def _text(self, ahead: int = 0) -> str:
        at = self.at + ahead
        return self._tokens[at].text if at < len(self._tokens) else ""

    def _touches(self) -> bool:
        return self._tokens[self.at].start == self._tokens[self.at - 1].end

    def _starts_operand(self, ahead: int) -> bool:
        at = self.at + ahead
        if at >= len(self._tokens):
            return False
        token = self._tokens[at]
        return token.kind == "number" or token.text in ("(", "√") or token.text in FUNCTIONS
