"""Shortens the earlier answers that a worker reads, where its context window is too small for them.

The rule: the longest are cut first, all to one length, in the middle, and a mark says how many
characters are missing. What is short stays whole, and of what is long the beginning and the end
stay, where a task is restated and a result is given.
"""

from collections.abc import Sequence

from partbook.message import Message

__all__ = ["is_surely_too_long", "room_for_answers", "shortened"]

BYTES_PER_TOKEN = 4
"""About what English prose has; text of other kinds has fewer, so an estimate with it is low."""

SMALLEST_CHARS = 80
"""No answer is cut below this: the mark alone would say nothing."""

_MARK = "\n[... {} characters left out ...]\n"


def shortened(texts: Sequence[str], room_chars: int) -> list[str]:
    """Cut the longest texts until all together have about `room_chars` characters.

    >>> shortened(["a" * 100 + "b" * 100, "short"], 105)[0].count("a")
    50
    """
    level = max(SMALLEST_CHARS, _level(sorted(map(len, texts)), room_chars))
    return [text if len(text) <= level else _cut(text, level) for text in texts]


def _level(lengths: Sequence[int], room: int) -> int:
    """The length at which cutting all longer ones makes the sum `room`; `lengths` ascend."""
    for i, length in enumerate(lengths):
        share = room // (len(lengths) - i)
        if length > share:
            return max(share, 0)
        room -= length
    return lengths[-1] if lengths else 0


def _cut(text: str, length: int) -> str:
    head, tail = (length + 1) // 2, length // 2
    return text[:head] + _MARK.format(len(text) - length) + text[len(text) - tail :]


def is_surely_too_long(messages: Sequence[Message], window: int, max_tokens: int) -> bool:
    """Whether a prompt, counted low, leaves too little of the window for an answer."""
    return _excess_bytes(messages, window, max_tokens) > 0


def room_for_answers(
    messages: Sequence[Message], answers: Sequence[str], window: int, max_tokens: int
) -> int:
    """How many characters the earlier answers in a prompt may have so that it fits, counted low."""
    size = sum(map(_bytes, answers))
    if not size:
        return 0
    kept = max(0, size - _excess_bytes(messages, window, max_tokens))
    return sum(map(len, answers)) * kept // size


def _excess_bytes(messages: Sequence[Message], window: int, max_tokens: int) -> int:
    # A limit near the whole window is common for local models, which stop where it is full.
    prompt_tokens = window - min(max_tokens, window // 4)
    return sum(_bytes(message.text) for message in messages) - BYTES_PER_TOKEN * prompt_tokens


def _bytes(text: str) -> int:
    return len(text.encode(errors="replace"))
