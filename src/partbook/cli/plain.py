"""Text of unknown origin made fit for a terminal, and the console it is printed on.

What a model writes may hold sequences that move the cursor, set the window's title, hide text or
turn it round. `clean` takes them out, so that what is printed is what was said.
"""

import io
import re
import sys

from rich.console import Console

__all__ = ["clean", "head", "open_console"]

# ECMA-48, 5.4 (control sequences) and 5.6 (control strings). A string without an end is not
# removed, only made harmless: it would take all that follows with it. No two parts of a pattern
# can match the same character, so the time is linear in the text.
_SEQUENCES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]+[0-~]"
    r"|\x1b[0-OQ-WYZ\\`-~]"
)
_LINE_ENDS = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
# Controls but tab and newline; marks that turn the direction of writing; halves of a pair.
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_HALVES = re.compile(r"[\ud800-\udfff]")


def clean(text: str) -> str:
    r"""Take out everything that a terminal would obey, but tab and newline.

    Other line ends become newlines, and what no encoding can hold becomes U+FFFD.

    >>> clean("\x1b[31mred\x1b[0m\r\nplain")
    'red\nplain'
    """
    text = _LINE_ENDS.sub("\n", _SEQUENCES.sub("", text))
    return _HALVES.sub("\ufffd", _UNPRINTABLE.sub("", text))


def head(text: str) -> str:
    """The text on one line, clean, with single spaces between its words."""
    return " ".join(clean(text).split())


def open_console() -> Console:
    """A console on standard output that shows `?` for what the terminal's encoding lacks."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    return Console(highlight=False)
