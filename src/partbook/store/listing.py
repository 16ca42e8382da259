"""How runs are listed: one line each, the one started last first, with filters and page by page.

Runs in the store are filtered by the database. Those that are in memory or have only a journal are
few, and are put among them here, by the same rules.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from math import isfinite
from typing import Any, NamedTuple

from sqlalchemy import Float, Select, cast, func

from partbook.errors import StoreError
from partbook.store.journal_reader import Unfinished
from partbook.store.schema import UNTAGGED, listed_values, storable
from partbook.store.schema import runs as runs_table
from partbook.store.unfinished import is_played, unfinished_runs
from partbook.trace import Trace
from partbook.trace_json import trace_summary

__all__ = [
    "LISTED",
    "Place",
    "RunFilter",
    "RunRow",
    "called_in",
    "listed",
    "merged",
    "open_row",
    "open_rows_of",
    "ordered",
    "row_of_trace",
]


class Place(NamedTuple):
    """Where a run stands in the list; it stays, whatever is added."""

    started_at: float
    run_id: str

    def __str__(self) -> str:
        return f"{self.started_at!r}_{self.run_id}"

    @classmethod
    def of(cls, text: str) -> "Place":
        """Read what `str` gave.

        Raises:
            StoreError: it is something else.
        """
        started_at, _, run_id = text.partition("_")
        try:
            at = float(started_at)
        except ValueError:
            at = float("nan")
        if not isfinite(at):
            raise StoreError(f"a place in the list was expected, found {text[:80]!r}")
        return cls(at, run_id)


@dataclass(slots=True)
class RunRow:
    """One line of a list of runs; a value, although it is not frozen.

    Thousands are made for one list, and a frozen one takes three times as long to make.
    """

    run_id: str
    started_at: float
    """Seconds since the epoch."""
    seconds: float
    status: str
    reason: str | None
    question: str
    answer: str | None
    pool: str
    source: str | None
    """Where the last workflow came from; None: there was none."""
    workflow_name: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: Decimal | None
    """None: unknown."""
    task: str | None
    label: str | None
    verdict: str | None

    @property
    def place(self) -> Place:
        """Where it stands in the list."""
        return Place(self.started_at, self.run_id)


LISTED = [runs_table.c[field.name] for field in fields(RunRow)]
"""The columns of a line."""


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Which runs are listed; None: it does not matter."""

    text: str | None = None
    """Question or answer contains it; ASCII letters match in either case."""
    worker: str | None = None
    """The worker of this name was called."""
    status: str | None = None
    task: str | None = None
    verdict: str | None = None
    label: str | None = None
    """Its label begins so."""
    min_usd: Decimal | None = None
    """The cost is known and at least this; compared as floating-point numbers."""
    max_usd: Decimal | None = None
    """Likewise, at most."""
    since: float | None = None
    """Started at this second since the epoch, or later."""
    until: float | None = None
    """Started before it."""

    def on(self, query: Select[Any]) -> Select[Any]:
        """A query of `runs` that finds these alone."""
        columns = runs_table.c
        if self.text is not None:
            text = storable(self.text)
            query = query.where(
                columns.question.icontains(text, autoescape=True)
                | columns.answer.icontains(text, autoescape=True)
            )
        if self.worker is not None:
            called = f"\n{storable(self.worker)}\n"
            # Not LIKE, for which SQLite takes a letter in either case and PostgreSQL does not.
            query = query.where(func.replace(columns.workers, called, "") != columns.workers)
        for name in ("status", "task", "verdict"):
            if (wanted := getattr(self, name)) is not None:
                query = query.where(columns[name] == storable(wanted))
        if self.label is not None:
            label = storable(self.label)
            query = query.where(func.substr(columns.label, 1, len(label)) == label)
        cost = cast(columns.cost_usd, Float)
        if self.min_usd is not None:
            query = query.where(cost >= float(self.min_usd))
        if self.max_usd is not None:
            query = query.where(cost <= float(self.max_usd))
        if self.since is not None:
            query = query.where(columns.started_at >= self.since)
        if self.until is not None:
            query = query.where(columns.started_at < self.until)
        return query

    def fits(self, row: RunRow, workers: Iterable[str]) -> bool:
        """Whether a run is among them.

        Args:
            row: its line.
            workers: names of those who were called.
        """
        cost = row.cost_usd
        return (
            (
                self.text is None
                or self.text.lower() in f"{row.question}\n{row.answer or ''}".lower()
            )
            and (self.worker is None or self.worker in workers)
            and self.status in (None, row.status)
            and self.task in (None, row.task)
            and self.verdict in (None, row.verdict)
            and (self.label is None or (row.label or "").startswith(self.label))
            and (self.min_usd is None or (cost is not None and cost >= self.min_usd))
            and (self.max_usd is None or (cost is not None and cost <= self.max_usd))
            and (self.since is None or row.started_at >= self.since)
            and (self.until is None or row.started_at < self.until)
        )


def ordered(query: Select[Any], limit: int | None, after: Place | None = None) -> Select[Any]:
    """A query in the order of the list, from a place on."""
    columns = runs_table.c
    if after is not None:
        at, run_id = after
        query = query.where(
            (columns.started_at < at) | ((columns.started_at == at) & (columns.run_id < run_id))
        )
    return query.order_by(columns.started_at.desc(), columns.run_id.desc()).limit(limit)


def listed(values: Sequence[Any]) -> RunRow:
    """The values of `LISTED` as a line."""
    line = RunRow(*values)
    if line.cost_usd is not None:
        line.cost_usd = Decimal(line.cost_usd)  # a text in the database
    return line


def row_of_trace(trace: Trace) -> RunRow:
    """The line of a run that is not in the store."""
    values = listed_values(trace, trace_summary(trace), UNTAGGED) | {"cost_usd": trace.cost_usd}
    return RunRow(**{field.name: values[field.name] for field in fields(RunRow)})


def called_in(trace: Trace) -> set[str]:
    """The names of the workers who were called in a run."""
    return {step.worker for round_ in trace.rounds for step in round_.steps}


def merged(rows: Iterable[RunRow], open_rows: Iterable[RunRow], limit: int | None) -> list[RunRow]:
    """Both in one list; where a run is in both, the open one counts."""
    by_id = {row.run_id: row for row in rows} | {row.run_id: row for row in open_rows}
    ordered = sorted(by_id.values(), key=lambda row: row.place, reverse=True)
    return ordered[:limit]


def open_rows_of(folder: str) -> Iterator[tuple[RunRow, set[str]]]:
    """Runs that have only a journal, each with the workers who were called.

    Args:
        folder: of the journals.
    """
    for unfinished in unfinished_runs(folder):
        yield open_row(unfinished), called_in(unfinished.trace)


def open_row(unfinished: Unfinished) -> RunRow:
    """The line of a run that has only a journal."""
    status = "running" if is_played(unfinished.path) else "unfinished"
    return replace(row_of_trace(unfinished.trace), status=status)
