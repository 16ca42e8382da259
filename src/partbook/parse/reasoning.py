"""Finds the part of a model's text that is reasoning and not its answer.

Models mark it with tags of several spellings, or with the channels of gpt-oss. The opening tag may
be in the prompt and so be missing, and a tag may be something that the text talks about.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["Reasoning", "find_reasoning"]

_TAG = re.compile(
    r"""(?<![`"'])(?:
      <(?P<slash>/?)(?:\w{1,16}:)?(?:think(?:ing)?|thoughts?|reasoning|scratchpad)\s{0,4}>
      | \[(?P<slash2>/?)think\]
      | <\|channel\|>(?:analysis|(?P<final>final)) )""",
    re.VERBOSE | re.IGNORECASE,
)
"""A tag that stands in quotes is only talked about."""


class Reasoning(NamedTuple):
    """What of a text is reasoning; places are indices into the text."""

    spans: list[tuple[int, int]]
    """Blocks from tag to tag, in order."""
    stray_end: int
    """End of the last closing tag without an opening one, which was in the prompt; else 0."""
    unfinished: int | None
    """Start of the block that does not end; None where all do."""

    def holds(self, at: int) -> bool:
        """Whether a place is inside a block."""
        before = bisect_right(self.spans, at, key=lambda span: span[0])
        return before > 0 and at < self.spans[before - 1][1]


def find_reasoning(text: str, quoted: Iterable[tuple[int, int]] = ()) -> Reasoning:
    """Pair the tags of a text; time is linear in it.

    Args:
        text: any text.
        quoted: spans, in order, in which a tag is data.

    >>> find_reasoning("<think>2 + 2</think>4").spans
    [(0, 20)]
    """
    spans: list[tuple[int, int]] = []
    rest = iter(quoted)
    quote = next(rest, None)
    opened: int | None = None
    stray_end = 0
    for tag in _TAG.finditer(text):
        while quote and quote[1] <= tag.start():
            quote = next(rest, None)
        if quote and quote[0] <= tag.start():
            continue
        if not (tag["slash"] or tag["slash2"] or tag["final"]):
            opened = tag.start() if opened is None else opened
        elif opened is None:
            stray_end = tag.end()
        else:
            spans.append((opened, tag.end()))
            opened = None
    if opened is not None:
        spans.append((opened, len(text)))
    return Reasoning(spans, stray_end, opened)
