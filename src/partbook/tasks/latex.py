r"""Mends LaTeX whose backslashes were escaped once too few in JSON.

`"\frac"` in a JSON string is a form feed and the letters `rac`; some published copies of contest
problems hold such strings. A control character that no text uses is always a lost backslash. Tab,
carriage return and newline are one only where the letters after them make a known command.
"""

import re

__all__ = ["mend_latex"]

_ALWAYS = {"\f": "f", "\b": "b", "\v": "v", "\a": "a"}
_LOST = re.compile(
    r"[\f\x08\v\a](?=[a-zA-Z])"
    r"|\t(?=(?:ext|frac|riangle|imes|heta|herefore|an|anh|au|o|op|ilde|binom|extbf|extit)(?![a-z]))"
    r"|\r(?=(?:ight|ightarrow|ho|angle|floor|ceil|m)(?![a-z]))"
    r"|\n(?=(?:eq|eg|abla|otin)(?![a-z]))"
)
_LETTERS = {**_ALWAYS, "\t": "t", "\r": "r", "\n": "n"}


def mend_latex(text: str) -> str:
    r"""The text with the lost backslashes put back.

    >>> mend_latex("the area of $\triangle ABC$ is $\frac{m}{n}$")
    'the area of $\\triangle ABC$ is $\\frac{m}{n}$'
    """
    return _LOST.sub(lambda match: "\\" + _LETTERS[match.group()], text)
