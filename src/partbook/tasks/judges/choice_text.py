"""The spellings of a multiple-choice answer: one plain text, and the patterns that announce a
letter.

Nothing is decided here. What counts as a statement, and which of several letters it states, is in
`choice_line` and `choice`.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from partbook.tasks.judges.answers import ANSWER_KEYS

__all__ = ["Spellings", "normal", "plain", "spellings", "texts"]

_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20, 0xA0: 0x20}
_TRANSLATION = (
    _WIDE
    | {ord(mark): None for mark in "*`$\u200b\u200c\u200d\u2060\ufeff"}
    | {ord("’"): "'", ord("“"): '"', ord("”"): '"', ord("「"): '"', ord("」"): '"', ord("。"): ". "}
)
_FONT = re.compile(
    r"\\(?:text|textbf|textit|textrm|texttt|mathrm|mathbf|mathit|mbox|bf)\s*\{([^{}]*)\}"
)
_SPACE = re.compile(r"\\[,;: !]|~")
CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩"

_FILLER = (
    r"(?:(?:therefore|thus|clearly|definitely|probably|likely|most\s+likely|still|indeed|simply|then"
    r"|actually|hence|option|choice|letter|answer|the|only)\b[\s:,]*)*"
)
_IS = (
    r"(?:(?:is|are|would\s+be|should\s+be|must\s+be|will\s+be|has\s+to\s+be|seems\s+to\s+be|est|es|ist|è|é)"
    r"(?![A-Za-z'])\s*:?|[:=]+|→|[-–—]+(?=\s|>)>?|[은는이가为為是は]\s*:?)"
)
_QUALIFIED = (
    r"(?:correct|right|best|final|chosen|my|true|most\s+\w+)\s+(?:answer\s+)?"
    r"(?:option|choice|letter)"
)
_KEY = rf"(?:{_QUALIFIED}|{ANSWER_KEYS}(?:\s+(?:option|choice|letter))?)(?![a-z])[\"')\]]*\s*"
_CHOOSE = (
    r"(?:\b(?:I|we)(?:'d|'ll|\s+would|\s+will|\s+must|\s+should|\s+have\s+to)?(?:\s+\w+ly)?\s+"
    r"(?:go\s+(?:for|with)|choose|pick|select|say|guess|answer(?:\s+with)?|vote\s+for)"
    r"|\blet's\s+(?:go\s+with|pick|choose)|\bgoing\s+with|\bI'm\s+going\s+with"
    r"|(?:应|故|应该|因此|所以|應|我)?[选選](?:择|擇)?)\s*:?\s*"
)
_GAP = r"[ \t]+"
_DOUBTED = re.compile(
    r"(?:\b(?:if|whether|suppose|supposing|assume|assuming|unless|why|doubt|wrong|incorrect|worst"
    rf"|false|previous|initial|earlier|old|first|tempting){_GAP}(?:that{_GAP})?(?:the{_GAP})?"
    rf"(?:(?:correct|final){_GAP})?|\b(?-i:Is){_GAP}(?:(?:the|my){_GAP})?(?:correct{_GAP})?"
    rf"|\bnot{_GAP}(?:that{_GAP})?(?:the{_GAP})?)$",
    re.IGNORECASE,
)
"""What makes a statement a condition, a question, or one about a wrong answer."""


@dataclass(frozen=True, slots=True)
class Spellings:
    """The patterns for one set of letters."""

    letters: str
    statement: re.Pattern[str]
    """Announces a letter; what it announces follows its end."""
    verdict: re.Pattern[str]
    """`B is correct`: group 1 is the letter."""
    conclusion: re.Pattern[str]
    """`so it is B` at the very end: group 1 is the letter."""
    token: re.Pattern[str]
    """One letter: group 1 in brackets, group 2 bare."""
    alone: re.Pattern[str]
    """A line that is a letter, or (group 2) starts with one as an option does."""
    several: re.Pattern[str]
    """Letters written together: `CD`."""

    def doubted(self, text: str, at: int) -> bool:
        """Whether the statement at `at` is a condition, a question, or about a wrong answer."""
        return _DOUBTED.search(text, max(0, at - 40), at) is not None

    def letter(self, found: str) -> str:
        """The option that a letter, in any case, or a circled number names."""
        if found in CIRCLED:
            return self.letters[CIRCLED.index(found)]
        return found.upper()


@lru_cache(maxsize=64)
def spellings(letters: str) -> Spellings:
    """Compile the patterns for the letters of one question, as `"ABCD"`."""
    either = re.escape(letters.upper() + letters.lower()) + CIRCLED[: len(letters)]
    upper = re.escape(letters) + CIRCLED[: len(letters)]
    bracketed = rf"[(\[{{\"'<]{{1,4}}\s?([{either}])\s?[)\]}}\"'>]{{1,4}}"
    bare = rf"(?<![A-Za-z0-9'\\_^])([{either}])(?![A-Za-z0-9'_^(\[]|\.\d)"
    mark = rf"[(\[{{\"'<]{{0,4}}([{upper}])[)\]}}\"'>]{{0,4}}(?![A-Za-z0-9'])"
    return Spellings(
        letters,
        statement=re.compile(
            rf"(?<![A-Za-z])(?:{_KEY}(?:{_IS}|(?=[(\[]?[{either}][)\]]?\s*[.!]?\s*$)|(?=\([{either}]\)))"
            rf"\s*{_FILLER}|{_CHOOSE}{_FILLER}(?=[(\[\"']?[{upper}](?![a-z])))",
            re.IGNORECASE | re.MULTILINE,
        ),
        verdict=re.compile(
            rf"(?<![A-Za-z]){mark}\s+(?i:is|must\s+be|seems|looks)\s+(?i:the\s+|clearly\s+|therefore\s+)*"
            r"(?i:correct|right|best|true|answer|only\s+correct|most\s+\w+)(?![a-z])"
        ),
        conclusion=re.compile(
            rf"(?:(?i:\b(?:so|therefore|thus|hence|conclusion))|따라서|所以|因此)\s*[,:]?\s*"
            rf"(?i:it(?:'s|\s+is|\s+must\s+be)\s+|we\s+get\s+|option\s+|choice\s+|the\s+)*{mark}\s*[.!]?\s*$"
        ),
        token=re.compile(rf"{bracketed}|{bare}"),
        alone=re.compile(
            rf"[\s#>\-]*(?i:option\s+|choice\s+)?[(\[{{\"'<]{{0,4}}([{either}])(?:[)\]}}\"'>]{{0,4}}[\s.!]{{0,8}}$|([).:]|\]\s)\s*\S)"
        ),
        several=re.compile(rf"[(\[\"']*[{re.escape(letters)}]{{2,}}[)\]\"']*(?=\s*(?:[.,;!]|$))"),
    )


def plain(text: str) -> str:
    """One spelling: ASCII letters and punctuation, no Markdown marks, no LaTeX fonts."""
    text = text.translate(_TRANSLATION)
    if "\\" in text:
        text = _SPACE.sub(" ", _FONT.sub(r"\1", _FONT.sub(r"\1", text)))
    return text


def normal(text: str) -> str:
    """An option's text for comparison: case, spacing and outer punctuation do not count."""
    words = re.sub(r"\s+", " ", plain(text)).strip().strip("\"'.;,:!").casefold()
    return re.sub(r"^(?:the|an?)\s+(?=\S)", "", words)


@lru_cache(maxsize=256)
def texts(options: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Letter and comparable text of each option, longest text first; empty texts are left out."""
    found = [(letter, normal(text)) for letter, text in options]
    return tuple(sorted((pair for pair in found if pair[1]), key=lambda pair: -len(pair[1])))
