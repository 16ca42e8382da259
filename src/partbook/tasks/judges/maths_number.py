r"""Exact numbers, without a computer algebra system.

Nearly every answer of a mathematics data set is a number; reading it here takes microseconds and
cannot run away. `exact` knows integers, decimals, grouping commas, scientific notation, fractions,
mixed numbers and the four operations with small powers, in rational arithmetic. Roots, constants
and letters are left to `maths_worker`.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["exact", "rounds_to"]

_BITS = 4_096
"""Larger numerators, denominators and powers are not computed."""
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
_MIXED = re.compile(r"(?<![\d.}^_])(\d+)\s*\\frac\s*\{\s*(\d+)\s*\}\s*\{\s*(\d+)\s*\}")
_MIXED_PLAIN = re.compile(r"^(-?)\s*(\d+)\s+(\d+)\s*/\s*(\d+)$")
_SCIENTIFIC = re.compile(r"(?<=\d)[eE]([+-]?\d{1,3})(?!\d)")
_TOKEN = re.compile(r"\s*(\d+\.?\d*|\.\d+|\\frac|\\cdot|\\times|[-+*/^(){}])")
_DECIMAL = re.compile(r"[-+]?\d*\.(\d+)")


def rounds_to(literal: str, value: Fraction) -> bool:
    """Whether a decimal literal of six places or more is this value, rounded or cut.

    >>> rounds_to("0.333333", Fraction(1, 3)), rounds_to("0.333", Fraction(1, 3))
    (True, False)
    """
    match = _DECIMAL.fullmatch(literal.strip())
    if match is None or len(match[1]) < 6 or len(literal) > 60:
        return False
    given = Fraction(literal.strip())
    return abs(given - value) < Fraction(1, 10 ** len(match[1])) and given != 0


def exact(text: str) -> Fraction | None:
    r"""The rational number that a tidy text writes; None where it writes none that is small enough.

    >>> exact(r"1\frac{1}{2}"), exact("12,500"), exact(r"1.5\times 10^{3}"), exact("2^{0.5}")
    (Fraction(3, 2), Fraction(12500, 1), Fraction(1500, 1), None)
    """
    if len(text) > 1_000:
        return None
    text = _GROUPED.sub(lambda m: m[0].replace(",", ""), text.strip())
    text = _SCIENTIFIC.sub(r"*10^{\1}", text)
    if mixed := _MIXED_PLAIN.match(text):
        text = rf"{mixed[1]}{mixed[2]}\frac{{{mixed[3]}}}{{{mixed[4]}}}"
    text = _MIXED.sub(_mixed, text)
    tokens = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            return None
        tokens.append(match[1])
        at = match.end()
    if not tokens:
        return None
    try:
        return _Reader(tokens).whole()
    except (_NotExact, ZeroDivisionError):
        return None


def _mixed(match: re.Match[str]) -> str:
    """A whole number before a proper fraction is added to it; before another one it multiplies."""
    whole, top, bottom = match.groups()
    joint = "+" if len(top) <= len(bottom) and int(top) < int(bottom) else "*"
    return f"({whole}{joint}{top}/{bottom})"


class _NotExact(Exception):
    """The tokens are no rational number that is small enough to compute."""


@dataclass(slots=True)
class _Reader:
    """Recursive descent over tokens: sum, product, power, atom."""

    tokens: list[str]
    at: int = 0
    depth: int = 0

    def whole(self) -> Fraction:
        value = self.sum()
        if self.at < len(self.tokens):
            raise _NotExact
        return value

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, expected: str = "") -> str:
        token = self.peek()
        if not token or (expected and token != expected):
            raise _NotExact
        self.at += 1
        return token

    def sum(self) -> Fraction:
        value = self.product()
        while self.peek() in ("+", "-"):
            sign = 1 if self.take() == "+" else -1
            value = _bounded(value + sign * self.product())
        return value

    def product(self) -> Fraction:
        value = self.signed()
        while token := self.peek():
            closed = self.tokens[self.at - 1] in (")", "}")
            if token in ("*", r"\cdot", r"\times"):
                self.take()
                value = _bounded(value * self.signed())
            elif token == "/":
                self.take()
                value = _bounded(value / self.signed())
            elif token == "(" or (closed and token in ("{", r"\frac")):
                value = _bounded(value * self.power())
            else:
                break
        return value

    def signed(self) -> Fraction:
        sign = 1
        while self.peek() in ("+", "-"):
            sign = -sign if self.take() == "-" else sign
        return sign * self.power()

    def power(self) -> Fraction:
        base = self.atom()
        if self.peek() != "^":
            return base
        self.take()
        exponent = self.exponent()
        size = max(base.numerator.bit_length(), base.denominator.bit_length())
        if exponent.denominator != 1 or abs(exponent) * size > _BITS:
            raise _NotExact
        return Fraction(base ** int(exponent))

    def exponent(self) -> Fraction:
        if self.peek() == "-":
            self.take()
            return -self.atom()
        return self.atom()

    def atom(self) -> Fraction:
        token = self.take()
        if token == r"\frac":
            top = self.group("{", "}")
            return _bounded(top / self.group("{", "}"))
        if token in ("(", "{"):
            self.at -= 1
            return self.group(token, ")" if token == "(" else "}")
        if token[0].isdigit() or token[0] == ".":
            if len(token) > 400:
                raise _NotExact
            return Fraction(token)
        raise _NotExact

    def group(self, opening: str, closing: str) -> Fraction:
        self.take(opening)
        self.depth += 1
        if self.depth > 24:
            raise _NotExact
        value = self.sum()
        self.take(closing)
        self.depth -= 1
        return value


def _bounded(value: Fraction) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _BITS:
        raise _NotExact
    return value
