r"""One spelling for mathematics: LaTeX, plain text and Unicode into a small set of LaTeX commands.

What is left after `tidy` uses `\frac{}{}`, `\sqrt{}`, `\text{}`, `\{ \}`, single brackets and `^{}`
or `^`; spacing and display commands are gone. `unreadable` says why a text is not mathematics that
may be parsed: it is the border that no program text crosses. Nothing is computed here.
"""

import re

__all__ = ["balanced_end", "split_top", "tidy", "unreadable"]

MAX_CHARS = 2_000
"""Longer answers are not read."""
MAX_DEPTH = 24
"""Deeper brackets are not read: a parser's time grows steeply with depth."""

_UNICODE = {
    "−": "-",
    "–": "-",
    "—": "-",
    "‐": "-",
    "×": r"\times ",
    "·": r"\cdot ",
    "⋅": r"\cdot ",
    "∙": r"\cdot ",
    "÷": "/",
    "⁄": "/",
    "π": r"\pi ",
    "∞": r"\infty ",
    "∪": r"\cup ",
    "∩": r"\cap ",
    "≤": r"\le ",
    "⩽": r"\le ",
    "≥": r"\ge ",
    "⩾": r"\ge ",
    "≠": r"\ne ",
    "≈": r"\approx ",
    "±": r"\pm ",
    "∓": r"\mp ",
    "∈": r"\in ",
    "∅": r"\emptyset ",
    "°": "°",
    "º": "°",
    "√": r"\sqrt ",
    "∛": r"\sqrt[3]",
    "ℝ": r"\mathbb{R}",
    "½": r"\frac{1}{2}",
    "⅓": r"\frac{1}{3}",
    "⅔": r"\frac{2}{3}",
    "¼": r"\frac{1}{4}",
    "¾": r"\frac{3}{4}",
    "⅕": r"\frac{1}{5}",
    "⅛": r"\frac{1}{8}",
    "θ": r"\theta ",
    "α": r"\alpha ",
    "β": r"\beta ",
    "φ": r"\phi ",
    "λ": r"\lambda ",
    "μ": r"\mu ",
    "Δ": r"\Delta ",
    "，": ", ",
    "、": ", ",
    "；": "; ",
    "′": "'",
    "’": "'",
    "‘": "'",
    "∧": r"\land ",
    "∨": r"\lor ",
    "→": r"\to ",
    "\u00a0": " ",
    "\u202f": " ",
    "\u2009": " ",
    "\u200b": "",
    "\u2060": "",
    "\ufeff": "",
}
_UNICODE |= {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F) if code != 0xFF0C}
_TRANSLATION = str.maketrans(_UNICODE)
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ", "0123456789+-n")
_SUBSCRIPT = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")

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
_RENAMED = (
    (re.compile(r"\\[dtc]frac(?![A-Za-z])"), r"\\frac"),
    (re.compile(r"\\(?:leq|leqslant|leqq)(?![A-Za-z])"), r"\\le "),
    (re.compile(r"\\(?:geq|geqslant|geqq)(?![A-Za-z])"), r"\\ge "),
    (re.compile(r"\\lt(?![A-Za-z])"), "<"),
    (re.compile(r"\\gt(?![A-Za-z])"), ">"),
    (re.compile(r"\\neq(?![A-Za-z])"), r"\\ne "),
    (re.compile(r"\\(?:varnothing|O)(?![A-Za-z])"), r"\\emptyset "),
    (re.compile(r"\\(?:lbrace|lbrack)(?![A-Za-z])"), r"\\{"),
    (re.compile(r"\\(?:rbrace|rbrack)(?![A-Za-z])"), r"\\}"),
    (re.compile(r"\\(?:lvert|rvert|vert|mid)(?![A-Za-z])"), "|"),
    (re.compile(r"\\(?:langle|lparen)(?![A-Za-z])"), "("),
    (re.compile(r"\\(?:rangle|rparen)(?![A-Za-z])"), ")"),
    (re.compile(r"\^\s*\{?\s*\\circ\s*\}?|\\degree(?![A-Za-z])"), "°"),
    (re.compile(r"\\(?:mathbb|mathcal|Bbb)\s*\{?\s*R\s*\}?|\\R(?![A-Za-z])"), r"\\mathbb{R}"),
    (re.compile(r"\\(?:setminus|backslash)(?![A-Za-z])"), r"\\setminus "),
    (re.compile(r"\\(?:simeq|thickapprox|doteq)(?![A-Za-z])"), r"\\approx "),
    (re.compile(r"\\vee(?![A-Za-z])"), r"\\lor "),
    (re.compile(r"\\varphi(?![A-Za-z])"), r"\\phi "),
    (re.compile(r"\\varepsilon(?![A-Za-z])"), r"\\epsilon "),
    (re.compile(r"\\mathrm\s*([a-z])(?![A-Za-z])"), r"\1"),
)
_NAMED = (
    "arcsin|arccos|arctan|sinh|cosh|tanh|sin|cos|tan|cot|sec|csc|log|ln|exp|sqrt|pi|theta|alpha"
    "|beta"
)
_PLAIN = (
    (re.compile(r"\*\*"), "^"),
    (re.compile(r"<=>|<->"), " "),
    (re.compile(r"<="), r"\\le "),
    (re.compile(r">="), r"\\ge "),
    (re.compile(r"!="), r"\\ne "),
    (re.compile(r"\+/-|^\s*\+-"), r"\\pm "),
    (re.compile(rf"(?<![\\A-Za-z])({_NAMED})(?![a-zA-Z])"), r"\\\1 "),
    (re.compile(r"(?<![\\A-Za-z])(?:infinity|infty|inf|oo)(?![A-Za-z])"), r"\\infty "),
    (re.compile(r"\s+U\s+|(?<=[)\]])U(?=[(\[])"), r"\\cup "),
    (re.compile(r"(?<![\\A-Za-z])union(?![A-Za-z])"), r"\\cup "),
    (re.compile(r"(?<=[\d)A-Za-z}])\s*\*\s*(?=[\d(A-Za-z\\])"), r"\\cdot "),
)
_ESCAPED_TWICE = r"(?:[dt]?frac|sqrt|text|pi|cdot|times|pm|left|right|infty|cup|begin|log|ln|sin)\b"
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
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_LETTERS = re.compile(r"[A-Za-z]{4,}")
_STRANGE = re.compile(r"[^0-9A-Za-z\s\\{}()\[\]^_+\-*/=<>,.;:|!&°%']|__|''|'\s*[\w(]")
_TOO_LARGE = re.compile(
    r"\d{400}|\d\s*\^\s*\{?\s*\(?\d+\s*\^\s*\{?\s*\(?\d|\^\s*\{?\s*\(?\d{5}"
    r"|\d{4}\s*!|!\s*[)}]*\s*!|\([^()A-Za-z]*(?:\^|\d{4})[^()A-Za-z]*\)\s*!"
)
"""Long numbers, towers of powers, factorials of large numbers or of factorials."""
_TEXT = re.compile(r"\\text\{[^{}]*\}")


def tidy(text: str) -> str:
    """Write mathematics in one spelling; text that is no mathematics comes back much as it was.

    >>> tidy(r"$\\left(\\dfrac12,\\ 5\\right)$")
    '(\\\\frac{1}{2}, 5)'
    """
    text = _outer(text)
    text = re.sub(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ]+", lambda m: f"^{{{m[0].translate(_SUPERSCRIPT)}}}", text)
    text = re.sub(r"[₀-₉]+", lambda m: f"_{{{m[0].translate(_SUBSCRIPT)}}}", text)
    text = text.translate(_TRANSLATION)
    if r"\begin" not in text:  # commands that were escaped twice
        text = re.sub(rf"\\\\(?={_ESCAPED_TWICE})", r"\\", text)
    text = text.replace(r"\\", _ROW)
    text = re.sub(r"\\\[|\\\]|\\\(|\\\)|(?<!\\)\$", " ", text)
    text = text.replace(r"\$", r"\text{dollar}").replace(r"\%", "%").replace(r"\#", "#")
    text = re.sub(r"\{,\}(?=\d{3}(?!\d))", ",", text).replace("{,}", ".")
    text = re.sub(r"(?<=\d)\\[,!](?=\d{3}(?!\d))|(?<=\d),\\!(?=\d{3}(?!\d))", ",", text)
    for pattern, spelling in _RENAMED:
        text = pattern.sub(spelling, text)
    text = _SPACING.sub(" ", _SIZING.sub("", text))
    text = _TEXT_COMMAND.sub(_text, text)
    text = _plain_outside_text(text)
    text = _arguments(text)
    text = re.sub(r"(?<=[(\[])\s+|\s+(?=[)\]])", "", re.sub(r"\s+", " ", text))
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
    while at < len(text):
        mark = text[at]
        if depth == 0 and (match := separator.match(text, at)) and match.end() > at:
            parts.append(text[start:at])
            start = at = match.end()
            continue
        if text.startswith(r"\begin", at):
            depth += 1
        elif text.startswith(r"\end{", at):
            depth = max(0, depth - 1)
        depth = max(0, depth + (mark in "([{") - (mark in ")]}"))
        at += 1
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
    if re.fullmatch(rf"\s*(?:{_NAMED})\s*", inside) and r"\text" not in match[0]:
        return rf"\{inside} "
    if not any(mark.isalpha() for mark in inside):
        return f" {inside} "
    return rf"\text{{{inside}}}"


def _plain_outside_text(text: str) -> str:
    """Rewrite plain spellings, leaving the words inside `\\text{}` as they are."""
    pieces = re.split(r"(\\text\{[^{}]*\}|\\(?:begin|end)\{[^{}]*\})", text)
    for i in range(0, len(pieces), 2):
        for pattern, spelling in _PLAIN:
            pieces[i] = pattern.sub(spelling, pieces[i])
    return "".join(pieces)


def _arguments(text: str) -> str:
    r"""Put braces round the arguments of `\frac`, `\sqrt` and `^`."""
    text = re.sub(r"\\frac\s*(\w)\s*(\w)", r"\\frac{\1}{\2}", text)
    text = re.sub(r"\\frac\s*(\w)\s*\{", r"\\frac{\1}{", text)
    text = re.sub(r"(\\frac\s*\{[^{}]*\})\s*(\w)", r"\1{\2}", text)
    text = re.sub(r"\}\s+\{", "}{", re.sub(r"\\(frac|sqrt)\s+(?=[\[{(])", r"\\\1", text))
    text = re.sub(r"\\sqrt\s*(\[\w+\])?\s*(\d+|[A-Za-z]|\\pi)", r"\\sqrt\1{\2}", text)
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
        text = text.strip().strip('`"“”').strip()
        if len(text) > 4 and text.startswith("**") and text.endswith("**"):
            text = text[2:-2]
        text = re.sub(r"(?<!\\)[.,;:。]+$|^[,;:]+", "", text)
        if text.startswith("{") and balanced_end(text, 0) == len(text) - 1 and "," not in text:
            text = text[1:-1]
    return text
