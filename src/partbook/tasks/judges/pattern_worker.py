"""Match a regular expression, in a process that can be killed: `re` cannot be stopped from inside.

This module is run by `killable`, never imported by the library.
"""

import re
from collections.abc import Callable

from partbook.tasks.judges.checker import serve

__all__ = ["match"]


def match(question: object, say: Callable[[object], None]) -> object:
    """Whether the pattern matches the text, as a whole or anywhere."""
    assert isinstance(question, dict)
    pattern = re.compile(question["pattern"])
    text = question["text"]
    found = pattern.fullmatch(text) if question["whole"] else pattern.search(text)
    return found is not None


if __name__ == "__main__":
    serve(match)
