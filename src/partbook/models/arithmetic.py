"""Finds arithmetic in prose, as people and models spell it.

An expression is left alone where it is only a part of what was meant: in `3x + 4 + 5` and
`12 apples * 2 + 3` nothing is found. Reading a single expression is left to `expression.py`.
"""

import re

from partbook.models.expression import Expression, Parser, Token, tokens_of

__all__ = ["find_expression"]

_MAX_TEXT = 16_384
"""Characters of a text that are looked at."""
_MAX_WORK = 8_000
"""Steps of the parser for one text: brackets that never close would cost the square of them."""
_SPELLINGS = tuple(
    (re.compile(pattern, re.IGNORECASE), meant)
    for pattern, meant in (
        (r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r"((\1)/(\2))"),
        (r"\\sqrt\s*\{([^{}]*)\}", r"sqrt(\1)"),
        (r"\*\*\s*\{([^{}]*)\}", r"**(\1)"),
        (r"\\(?:times|cdot|ast)\b", "*"),
        (r"\\div\b", "/"),
        (r"\\(?:left|right|,|!|;)", ""),
        (r"\\%", "%"),
        (r"\bmath\.", ""),
        (r"\bprint\b", " "),
        (r"\b(?:multiplied by|times)\b", "*"),
        (r"\bdivided by\b", "/"),
        (r"\bplus\b", "+"),
        (r"\bminus\b", "-"),
        (r"\bmodulo\b", "mod"),
        (r"\bto the power of\b", "**"),
        (r"\bsquare root of\b", "√"),
        (r"\bsquared\b", "²"),
        (r"\bcubed\b", "³"),
        (r"\bpercent\b", "%"),
        (r"(?<=[\d)])\s*x\s*(?=[\d(])", "*"),
    )
)
_SIGNS = str.maketrans({
    "×": "*", "✕": "*", "·": "*", "⋅": "*", "∙": "*", "÷": "/", "∕": "/", "−": "-", "–": "-",
    "^": "**", "$": " ", "€": " ", "£": " ", "\u00a0": " ", "\u202f": " ",
})  # fmt: skip

_BINARY = frozenset(("+", "-", "*", "/", "//", "%", "**", "mod"))
_ASKING = frozenset(("is", "compute", "calculate", "evaluate", "of", "equals", "result"))
"""Words after which a sign belongs to the number that follows."""


def find_expression(text: str) -> Expression | None:
    """The longest expression with at least one operator; the first of several; None: there is none.

    >>> find_expression("What is 387 × 46?").text
    '387 * 46'
    """
    whole = len(text) <= _MAX_TEXT
    text = text[:_MAX_TEXT].translate(_SIGNS)
    for pattern, meant in _SPELLINGS:
        text = pattern.sub(meant, text)
    tokens = tokens_of(text)
    best: Expression | None = None
    at, work = 0, _MAX_WORK
    while at < len(tokens) and work > 0:
        parser = Parser(tokens, at, work)
        could = not _is_dash(tokens, at) and parser.sum() and parser.work > 0
        work = parser.work
        if not could:
            at += 1
            continue
        end = parser.at
        found = Expression(text[tokens[at].start : tokens[end - 1].end], tuple(parser.postfix))
        stands_alone = (whole or end < len(tokens)) and _stands_alone(tokens, at, end)
        if found.operators and stands_alone and (best is None or len(found.text) > len(best.text)):
            best = found
        at = end
    return best


def _is_dash(tokens: list[Token], at: int) -> bool:
    # "- 3 + 4" at the start of a line and "apples - 3 + 4" are no negative numbers.
    if tokens[at].text not in ("-", "+") or at + 1 == len(tokens):
        return False
    spaced = tokens[at + 1].start > tokens[at].end
    asked = at > 0 and tokens[at - 1].text.lower() in _ASKING
    starts_line = at == 0 or tokens[at - 1].text == "\n"
    return spaced and not asked and (starts_line or tokens[at - 1].kind == "word")


def _stands_alone(tokens: list[Token], start: int, end: int) -> bool:
    # False where a neighbour shows that the expression is only a part of what was meant.
    return _begins(tokens, start) and _ends(tokens, end)


def _begins(tokens: list[Token], start: int) -> bool:
    if start == 0:
        return True
    first, before = tokens[start], tokens[start - 1]
    if before.kind == "word":
        return before.end < first.start  # unlike f(3 + 4)
    if start == 1:
        return True
    operand = tokens[start - 2]
    if before.text == "(":
        return operand.text not in _BINARY  # unlike 2 * (3 + 4, never closed
    is_markup = before.text in ("*", "**") and before.end == first.start
    return before.text not in _BINARY or operand.kind != "word" or is_markup  # apples * 2 + 3


def _ends(tokens: list[Token], end: int) -> bool:
    if end == len(tokens):
        return True
    last, after = tokens[end - 1], tokens[end]
    if after.kind == "word":
        return last.end < after.start  # unlike 3 + 4x
    if after.text not in _BINARY or end + 1 == len(tokens):
        return True
    operand = tokens[end + 1]
    is_markup = after.text in ("*", "**") and after.start == last.end
    is_dash = after.text == "-" and operand.kind == "word" and len(operand.text) > 1
    # A bracket or a number stands here where it was too deep or too long to be read.
    is_operand = operand.kind == "word" or operand.text in ("(", "√") or len(operand.text) > 2
    return is_markup or is_dash or not is_operand  # 3 + 4 * apples
