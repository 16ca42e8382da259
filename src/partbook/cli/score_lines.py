"""The lines of a score: from each step to the steps that read it, without a false crossing.

The score is a grid with a row per worker and a column per wave; gutter g lies between columns g
and g + 1. Lines run along rows where these are free, else in lanes below a row, and change rows
only in gutters, on tracks. Steps of one wave that the same steps read share one line. This module
decides where lines go, in rows, lanes and tracks; how wide those are is left to `score.py`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import permutations

__all__ = ["Line", "Lines", "Spot", "Track", "route"]

Line = tuple[int, int]
"""A height in the grid: row, and 0 for the row itself or k for its k-th lane, from 1. They sort
from top to bottom."""

_FALSE_JOIN = 1000
"""Two lines would lie on each other: not drawable."""
_DOUBTFUL_JOIN = 10
"""A line passes a junction of another that leads elsewhere too."""
_CROSSING = 1


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a step stands."""

    wave: int
    row: int


@dataclass(slots=True)
class Track:
    """What one line does in one gutter: it comes from the left and leaves to the right."""

    steps: frozenset[int]
    """Whose answers it carries."""
    left: set[Line]
    right: set[Line]
    x: int = -1
    """Place of its vertical part among the gutter's, from 0; -1: it goes straight."""
    jogs: dict[Line, Line] = field(default_factory=dict)
    """Of `left`, lanes that the line steps down to at place 0, and the rows it steps down from."""

    @property
    def span(self) -> tuple[Line, Line]:
        """Its highest and its lowest line."""
        ends = self.left | self.right
        return min(ends), max(ends)


@dataclass(slots=True)
class Lines:
    """All lines of a score."""

    gutters: list[list[Track]]
    lanes: list[int]
    """Lanes below each row."""
    passing: list[tuple[int, Line, frozenset[int]]] = field(default_factory=list)
    """Lines that cross a whole column: the column, the height, whose answers."""

    def tracks(self, gutter: int) -> int:
        """How many vertical lines stand side by side in a gutter."""
        return 1 + max((track.x for track in self.gutters[gutter]), default=-1)


def route(spots: Sequence[Spot], access: Sequence[Sequence[int]]) -> Lines:
    """Lay the lines from every step to its readers.

    Args:
        spots: where each step stands, shape (n,), no two at the same place.
        access: what each step reads, shape (n,); every reader is in a later wave.
    """
    waves = 1 + max(spot.wave for spot in spots)
    rows = 1 + max(spot.row for spot in spots)
    lines = Lines([[] for _ in range(waves - 1)], [0] * rows)
    taken = {(spot.row, spot.wave) for spot in spots}
    for steps, readers in _nets(spots, access):
        _lay(lines, spots, steps, readers, taken)
    for gutter in lines.gutters:
        _merge(gutter)
        _order(gutter, lines.lanes)
    return lines


def _nets(
    spots: Sequence[Spot], access: Sequence[Sequence[int]]
) -> Iterable[tuple[frozenset[int], frozenset[int]]]:
    """Steps of one wave with the same readers, and these readers."""
    nets: dict[tuple[int, frozenset[int]], set[int]] = {}
    for step, spot in enumerate(spots):
        readers = frozenset(i for i, read in enumerate(access) if step in read)
        if readers:
            nets.setdefault((spot.wave, readers), set()).add(step)
    return [(frozenset(steps), readers) for (_, readers), steps in nets.items()]


def _lay(
    lines: Lines,
    spots: Sequence[Spot],
    steps: frozenset[int],
    readers: frozenset[int],
    taken: set[tuple[int, int]],
) -> None:
    first = min(spots[i].wave for i in steps)
    last = max(spots[i].wave for i in readers) - 1
    columns = range(first + 1, last + 1)
    way: Line | None = None
    if columns:
        rows = [*sorted(spots[i].row for i in steps), *sorted(spots[i].row for i in readers)]
        free = [row for row in rows if all((row, column) not in taken for column in columns)]
        way = (free[0], 0) if free else _new_lane(lines.lanes, max(spots[i].row for i in steps))
        taken.update((way[0], column) for column in columns if way[1] == 0)
        lines.passing += [(column, way, steps) for column in columns]
    for gutter in range(first, last + 1):
        left = {(spots[i].row, 0) for i in steps} if gutter == first else _only(way)
        right = {(spots[i].row, 0) for i in readers if spots[i].wave == gutter + 1}
        if gutter < last:
            right |= _only(way)
        lines.gutters[gutter].append(Track(steps, left, right))


def _only(way: Line | None) -> set[Line]:
    return set() if way is None else {way}


def _new_lane(lanes: list[int], row: int) -> Line:
    lanes[row] += 1
    return row, lanes[row]


def _merge(gutter: list[Track]) -> None:
    """Let lines that leave the gutter at the same places share one track."""
    merged: dict[frozenset[Line], Track] = {}
    for track in gutter:
        leaving = frozenset(track.right)
        if leaving in merged:
            other = merged[leaving]
            other.left |= track.left
            other.steps |= track.steps
        else:
            merged[leaving] = track
    gutter[:] = merged.values()


def _order(gutter: list[Track], lanes: list[int]) -> None:
    """Place the vertical parts so that none lies on another and few cross."""
    upright = [track for track in gutter if len(track.left | track.right) > 1]
    best = min(permutations(upright), key=_cost)
    while (clash := _clash(best)) is not None:
        # Two workers that swap: each leaves where the other arrives. One of them steps down into
        # a lane before it meets the other.
        track, line = clash
        lane = _new_lane(lanes, line[0])
        track.left = (track.left - {line}) | {lane}
        track.jogs[lane] = line
        best = min(permutations(upright), key=_cost)
    leftmost = 1 if any(track.jogs for track in best) else 0
    for i, track in enumerate(best):
        beside = [other.x for other in best[:i] if _overlap(track.span, other.span)]
        track.x = 1 + max(beside, default=leftmost - 1)


def _cost(order: Sequence[Track]) -> int:
    cost = 0
    for i, near in enumerate(order):
        for far in order[i + 1 :]:
            cost += _DOUBTFUL_JOIN * (len(far.right) > 1) * len(near.right & far.right)
            for line in near.right & far.left:
                cost += _DOUBTFUL_JOIN if line in far.right else _FALSE_JOIN
            cost += _CROSSING * sum(near.span[0] < line < near.span[1] for line in far.left)
            cost += _CROSSING * sum(far.span[0] < line < far.span[1] for line in near.right)
    return cost


def _clash(order: Sequence[Track]) -> tuple[Track, Line] | None:
    for i, near in enumerate(order):
        for far in order[i + 1 :]:
            for line in sorted(near.right & far.left - far.right):
                return far, line
    return None


def _overlap(one: tuple[Line, Line], other: tuple[Line, Line]) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]
