r"""Whether two expressions are equal, by math-verify and sympy, in a process that can be killed.

math-verify reads the LaTeX (its grammar builds sympy objects; of the text, nothing but a number is
ever read by Python) and gives a second opinion where numbers cannot decide. The first opinion is
ours: two expressions are equal if they agree, to 25 digits and relative to their size, at points
drawn once for all; a difference that a simplifier cannot see does not make 2^{-70} equal to
2^{-71}.

This module is run by `killable`, never imported by the library.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

from latex2sympy2_extended import NormalizationConfig
from math_verify import LatexExtractionConfig, parse, verify
from sympy import Basic, Expr, Float, I, Integer, Rational, Symbol, nan, zoo

from partbook.tasks.judges.checker import serve
from partbook.tasks.judges.maths_alike import alike, expressions
from partbook.tasks.judges.maths_number import rounds_to
from partbook.tasks.judges.maths_read import read
from partbook.tasks.judges.maths_shape import Relation

__all__ = ["BySympy", "NoExpression", "check"]

_READ_AS_IT_STANDS = LatexExtractionConfig(
    normalization_config=NormalizationConfig(
        basic_latex=False,
        units=False,
        malformed_operators=False,
        nits=False,
        boxed="none",
        equations=False,
    )
)
_DIGITS = 40
_CLOSE = Rational(1, 10**25)
_POINTS = 8
_WHOLE_NUMBERS = frozenset("nkmN")
"""Variables that stand for whole numbers by custom; (-1)^n is cos(pi n) only there."""
_FAILURES = (
    ArithmeticError,
    AttributeError,
    LookupError,
    NotImplementedError,
    TypeError,
    ValueError,
)
"""What sympy raises on expressions that it cannot work with."""


class NoExpression(Exception):
    """The text is no expression that math-verify can read."""


class BySympy:
    """Leaves with algebra."""

    def __init__(self) -> None:
        self._read: dict[str, Expr] = {}

    def expression(self, text: str) -> Expr:
        """Read one expression.

        Raises:
            NoExpression: it cannot be read.
        """
        if text not in self._read:
            found = parse(
                f"${text}$",
                extraction_config=[_READ_AS_IT_STANDS],
                fallback_mode="no_fallback",
                parsing_timeout=None,
            )
            if not found or not isinstance(found[0], Expr):
                raise NoExpression(text)
            self._read[text] = _plain(found[0])
        return self._read[text]

    def equal(self, left: str, right: str) -> bool:
        """Whether two expressions have the same value wherever both have one."""
        a, b = self.expression(left), self.expression(right)
        if a == b:
            return True
        if a.is_Rational and b.is_Rational:
            return False
        constant = not (a.free_symbols or b.free_symbols)
        agreeing = 0
        for x, y in _sampled(a, b):
            if _close(x, y):
                agreeing += 1
            elif constant:
                return _rounded(left, y) or _rounded(right, x)
            elif _comparable(x, y):
                return False
        return agreeing >= (1 if constant else 3) or bool(verify(a, b, timeout_seconds=None))

    def same_relation(self, left: Relation, right: Relation) -> bool:
        """Whether two relations say the same: one is a multiple of the other."""
        turned = {"<": ">", ">": "<", r"\le": r"\ge", r"\ge": r"\le"}
        if right.sign not in (left.sign, turned.get(left.sign)):
            return False
        a = self.expression(left.left) - self.expression(left.right)
        b = self.expression(right.left) - self.expression(right.right)
        pairs = [(x, y) for x, y in _sampled(a, b) if x != 0 or y != 0]
        if len(pairs) < 3 or any(x == 0 or y == 0 for x, y in pairs):
            return False
        ratios = [x / y for x, y in pairs]
        if not all(_close(ratio, ratios[0]) for ratio in ratios):
            return False
        if left.sign in ("=", r"\ne"):
            return True
        return bool(ratios[0].is_real) and (ratios[0] > 0) == (left.sign == right.sign)


def _plain(expression: Expr) -> Expr:
    """Decimals as the fractions they are, `i` as the imaginary unit, one kind of symbol."""
    changes: dict[Basic, Basic] = {f: Rational(str(f)) for f in expression.atoms(Float)}
    for symbol in expression.atoms(Symbol):
        changes[symbol] = I if symbol.name == "i" else Symbol(symbol.name)
    return expression.xreplace(changes).doit()


def _sampled(a: Expr, b: Expr) -> Iterator[tuple[Expr, Expr]]:
    """Both values at each point where both have one; first points with positive variables."""
    symbols = sorted(a.free_symbols | b.free_symbols, key=str)
    draw = random.Random(0)
    for i in range(_POINTS if symbols else 1):
        point: Mapping[Basic, Expr] = {
            symbol: Integer(draw.randint(1, 9))
            if symbol.name in _WHOLE_NUMBERS
            else Rational(draw.randint(11, 97), 31) * (draw.choice((1, -1)) if i >= 4 else 1)
            for symbol in symbols
        }
        try:
            x = a.xreplace(point).evalf(_DIGITS)
            y = b.xreplace(point).evalf(_DIGITS)
        except _FAILURES:
            continue
        if _is_number(x) and _is_number(y):
            yield x, y


def _is_number(value: Expr) -> bool:
    return bool(value.is_number) and not value.has(nan, zoo) and value.is_finite is not False


def _close(x: Expr, y: Expr) -> bool:
    difference = abs(x - y).evalf(_DIGITS)
    size = max(abs(x).evalf(_DIGITS), abs(y).evalf(_DIGITS))
    return bool(size < Rational(1, 10**100) or difference <= _CLOSE * size)


def _comparable(x: Expr, y: Expr) -> bool:
    """Whether a difference counts: branches of roots and logarithms differ off the real line."""
    return all(bool(abs(value.as_real_imag()[1]) < _CLOSE) for value in (x, y))


def _rounded(literal: str, value: Expr) -> bool:
    real, imaginary = value.as_real_imag()
    return bool(abs(imaginary) < _CLOSE) and rounds_to(literal, Fraction(str(real)))


def check(question: object, say: Callable[[object], None]) -> object:
    """Compare two tidy answers: `right`, `wrong`, or `unreadable` for a gold answer.

    It says `gold` once the gold answer has been read, so that a killed check is known to be the
    other answer's fault.
    """
    assert isinstance(question, dict)
    leaves = BySympy()
    gold = read(question["gold"])
    try:
        for text in expressions(gold):
            leaves.expression(text)
    except NoExpression as error:
        return {"outcome": "unreadable", "why": str(error)}
    say("gold")
    try:
        same = alike(gold, read(question["answer"]), leaves)
    except NoExpression as error:
        return {"outcome": "wrong", "why": f"{str(error)!r} cannot be read as an expression"}
    except _FAILURES as error:
        return {"outcome": "wrong", "why": f"it cannot be computed with: {type(error).__name__}"}
    return {"outcome": "right" if same else "wrong", "why": ""}


if __name__ == "__main__":
    serve(check)
