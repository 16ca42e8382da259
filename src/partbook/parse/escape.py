r"""Backslashes in a string that a language model wrote, into the text that it meant, and back.

Models write mathematics into strings without doubling its backslashes. Read by Python's rules,
`\frac` becomes a form feed and `\times` a tab. So an escape whose character nobody writes on
purpose (`\a \b \f \v`, octal) is kept as text, and `\n` and `\t` are escapes unless they start the
name of a LaTeX command.
"""

import re
from typing import Final

__all__ = ["escape", "unescape"]

_ESCAPE = re.compile(
    r"\\(?:u(?P<u4>[0-9a-fA-F]{4})|U(?P<u8>[0-9a-fA-F]{8})|x(?P<x2>[0-9a-fA-F]{2})"
    r"|(?P<name>[A-Za-z]+)|(?P<mark>.))",
    re.DOTALL,
)

_LATEX: Final = """
nabla natural ncong ne nearrow neg neq newline nexists ngeq ni nleq nmid nolimits nonumber
not notin nparallel nrightarrow nsim nsubseteq nu nwarrow tag tan tanh tau tbinom text
textbf textit textrm textsf textstyle texttt tfrac therefore theta thinspace tilde times
to top tr triangle triangleleft triangleright twoheadrightarrow
alpha angle approx arccos arcsin arctan bar begin beta big binom bmod boxed bullet cap
cdot cdots ceil chi circ cos cot cup ddot delta det dfrac div dot dots ell emptyset end
epsilon equiv eta exists exp forall frac gamma gcd ge geq hat hbar hline in infty int iota
kappa lambda langle lceil ldots le left leq lfloor lim ln log mapsto mathbb mathbf mathcal
mathrm max mid min mod mp mu oint omega operatorname oplus otimes overline partial perp
phi pi pm prime prod psi qquad quad rangle rceil rfloor rho right rightarrow sec setminus
sigma sim sin sinh sqrt subset subseteq sum sup underline uparrow upsilon varepsilon
varphi vec vee wedge xi zeta
"""

_COMMANDS: Final = frozenset(_LATEX.split())

_LIST_LETTERS: Final = frozenset({"ne", "ni", "nu"})
"""Commands that are also a new line and an item's letter, as in `\\ni) first`."""


def unescape(body: str, *, is_json: bool = False) -> str:
    r"""Resolve the escapes of a string's body, and leave LaTeX as it is.

    Never fails: what is no escape stays. A string in which a command follows a single backslash
    was written without doubling, so there a `\\` that starts no command stays a `\\` (a matrix).

    >>> unescape(r"Halve \frac{a}{b}.\nThen\tstop \u00e9")
    'Halve \\frac{a}{b}.\nThen\tstop é'
    """
    is_plain = any(_is_command(found) for found in _ESCAPE.finditer(body))
    has_surrogates = False

    def resolve(found: re.Match[str]) -> str:
        nonlocal has_surrogates
        whole, mark, name = found.group(), found["mark"], found["name"]
        if mark is not None:
            return _mark(found, is_json=is_json, is_plain=is_plain)
        if name is not None:
            if _is_command(found):
                return whole
            return {"n": "\n", "t": "\t", "r": "\r"}[name[0]] + name[1:]
        code = int(found["u4"] or found["u8"] or found["x2"], 16)
        if 0xD800 <= code < 0xE000:
            has_surrogates = True
        return chr(code) if code <= 0x10FFFF else whole

    text = _ESCAPE.sub(resolve, body)
    if has_surrogates:
        # JSON writes characters past U+FFFF as two escapes; half a pair would fail on the wire.
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def escape(text: str) -> str:
    r"""The body of a double-quoted string that `unescape` reads as this text.

    >>> escape('say "\\frac" twice\nnow')
    'say \\"\\\\frac\\" twice\\nnow'
    """
    body = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    body = _CONTROL.sub(_by_number, body)
    if unescape(body) == text:
        return body
    # A new line before `u` would read as the letter nu: numbers are never mistaken.
    return _CONTROL.sub(_by_number, text.replace("\\", "\\u005c")).replace('"', '\\"')


_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def _by_number(found: re.Match[str]) -> str:
    return f"\\u{ord(found.group()):04x}"


def _is_command(found: re.Match[str]) -> bool:
    """Whether a backslash and letters are text rather than an escape."""
    name: str | None = found["name"]
    if name is None:
        return False
    if name[0] not in "nrt":
        return True
    if name[0] == "r":
        return name != "r"
    after = found.string[found.end() : found.end() + 1]
    return name in _COMMANDS and not (name in _LIST_LETTERS and after in (")", "."))


def _mark(found: re.Match[str], *, is_json: bool, is_plain: bool) -> str:
    mark: str = found["mark"]
    if mark == "\\":
        name = _LETTERS.match(found.string, found.end())
        is_matrix_row = is_plain and not (name and name.group() in _COMMANDS)
        return "\\\\" if is_matrix_row else "\\"
    if mark in "\"'" or (mark == "/" and is_json):
        return mark
    return "" if mark == "\n" else found.group()


_LETTERS = re.compile(r"[A-Za-z]{1,20}(?![A-Za-z])")
