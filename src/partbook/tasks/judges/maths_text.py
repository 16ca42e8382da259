r"""One spelling for mathematics: LaTeX, plain text and Unicode into a small set of LaTeX commands.

What is left after `tidy` uses `\frac{}{}`, `\sqrt{}`, `\text{}`, `\{ \}`, single brackets and `^{}`
or `^`; spacing and display commands are gone. `unreadable` says why a text is not mathematics that
may be parsed: it is the border that no program text crosses. Nothing is computed here.
"""

import re
from functools import lru_cache

__all__ = ["MAX_CHARS", "balanced_end", "split_top", "tidy", "unreadable"]

MAX_CHARS = 2_000
"""Longer answers are not read."""
_MAX_UNTIDY = 4_000
"""Characters of a text that may become one that is short enough."""
MAX_DEPTH = 24
"""Deeper brackets are not read: a parser's time grows steeply with depth."""

_MARKS = {
    "-": "−–—‐", " ": "\u00a0\u202f\u2009", "": "\u200b\u2060\ufeff", "'": "′’‘", "/": "÷⁄",
    r"\cdot ": "·⋅∙", r"\le ": "≤⩽", r"\ge ": "≥⩾", "°": "º", ", ": "，、",
    r"\times ": "×", r"\pi ": "π", r"\infty ": "∞", r"\cup ": "∪", r"\cap ": "∩", r"\ne ": "≠",
    r"\approx ": "≈", r"\pm ": "±", r"\mp ": "∓", r"\in ": "∈", r"\emptyset ": "∅",
    r"\sqrt ": "√", r"\sqrt[3]": "∛", r"\mathbb{R}": "ℝ", r"\land ": "∧", r"\lor ": "∨",
    r"\to ": "→", r"\theta ": "θ", r"\alpha ": "α", r"\beta ": "β", r"\phi ": "φ",
    r"\lambda ": "λ", r"\mu ": "μ", r"\Delta ": "Δ", r"\frac{1}{2}": "½", r"\frac{1}{3}": "⅓",
    r"\frac{2}{3}": "⅔", r"\frac{1}{4}": "¼", r"\frac{3}{4}": "¾", r"\frac{1}{5}": "⅕",
    r"\frac{1}{8}": "⅛",
}  # fmt: skip
"""Spellings, with the marks of Unicode that stand for them."""
_WIDE = {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_TRANSLATION = str.maketrans(
    _WIDE | {mark: spelling for spelling, marks in _MARKS.items() for mark in marks}
)
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ", "0123456789+-n")
_SUBSCRIPT = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")

_HIGH = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ]+")
_LOW = re.compile("[₀-₉]+")

_SPACING = re.compile(
    r"\\(?:[,!;:> ]|quad|qquad|displaystyle|textstyle|limits|thinspace|hspace\*?\{[^{}]*\}"
    r"|phantom\{[^{}]*\}|boldsymbol|(?:bf|rm|it)(?![A-Za-z])|nonumber)|~"
)
_SIZING = re.compile(
    r"\\(?:(?:left|right)(?![A-Za-z])\.?|(?:[bB]igg?[lrm]?|middle)(?![A-Za-z]))\s*"
)
_TEXT_COMMAND = re.compile(
    r"\\(?:text|textbf|textit|textrm|textsf|texttt|textup|textnormal|mbox|hbox|emph|mathrm|mathbf"
    r"|mathit|mathsf|operatorname\*?)\s*\{([^{}]*)\}"
)
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_RENAMED = {
    name: spelling
    for spelling, names in {
        r"\frac": "dfrac tfrac cfrac", r"\le ": "leq leqslant leqq",
        r"\ge ": "geq geqslant geqq", "<": "lt", ">": "gt", r"\ne ": "neq",
        r"\emptyset ": "varnothing O", r"\{": "lbrace lbrack", r"\}": "rbrace rbrack",
        "|": "lvert rvert vert mid", "(": "langle lparen", ")": "rangle rparen", "°": "degree",
        r"\mathbb{R}": "R", r"\setminus ": "setminus backslash",
        r"\approx ": "simeq thickapprox doteq", r"\lor ": "vee", r"\phi ": "varphi",
        r"\epsilon ": "varepsilon",
    }.items()
    for name in names.split()
}  # fmt: skip
"""Commands that are another spelling of something."""
_DEGREE = re.compile(r"\^\s*\{?\s*\\circ\s*\}?")
_REALS = re.compile(r"\\(?:mathbb|mathcal|Bbb)\s*\{?\s*R\s*\}?")
_UPRIGHT = re.compile(r"\\mathrm\s*([a-z])(?![A-Za-z])")
_NAMED = (
    "arcsin|arccos|arctan|sinh|cosh|tanh|sin|cos|tan|cot|sec|csc|log|ln|exp|sqrt|pi|theta|alpha"
    "|beta"
)
_BARE_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]+")
_FUNCTIONS = frozenset(_NAMED.split("|"))
_WORDS = (
    {name: rf"\{name} " for name in _FUNCTIONS}
    | dict.fromkeys(("infinity", "infty", "inf", "oo"), r"\infty ")
    | {"union": r"\cup "}
)
"""Words of plain text that are commands."""
_BRACED = (
    (re.compile(r"\\frac\s*(\w)\s*(\w)"), r"\\frac{\1}{\2}"),
    (re.compile(r"\\frac\s*(\w)\s*\{"), r"\\frac{\1}{"),
    (re.compile(r"(\\frac\s*\{[^{}]*\})\s*(\w)"), r"\1{\2}"),
    (re.compile(r"\\(frac|sqrt)\s+(?=[\[{(])"), r"\\\1"),
    (re.compile(r"\\sqrt\s*(\[\w+\])?\s*(\d+|[A-Za-z]|\\pi)"), r"\\sqrt\1{\2}"),
)
_SIGNS = (
    ("**", "^"), ("<=>", " "), ("<->", " "), ("<=", r"\le "), (">=", r"\ge "), ("!=", r"\ne "),
    ("+/-", r"\pm "),
)  # fmt: skip
_PLAIN = (
    (re.compile(r"^\s*\+-"), r"\\pm "),
    (re.compile(r"\s+U\s+|(?<=[)\]])U(?=[(\[])"), r"\\cup "),
    (re.compile(r"(?<=[\d)A-Za-z}])\s*\*\s*(?=[\d(A-Za-z\\])"), r"\\cdot "),
)
_UNTOUCHED = re.compile(r"(\\text\{[^{}]*\}|\\(?:begin|end)\{[^{}]*\})")
_ESCAPED_TWICE = re.compile(
    r"\\\\(?=(?:[dt]?frac|sqrt|text|pi|cdot|times|pm|left|right|infty|cup|begin|log|ln|sin)\b)"
)
_DISPLAY = re.compile(r"\\\[|\\\]|\\\(|\\\)|(?<!\\)\$")
_GROUPED = re.compile(r"\{,\}(?=\d{3}(?!\d))")
_SPACED = re.compile(r"(?<=\d)\\[,!](?=\d{3}(?!\d))|(?<=\d),\\!(?=\d{3}(?!\d))")
_ROW = "\ue000"
"""Stands for the row separator of a matrix while spacing commands are taken out."""
_UNIT_LETTERS = "mgshlLNJWVK"
"""Single letters that stand upright because they are units; other upright letters are symbols."""
_KNOWN = re.compile(
    rf"{_NAMED}|frac|binom|cdot|times|le|ge|ne|infty|pm|mp|cup|cap|in|to|gamma|delta|epsilon|zeta"
    r"|eta|kappa|lambda|mu|nu|xi|rho|sigma|tau|phi|chi|psi|omega|Gamma|Delta|Theta|Lambda|Pi|Sigma"
    r"|Phi|Psi|Omega|mathbb|emptyset|lfloor|rfloor|lceil|rceil|int|sum|prod|lim|partial|overline"
    r"|bar|hat|vec|det|max|min|gcd|lcm|bmod|pmod|mod|[cl]?dots|approx|equiv|sim|text|begin|end"
    r"|setminus|land|lor|prime|angle|triangle|circ"
)
"""The commands that may reach a parser; none of them names a file, a macro or a package."""
_LETTERS = re.compile(r"[A-Za-z]{4,}")
_STRANGE = re.compile(r"[^0-9A-Za-z\s\\{}()\[\]^_+\-*/=<>,.;:|!&°%']|__|''|'\s*[\w(]")
_TOO_LARGE = re.compile(
    r"\d{400}|\d\s*\^\s*\{?\s*\(?\d+\s*\^\s*\{?\s*\(?\d|\^\s*\{?\s*\(?\d{5}"
    r"|\d{4}\s*!|!\s*[)}]*\s*!|\([^()A-Za-z]*(?:\^|\d{4})[^()A-Za-z]*\)\s*!"
)
"""Long numbers, towers of powers, factorials of large numbers or of factorials."""
_TEXT = re.compile(r"\\text\{[^{}]*\}")
_BRACKET = re.compile(r"\\begin|\\end(?=\{)|[(\[{)\]}]")
_OPENING = frozenset((r"\begin", "(", "[", "{"))


def tidy(text: str) -> str:
    """Write mathematics in one spelling; text that is no mathematics comes back much as it was.

    So does a text that is too long to be read, whatever it is.

    >>> tidy(r"$\\left(\\dfrac12,\\ 5\\right)$")
    '(\\\\frac{1}{2}, 5)'
    """
    return _tidied(text) if len(text) <= _MAX_UNTIDY else text


@lru_cache(maxsize=2_048)
def _tidied(text: str) -> str:
    text = _outer(text)
    if not text.isascii():
        text = _HIGH.sub(lambda m: f"^{{{m[0].translate(_SUPERSCRIPT)}}}", text)
        text = _LOW.sub(lambda m: f"_{{{m[0].translate(_SUBSCRIPT)}}}", text)
        text = text.translate(_TRANSLATION)
    if r"\begin" not in text:  # commands that were escaped twice
        text = _ESCAPED_TWICE.sub(r"\\", text)
    text = _DISPLAY.sub(" ", text.replace(r"\\", _ROW))
    text = text.replace(r"\$", r"\text{dollar}").replace(r"\%", "%").replace(r"\#", "#")
    text = _GROUPED.sub(",", text).replace("{,}", ".")
    if "\\" in text:
        text = _COMMAND.sub(lambda m: _RENAMED.get(m[1], m[0]), _SPACED.sub(",", text))
        text = _REALS.sub(r"\\mathbb{R}", _DEGREE.sub("°", text))
        text = _SIZING.sub("", _UPRIGHT.sub(r"\1", text))
        text = _TEXT_COMMAND.sub(_text, _SPACING.sub(" ", text))
    text = _arguments(_plain_outside_text(text.replace("~", " ")))
    text = " ".join(text.split())
    for loose, tight in (("( ", "("), ("[ ", "["), (" )", ")"), (" ]", "]"), ("} {", "}{")):
        text = text.replace(loose, tight)
    return _outer(text.replace(_ROW, r"\\"))


def unreadable(text: str) -> str | None:
    """Why a tidy text is not mathematics that may be parsed; None where it may be.

    Only known commands, single letters, short products of letters, digits and operators pass,
    within limits of length and depth. It is checked before anything is parsed or computed.
    """
    if len(text) > MAX_CHARS:
        return f"it is longer than {MAX_CHARS} characters"
    depth = deepest = 0
    for mark in text:
        depth += (mark in "([{") - (mark in ")]}")
        deepest = max(deepest, depth)
    if deepest > MAX_DEPTH:
        return f"its brackets are nested deeper than {MAX_DEPTH}"
    if text.count("{") != text.count("}"):
        return "its braces are not closed"
    bare = _TEXT.sub(" ", text)
    if strange := _STRANGE.search(bare):
        return f"{strange.group()!r} has no place in it"
    if unknown := next((m[1] for m in _COMMAND.finditer(bare) if not _KNOWN.fullmatch(m[1])), None):
        return f"\\{unknown} is not a known command"
    words = re.sub(r"\\begin\{[a-z]*\}|\\end\{[a-z]*\}", " ", bare)
    if word := _LETTERS.search(_COMMAND.sub(" ", words)):
        return f"{word.group()!r} is a word"
    if re.search(r"[\d.]\s+\d", re.sub(r"_\s*\d+", "", bare)):
        return "two numbers stand side by side"
    if _TOO_LARGE.search(bare) or bare.count("!") > 4 or bare.count("^") > 40:
        return "its numbers are too large"
    return None


def split_top(text: str, separator: re.Pattern[str]) -> list[str]:
    """Split at the separators that stand outside all brackets."""
    parts = []
    depth = start = at = 0
    for match in separator.finditer(text):
        for bracket in _BRACKET.findall(text, at, match.start()):
            depth = depth + 1 if bracket in _OPENING else max(0, depth - 1)
        at = match.start()
        if depth == 0 and match.end() > at:
            parts.append(text[start:at])
            start = at = match.end()
    parts.append(text[start:])
    return parts


def balanced_end(text: str, opening: int) -> int | None:
    """Index of the bracket that closes the one at `opening`, of any kind; None if none does."""
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if depth == 0:
            return at
    return None


def _text(match: re.Match[str]) -> str:
    inside = match[1].strip()
    in_text = match[0].startswith((r"\text", r"\mbox"))
    if len(inside) == 1 and inside.isalpha() and not in_text and inside not in _UNIT_LETTERS:
        return inside
    if inside in _FUNCTIONS and r"\text" not in match[0]:
        return rf"\{inside} "
    if not any(mark.isalpha() for mark in inside):
        return f" {inside} "
    return rf"\text{{{inside}}}"


def _plain_outside_text(text: str) -> str:
    """Rewrite plain spellings, leaving the words inside `\\text{}` as they are."""
    pieces = _UNTOUCHED.split(text)
    for i in range(0, len(pieces), 2):
        piece = pieces[i]
        for sign, spelling in _SIGNS:
            piece = piece.replace(sign, spelling)
        piece = _BARE_WORD.sub(lambda m: _WORDS.get(m[0], m[0]), piece)
        for pattern, spelling in _PLAIN:
            piece = pattern.sub(spelling, piece)
        pieces[i] = piece
    return "".join(pieces)


def _arguments(text: str) -> str:
    r"""Put braces round the arguments of `\frac`, `\sqrt` and `^`."""
    if "\\" in text:
        for pattern, spelling in _BRACED:
            text = pattern.sub(spelling, text)
    for opener in (r"\sqrt(", r"^("):
        at = text.find(opener)
        while at >= 0:
            close = balanced_end(text, at + len(opener) - 1)
            if close is None:
                break
            inside = text[at + len(opener) : close]
            text = f"{text[:at]}{opener[:-1]}{{{inside}}}{text[close + 1 :]}"
            at = text.find(opener, at + 1)
    return text


def _outer(text: str) -> str:
    """Take off what surrounds a whole answer: Markdown, quotes, a full stop, a pair of braces."""
    for _ in range(4):
        before = text
        text = text.strip().strip('`"“”').strip()
        if len(text) > 4 and text.startswith("**") and text.endswith("**"):
            text = text[2:-2]
        text = _unstopped(text)
        if text.startswith("{") and balanced_end(text, 0) == len(text) - 1 and "," not in text:
            text = text[1:-1]
        if text == before:
            break
    return text


def _unstopped(text: str) -> str:
    bare = text.rstrip(".,;:。")
    if bare.endswith("\\") and len(bare) < len(text):
        bare = text[: len(bare) + 1]  # the mark belongs to a command
    return bare.lstrip(",;:")
