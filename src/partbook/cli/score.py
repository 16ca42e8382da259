"""A workflow drawn as a score: a row per worker, a column per wave, access lists as lines.

`score` is a pure function; what it returns fits itself to the console: its width, its colours, and
plain ASCII where the encoding has no line characters. A line leads from a step's words to the steps
that read its answer; where two lines cross, the horizontal one is interrupted.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from partbook.cli.canvas import ASCII, UNICODE, Canvas, Marks, shorten
from partbook.cli.plain import head
from partbook.cli.score_lines import Line, Spot, Track, route
from partbook.plan import unread_steps, waves
from partbook.step_trace import StepTrace
from partbook.workflow import Workflow

__all__ = ["Score", "score"]

_COLOURS = ("cyan", "magenta", "yellow", "green", "blue")
_WORDS = 28
"""The most cells of a subtask in the grid; all of it is in the legend."""
_NARROWEST = 7
"""A column with fewer cells says nothing; the grid is left out then."""
_NAME = 14
_LEGEND_WORDS = 200


def score(
    workflow: Workflow,
    workers: Sequence[str],
    steps: Sequence[StepTrace] | None = None,
    *,
    legend: bool = True,
) -> "Score":
    """Draw a workflow.

    Args:
        workflow: what to draw.
        workers: the names of the pool's workers, in its order.
        steps: the steps that were started; None: no step says how it went.
        legend: whether the subtasks and access lists are spelled out below the grid.
    """
    played = None if steps is None else {step.step: step for step in steps}
    return Score(workflow, tuple(workers), played, legend)


@dataclass(frozen=True, slots=True)
class Score:
    """A drawn workflow; print it with Rich."""

    workflow: Workflow
    workers: tuple[str, ...]
    played: Mapping[int, StepTrace] | None
    legend: bool

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        marks = ASCII if options.ascii_only or console.is_dumb_terminal else UNICODE
        grid = _Grid(self, marks, options.max_width)
        if grid.fits:
            yield from grid.draw()
            if self.legend:
                yield Text()
        if self.legend or not grid.fits:
            yield self._legend(marks)

    def status(self, step: int, marks: Marks) -> str:
        """How a step went, in a few cells; empty where the workflow was not played."""
        if self.played is None:
            return ""
        done = self.played.get(step)
        if done is None:
            return f"{marks.waiting} not started"
        if done.finished_s is None:
            return f"{marks.open} unfinished"
        mark = marks.failed if done.error is not None else marks.done
        return f"{mark} {done.finished_s - done.started_s:.1f} s"

    def _legend(self, marks: Marks) -> Table:
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(no_wrap=True)
        table.add_column(max_width=_NAME, no_wrap=True)
        table.add_column(ratio=1, overflow="fold")
        table.add_column(overflow="fold")
        unread = unread_steps(self.workflow)
        for i, step in enumerate(self.workflow.steps):
            read = [*(["the answer before"] if step.before else []), *map(str, step.access)]
            notes = [f"reads {', '.join(read)}"] if read else []
            notes += ["read by nobody"] if i in unread else []
            table.add_row(
                Text(str(i), _COLOURS[i]),
                Text(shorten(_name(self.workers, step.worker), _NAME, marks.cut)),
                Text(shorten(head(step.subtask), _LEGEND_WORDS, marks.cut)),
                Text("; ".join(notes), "dim"),
            )
        return table


def _name(workers: Sequence[str], index: int) -> str:
    return head(workers[index]) if index < len(workers) else f"worker {index}"


class _Grid:
    """The measures of one drawing: what stands where, and how wide it is."""

    def __init__(self, drawn: Score, marks: Marks, width: int) -> None:
        self.drawn = drawn
        self.marks = marks
        steps = drawn.workflow.steps
        self.rows, self.spots = _places(drawn.workflow)
        self.lines = route(self.spots, [step.access for step in steps])
        self.words = [head(step.subtask) for step in steps]
        self.status = [drawn.status(i, marks) for i in range(len(steps))]
        names = [_name(drawn.workers, worker) for worker, _ in self.rows]
        self.names = [shorten(name, _NAME, marks.cut) for name in names]
        margin = max(map(cell_len, self.names)) + 2
        # A gutter is: a space, a line, the tracks, the arrow, a space.
        gutters = [4 + self.lines.tracks(g) for g in range(len(self.lines.gutters))]
        wanted = self._wanted()
        columns = _share(wanted, width - margin - sum(gutters))
        self.fits = columns == wanted or min(columns) >= _NARROWEST
        self.column_x = [margin]
        self.gutter_x = []
        for column, gutter in zip(columns, [*gutters, 0], strict=True):
            self.gutter_x.append(self.column_x[-1] + column)
            self.column_x.append(self.gutter_x[-1] + gutter)
        self.row_y = [1]
        for lanes in self.lines.lanes:
            self.row_y.append(self.row_y[-1] + self._cell_height() + max(1, lanes))
        if self.lines.lanes[-1] == 0:
            self.row_y[-1] -= 1  # nothing stands below the last row

    def _wanted(self) -> list[int]:
        wanted = [len("wave 0")] * (1 + len(self.lines.gutters))
        for spot, words, status in zip(self.spots, self.words, self.status, strict=True):
            widest = max(4 + min(cell_len(words), _WORDS), 2 + cell_len(status))
            wanted[spot.wave] = max(wanted[spot.wave], widest)
        return wanted

    def y(self, line: Line) -> int:
        row, lane = line
        return self.row_y[row] + (0 if lane == 0 else lane + self._cell_height() - 1)

    def _cell_height(self) -> int:
        return 1 if self.drawn.played is None else 2

    def draw(self) -> Iterator[Text]:
        canvas = Canvas(self.gutter_x[-1], self.row_y[-1], self.marks)
        for wave, x in enumerate(self.column_x[:-1]):
            canvas.write(x, 0, f"wave {wave}", "dim")
        shown = set()
        for row, (worker, _) in enumerate(self.rows):
            if worker not in shown:
                canvas.write(0, self.row_y[row], self.names[row], "bold")
            shown.add(worker)
        ends: dict[tuple[int, int], int] = {}
        for i in range(len(self.spots)):
            ends[self.spots[i].row, self.spots[i].wave] = self._write_step(canvas, i)
        for column, line, steps in self.lines.passing:
            canvas.across(
                self.column_x[column], self.gutter_x[column] - 1, self.y(line), _style(steps)
            )
        for g, gutter in enumerate(self.lines.gutters):
            for key, track in enumerate(gutter):
                self._draw_track(canvas, g, key, track, ends)
        return canvas.lines()

    def _write_step(self, canvas: Canvas, i: int) -> int:
        """Write a step's cell; returns where its line begins."""
        spot = self.spots[i]
        x, y = self.column_x[spot.wave], self.row_y[spot.row]
        width = self.gutter_x[spot.wave] - x
        words = shorten(self.words[i], width - 4, self.marks.cut)
        canvas.write(x, y, str(i), f"bold {_COLOURS[i]}")
        canvas.write(x + 2, y, self.marks.after_number, "dim")
        canvas.write(x + 4, y, words, "bold" if i == len(self.spots) - 1 else "")
        if self.status[i]:
            status = shorten(self.status[i], width - 2, self.marks.cut)
            canvas.write(x + 2, y + 1, status, self._status_style(i))
        return x + 4 + cell_len(words) + 1

    def _status_style(self, i: int) -> str:
        done = (self.drawn.played or {}).get(i)
        if done is None or done.finished_s is None:
            return "dim"
        return "green" if done.error is None else "red"

    def _draw_track(
        self, canvas: Canvas, g: int, key: int, track: Track, ends: Mapping[tuple[int, int], int]
    ) -> None:
        style = _style(track.steps)
        start, end = self.gutter_x[g], self.column_x[g + 1] - 1
        first = start + 2

        def across(x0: int, x1: int, line: Line) -> None:
            canvas.wire(key, style, [(x0, self.y(line)), (x1, self.y(line))])

        def upright(x: int, line: Line, other: Line) -> None:
            canvas.wire(key, style, [(x, self.y(line)), (x, self.y(other))])

        for line in track.left:
            row = track.jogs.get(line)
            begin = first if row is not None else self._begin(line, g, ends)
            if row is not None:
                across(self._begin(row, g, ends), first, row)
                upright(first, row, line)
            # A line that goes straight has its other half in `right`, from here on.
            across(begin, begin if track.x < 0 else first + track.x, line)
        for line in track.right:
            arrives = line[1] == 0 and Spot(g + 1, line[0]) in self.spots
            begin = self._begin(line, g, ends) if track.x < 0 else first + track.x
            across(begin, end - 1 if arrives else end, line)
            if arrives:
                canvas.arrow(end - 1, self.y(line), style)
        if track.x >= 0:
            upright(first + track.x, *track.span)

    def _begin(self, line: Line, g: int, ends: Mapping[tuple[int, int], int]) -> int:
        """Where a line enters a gutter: after the words on its row, else at the gutter's edge."""
        row, lane = line
        return ends.get((row, g), self.gutter_x[g]) if lane == 0 else self.gutter_x[g]


def _places(workflow: Workflow) -> tuple[list[tuple[int, int]], list[Spot]]:
    """The rows, each a worker and a number, and each step's place.

    A worker has as many rows as it has steps in one wave, and at least one if it has a step.
    """
    wave_of = {i: w for w, group in enumerate(waves(workflow)) for i in group}
    rows: list[tuple[int, int]] = []
    used: dict[tuple[int, int], int] = {}
    numbers = []
    for i, step in enumerate(workflow.steps):
        number = used.get((step.worker, wave_of[i]), 0)
        used[step.worker, wave_of[i]] = number + 1
        numbers.append((step.worker, number))
    rows = sorted(set(numbers))
    return rows, [Spot(wave_of[i], rows.index(place)) for i, place in enumerate(numbers)]


def _share(wanted: Sequence[int], room: int) -> list[int]:
    """Column widths: as wanted where there is room, else the widest give way first."""
    columns = list(wanted)
    while sum(columns) > room and max(columns) > 0:
        columns[columns.index(max(columns))] -= 1
    return columns


def _style(steps: frozenset[int]) -> str:
    return _COLOURS[min(steps)] if len(steps) == 1 else ""
