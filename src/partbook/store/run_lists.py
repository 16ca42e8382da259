"""Runs as a page needs them: lists part by part and in brief, the traces of some, one run.

The database counts and sorts what it has. Runs that are somewhere else, in a journal or in memory,
are few, and are put among them here. A part of a list begins after a run and not at a number, so
that a run that is added in between moves nothing.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from sqlalchemy import func, select, true

from partbook.store.listing import (
    LISTED,
    Place,
    RunFilter,
    RunRow,
    listed,
    merged,
    open_row,
    open_rows_of,
    ordered,
)
from partbook.store.schema import read_trace, storable
from partbook.store.schema import runs as runs_table
from partbook.store.store import Store
from partbook.store.unfinished import unfinished_runs
from partbook.trace import Trace

__all__ = [
    "BriefRun",
    "RunPage",
    "brief_runs",
    "list_part",
    "open_traces",
    "traces_of",
    "whole_run",
]

_AT_ONCE = 100
"""How many traces are asked for in one query."""


class RunPage(NamedTuple):
    """A part of a list."""

    rows: list[RunRow]
    next: Place | None
    """The place after which the list goes on; None: this is its end."""
    total: int
    """How many runs the whole list has."""


class BriefRun(NamedTuple):
    """The least that is known of a run; it changes with the run's trace."""

    run_id: str
    started_at: float
    """Seconds since the epoch."""
    seconds: float
    calls: int
    task: str | None


def list_part(
    store: Store,
    which: RunFilter,
    limit: int,
    after: Place | None = None,
    others: Iterable[tuple[RunRow, Collection[str]]] = (),
) -> RunPage:
    """A part of the list of runs, the one started last first.

    Args:
        store: where they are.
        which: the runs that are wanted.
        limit: the most runs to list, at least 1.
        after: where the part before ended; None: this is the first.
        others: lines of runs that are somewhere else, each with the workers who were called. Where
            one is in the store, too, the line that is given counts.

    Raises:
        StoreError: the store could not be read.
    """
    beside = [*open_rows_of(store.journals), *others]
    known = {row.run_id: (row, workers) for row, workers in beside}
    fitting = [row for row, workers in known.values() if which.fits(row, workers)]
    stored = runs_table.c.run_id.not_in(known) if known else true()
    counted = which.on(select(func.count()).select_from(runs_table).where(stored))
    query = ordered(which.on(select(*LISTED).where(stored)), limit + 1, after)
    with store.reading() as connection:
        total = int(connection.execute(counted).scalar_one())
        rows = [listed(row) for row in connection.execute(query)]
    later = [row for row in fitting if after is None or row.place < after]
    found = merged(rows, later, limit + 1)
    goes_on = len(found) > limit
    found = found[:limit]
    return RunPage(found, found[-1].place if goes_on else None, total + len(fitting))


def brief_runs(store: Store, since: float) -> list[BriefRun]:
    """The runs in the store that were started at this second since the epoch, or later.

    Raises:
        StoreError: the store could not be read.
    """
    columns = [runs_table.c[name] for name in BriefRun._fields]
    with store.reading() as connection:
        rows = connection.execute(RunFilter(since=since).on(select(*columns)))
        return [BriefRun._make(row) for row in rows]


def traces_of(store: Store, run_ids: Sequence[str]) -> Iterator[Trace]:
    """Read the traces of these runs, in any order; those that are not in the store are left out.

    Raises:
        StoreError: the store could not be read, or holds a trace of a later version.
    """
    for start in range(0, len(run_ids), _AT_ONCE):
        some = run_ids[start : start + _AT_ONCE]
        query = select(runs_table.c.trace).where(runs_table.c.run_id.in_(some))
        with store.reading() as connection:
            written = connection.scalars(query).all()
        yield from map(read_trace, written)


def open_traces(store: Store) -> Iterator[Trace]:
    """What the runs have done so far that have only a journal."""
    return (unfinished.trace for unfinished in unfinished_runs(store.journals))


def whole_run(store: Store, run_id: str) -> tuple[Trace, RunRow] | None:
    """A run of this whole id, and its line, which alone has what it was marked with.

    Of a run that is not finished, what its journal says. None: there is no such run.

    Raises:
        StoreError: the store could not be read, or holds a trace of a later version.
    """
    for unfinished in unfinished_runs(store.journals, run_id):
        if unfinished.trace.run_id == run_id:
            return unfinished.trace, open_row(unfinished)
    columns = runs_table.c
    query = select(*LISTED, columns.trace).where(columns.run_id == storable(run_id))
    with store.reading() as connection:
        row = connection.execute(query).one_or_none()
    return None if row is None else (read_trace(row.trace), listed(row[:-1]))
