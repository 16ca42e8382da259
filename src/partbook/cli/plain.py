"""What commands print with: text of unknown origin made fit for a terminal, JSON, the console.

What a model writes may hold sequences that move the cursor, set the window's title, hide text or
turn it round. `clean` takes them out, so that what is printed is what was said.
"""

import io
import json
import re
import sys

from rich.console import Console

__all__ = ["clean", "head", "open_console", "print_json", "replace_unprintable"]

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


def print_json(data: object) -> None:
    """Print JSON values on one line, each letter as it is where the output can hold it.

    Half a surrogate pair, which a model may write, fits into no encoding.
    """
    text = json.dumps(data, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(data)
    print(text)


def open_console() -> Console:
    """A console on standard output."""
    return Console(highlight=False)


def replace_unprintable() -> None:
    """Print `?` for what the encoding of standard output lacks; else such a letter is an error."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
