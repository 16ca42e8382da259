"""Names at the points of a plot, none over another.

Those that matter most get the best places; a name for which there is no room is left out, for its
point has a tooltip and the table a row.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from partbook.evaluate.reporting.markup import Markup, tag

__all__ = ["Box", "Name", "labels", "short"]

_LETTER = 7.0
"""Width of a letter of a label, on average."""
_LINE = 15.0


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle that a label or a point takes."""

    x0: float
    y0: float
    x1: float
    y1: float

    def meets(self, other: "Box") -> bool:
        """Whether the two overlap."""
        return (
            self.x0 < other.x1 and other.x0 < self.x1 and self.y0 < other.y1 and other.y0 < self.y1
        )

    def holds(self, other: "Box") -> bool:
        """Whether the other lies inside."""
        across = self.x0 <= other.x0 and other.x1 <= self.x1
        return across and self.y0 <= other.y0 and other.y1 <= self.y1


@dataclass(frozen=True, slots=True)
class Name:
    """A name for a point."""

    text: str
    x: float
    y: float
    kind: str
    """A class of the style sheet."""
    rank: int
    """Lower ones are placed first."""


def labels(names: Sequence[Name], frame: Box) -> list[Markup]:
    """Write names beside their points.

    Args:
        names: with their points, all of which are kept free.
        frame: what no label leaves.
    """
    taken = [Box(one.x - 6, one.y - 6, one.x + 6, one.y + 6) for one in names]
    found = []
    for one in sorted(names, key=lambda one: (one.rank, one.y)):
        text = short(one.text, 34)
        for anchor, box in _places(one, len(text) * _LETTER):
            if frame.holds(box) and not any(box.meets(other) for other in taken):
                taken.append(box)
                found += _written(one, text, anchor, box)
                break
    return found


def _written(one: Name, text: str, anchor: str, box: Box) -> list[Markup]:
    cx, cy = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
    x = {"start": box.x0, "end": box.x1}.get(anchor, cx)
    label = tag("text", text, x=x, y=cy + 4, class_=f"label {one.kind}", text_anchor=anchor)
    if abs(cy - one.y) < _LINE * 1.6:
        return [label]
    edge = box.y1 if cy < one.y else box.y0
    return [tag("line", x1=one.x, y1=one.y, x2=x, y2=edge, class_="leader"), label]


def short(text: str, most: int) -> str:
    """The text, cut off where it is longer."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _places(one: Name, width: float) -> Iterator[tuple[str, Box]]:
    """Places for a label, the best first: right, left, above, below, then farther away.

    Each with the end of the text that is nearest to the point, which holds whatever the font.
    """
    side = 11 + width / 2
    for away in (0.0, 1.0, 2.0, 3.0, 4.5):
        apart = away * _LINE
        for anchor, cx, cy in (
            ("start", one.x + side, one.y - apart),
            ("start", one.x + side, one.y + apart),
            ("end", one.x - side, one.y - apart),
            ("end", one.x - side, one.y + apart),
            ("middle", one.x, one.y - 14 - apart),
            ("middle", one.x, one.y + 14 + apart),
        ):
            half = _LINE / 2
            yield anchor, Box(cx - width / 2, cy - half, cx + width / 2, cy + half)
