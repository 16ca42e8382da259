"""How answers look beside one another, what each took, and how the sums of ratings look."""

from collections.abc import Iterable, Sequence

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from partbook.cli.drawing import STATUS_STYLES, dim
from partbook.cli.figures import price
from partbook.cli.plain import clean, head
from partbook.cli.runs import short_ids
from partbook.economy.ratings import Rated
from partbook.event import (
    Event,
    Planned,
    RunFinished,
    RunStarted,
    StepFinished,
    StepStarted,
)
from partbook.trace import Trace

__all__ = ["Progress", "SideBySide", "drawn_sums", "figures_of"]

NARROWEST = 36
"""Cells that a column of an answer needs; where there are fewer, answers stand below each other."""


class SideBySide:
    """Answers under headings, as columns where the terminal is wide enough."""

    def __init__(self, headings: Sequence[str], traces: Sequence[Trace]) -> None:
        self._panels = [
            Panel(_answer(trace), title=Text(head(heading), "bold"), title_align="left")
            for heading, trace in zip(headings, traces, strict=True)
        ]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if options.max_width < NARROWEST * len(self._panels):
            yield Group(*self._panels)
            return
        grid = Table.grid(expand=True)
        for _ in self._panels:
            grid.add_column(ratio=1)
        grid.add_row(*self._panels)
        yield grid


def _answer(trace: Trace) -> RenderableType:
    if trace.answer is None:
        return Text(f"no answer: {clean(trace.detail)}", "red")
    if trace.status == "answered":
        return Text(clean(trace.answer).strip())
    return Text.assemble(
        clean(trace.answer).strip(), (f"\n\n{trace.status}: {clean(trace.detail)}", "yellow")
    )


def figures_of(names: Sequence[str], traces: Sequence[Trace], letters: Sequence[str] = ()) -> Table:
    """What each run took; `letters` say which answer was whose, where they stood without names."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    if letters:
        table.add_column("")
    table.add_column("system", overflow="fold")
    for heading in ("calls", "read", "written", "price", "seconds"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("run", no_wrap=True)
    if is_told := any(trace.status != "answered" for trace in traces):
        table.add_column("status")
    ids = short_ids([trace.run_id for trace in traces])
    for i, (name, trace) in enumerate(zip(names, traces, strict=True)):
        table.add_row(
            *([Text(letters[i], "bold")] if letters else []),
            Text(head(name)),
            str(trace.calls),
            f"{trace.usage.prompt_tokens:,}",
            f"{trace.usage.completion_tokens:,}",
            price(trace.cost_usd),
            f"{trace.seconds:.1f}",
            Text(head(ids[i]), "dim"),
            *([Text(trace.status, STATUS_STYLES[trace.status])] if is_told else []),
        )
    return table


def drawn_sums(sums: Iterable[Rated]) -> RenderableType:
    """A row for each rater and pair of systems."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for heading in ("rated by", "pool", "first", "second"):
        table.add_column(heading, overflow="fold")
    for heading in ("won", "lost", "ties", "share", "95 %", "p"):
        table.add_column(heading, justify="right")
    for rated in sums:
        record = rated.record
        interval = record.interval()
        table.add_row(
            *(Text(head(word)) for word in (rated.by, rated.pool, rated.first, rated.second)),
            str(record.wins),
            str(record.losses),
            str(record.ties),
            "-" if record.share is None else f"{record.share:.0%}",
            "-" if interval is None else f"{interval[0]:.0%} to {interval[1]:.0%}",
            f"{record.p_value:.3f}" if record.p_value >= 0.001 else "< 0.001",
        )
    note = dim(
        "won: the first was better. Share and interval (Wilson) are of the pairs that were no tie; "
        "p is that of the sign test that both are equally good."
    )
    return Group(table, Text(), note)


class Progress:
    """A line for each system while they answer."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)
        self._states = ["waits"] * len(names)
        self._steps = [0] * len(names)

    def add(self, i: int, event: Event) -> None:
        """Take the next event of the system with this number."""
        match event:
            case RunStarted():
                self._states[i] = "is planned"
            case Planned():
                self._steps[i] = len(event.workflow.steps)
            case StepStarted():
                self._states[i] = f"step {event.step + 1} of {self._steps[i]}: {event.worker}"
            case StepFinished():
                self._states[i] = f"step {event.step + 1} of {self._steps[i]} is done"
            case RunFinished():
                self._states[i] = event.status
            case _:
                pass

    def __rich__(self) -> RenderableType:
        grid = Table.grid(padding=(0, 2, 0, 0))
        for name, state in zip(self._names, self._states, strict=True):
            grid.add_row(Text(head(name)), dim(state))
        return grid
