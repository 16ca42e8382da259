"""A grid of character cells to write words and draw lines on.

It knows that some characters are two cells wide and that lines which meet need a joint. Lines of
different keys do not join where one only passes under the other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.text import Text

__all__ = ["ASCII", "UNICODE", "Canvas", "Marks", "shorten"]

_UP, _RIGHT, _DOWN, _LEFT = 1, 2, 4, 8
_ACROSS = _LEFT | _RIGHT
_UPRIGHT = _UP | _DOWN


@dataclass(frozen=True, slots=True)
class Marks:
    """The characters of a drawing."""

    joints: str
    """The 16 joints by the sum of their arms: up 1, right 2, down 4, left 8."""
    arrow: str
    after_number: str
    cut: str
    """Ends a text that was shortened."""
    done: str
    failed: str
    open: str
    waiting: str


UNICODE = Marks(" │─└││┌├─┘─┴┐┤┬┼", "▶", "▸", "…", "✓", "✗", "◌", "·")
ASCII = Marks(" |-+||++-+-++++++", ">", ":", "...", "ok", "failed", "...", "-")


def shorten(text: str, width: int, cut: str) -> str:
    """The text, or as much of its beginning as fits into `width` cells with `cut` after it."""
    if cell_len(text) <= width:
        return text
    if width <= cell_len(cut):
        return set_cell_size(text, max(width, 0)).rstrip()
    return set_cell_size(text, width - cell_len(cut)).rstrip() + cut


class Canvas:
    """Cells, from the top left; what lies outside is not drawn."""

    def __init__(self, width: int, height: int, marks: Marks) -> None:
        self._marks = marks
        self._cells = [[" "] * width for _ in range(height)]
        self._styles = [[""] * width for _ in range(height)]
        self._arms: dict[tuple[int, int], dict[int, int]] = {}

    def write(self, x: int, y: int, text: str, style: str) -> None:
        """Write a text of one line; a wide character takes two cells, a combining one none."""
        row = self._cells[y]
        start = x
        for character in text:
            width = cell_len(character)
            if width == 0:
                if x > start:
                    row[x - 1 if row[x - 1] else x - 2] += character
                continue
            if x + width > len(row):
                return
            row[x] = character
            self._styles[y][x] = style
            if width == 2:
                row[x + 1] = ""
            x += width

    def across(self, x: int, end: int, y: int, style: str) -> None:
        """Draw a line that nothing crosses, both ends included."""
        for at in range(x, end + 1):
            self._put(at, y, self._marks.joints[_ACROSS], style)

    def wire(self, key: int, style: str, ends: Sequence[tuple[int, int]]) -> None:
        """Draw a straight piece of the line `key`, both ends included; pieces of it join."""
        (x0, y0), (x1, y1) = sorted(ends)
        for x in range(x0, x1 + 1):
            for y in range(y0, y1 + 1):
                arms = _LEFT * (x > x0) | _RIGHT * (x < x1) | _UP * (y > y0) | _DOWN * (y < y1)
                here = self._arms.setdefault((x, y), {})
                here[key] = here.get(key, 0) | arms
                self._put(x, y, self._marks.joints[_joined(here)], style)

    def arrow(self, x: int, y: int, style: str) -> None:
        """Put the head of an arrow that points to the right."""
        self._put(x, y, self._marks.arrow, style)

    def lines(self) -> Iterator[Text]:
        """The rows from top to bottom, without the spaces at their ends."""
        for cells, styles in zip(self._cells, self._styles, strict=True):
            line = Text(no_wrap=True, overflow="crop")
            for cell, style in zip(cells, styles, strict=True):
                line.append(cell, style or None)
            line.rstrip()
            yield line

    def _put(self, x: int, y: int, character: str, style: str) -> None:
        self._cells[y][x] = character
        self._styles[y][x] = style


def _joined(arms: dict[int, int]) -> int:
    """The arms to show where lines of several keys meet."""
    upright = [a for a in arms.values() if a == _UPRIGHT]
    if upright and len(arms) > 1 and any(a == _ACROSS for a in arms.values()):
        return _UPRIGHT
    total = 0
    for a in arms.values():
        total |= a
    return total
