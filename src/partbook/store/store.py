"""Store: every run, in one database: a SQLite file, or one on a PostgreSQL server.

A run is one row; the whole trace is in it. Each method is one transaction and may be called from
any thread. Inside an event loop, writing goes through `writer.BatchWriter`.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any, Self

from sqlalchemy import Connection, Engine, Row, Select, select

from partbook.errors import StoreError
from partbook.resume import can_go_on
from partbook.store.faults import as_store_errors
from partbook.store.inserting import replacing
from partbook.store.journal import Journal
from partbook.store.listing import (
    LISTED,
    RunFilter,
    RunRow,
    called_in,
    listed,
    merged,
    open_rows_of,
    ordered,
    row_of_trace,
)
from partbook.store.opening import open_engine
from partbook.store.place import journal_folder, resolve, shown
from partbook.store.playing import Playing
from partbook.store.schema import UNTAGGED, Tags, read_trace, row_of, storable
from partbook.store.schema import runs as runs_table
from partbook.store.slots import Slots
from partbook.store.unfinished import claim, unfinished_runs
from partbook.trace import Trace

__all__ = ["BUSY_TIMEOUT_S", "Reopened", "Store"]

BUSY_TIMEOUT_S = 5.0
"""How long to wait for another program that is writing."""

_CANDIDATES = 5
"""How many runs an error about a run's name lists."""


@dataclass(frozen=True, slots=True)
class Reopened:
    """A run that is taken up again, or that turned out to be over."""

    trace: Trace
    """What it had done."""
    setup: str | None
    """JSON of what is needed to go on; None: it was not kept."""
    journal: Journal | None
    """Where it goes on; None: the run is over."""


class Store:
    """An open store; close it, or use it in a `with` block."""

    def __init__(self, engine: Engine, place: str, journals: str) -> None:
        self._engine = engine
        self.place = place
        """The path of its file, or its URL without a password."""
        self.journals = journals
        """The folder of its journals."""
        self._slots = Slots(journals)
        self._playing = Playing(engine)
        self._replace = replacing(engine, runs_table)

    @classmethod
    def open(cls, place: str | Path, busy_timeout_s: float = BUSY_TIMEOUT_S) -> Self:
        """Open the store at a path or URL; create it where there is none.

        Raises:
            StoreError: it cannot be opened, is something else, or is a newer Partbook's.
        """
        url = resolve(place)
        return cls(open_engine(url, busy_timeout_s), shown(url), journal_folder(url))

    def close(self) -> None:
        """Let go of the database."""
        self._slots.close()
        self._playing.close()
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def save(self, trace: Trace, tags: Tags = UNTAGGED) -> None:
        """Keep a run; one with the same id is replaced.

        Raises:
            StoreError: it could not be written; the store is as it was.
        """
        self.save_many([trace], [tags])

    def save_many(
        self,
        traces: Sequence[Trace],
        tags: Sequence[Tags] | None = None,
        journals: Sequence[Journal | None] | None = None,
    ) -> None:
        """Keep several runs in one transaction: all of them or none.

        Args:
            traces: the runs, shape (n,).
            tags: what else is known about each, shape (n,); None: nothing.
            journals: what was written of each while it went on, shape (n,), so that no step is put
                into words again; None: nothing.

        Raises:
            StoreError: they could not be written; the store is as it was.
        """
        if not traces:
            return
        each = [UNTAGGED] * len(traces) if tags is None else tags
        written = [None] * len(traces) if journals is None else journals
        rows = [
            row_of(trace, tag, {} if journal is None else journal.steps)
            for trace, tag, journal in zip(traces, each, written, strict=True)
        ]
        # Two that write the same runs do so in one order, or each could wait for the other.
        rows.sort(key=itemgetter("run_id"))
        with as_store_errors(self.place), self._engine.begin() as connection:
            connection.execute(self._replace, rows)

    def journal(self, setup: str = "null") -> Journal:
        """A journal for a run that is about to begin.

        Args:
            setup: JSON of whatever is needed to take the run up again.
        """
        return Journal(self._slots, setup)

    def reopen(self, run: str) -> Reopened:
        """Take a run up again that was cut short.

        A run whose end was written but not yet kept is kept now.

        Args:
            run: its id, or a beginning of it that no other run has.

        Raises:
            StoreError: no run or several begin so, another process plays it, or its journal cannot
                be read or written.
        """
        run_id = self.load(run).run_id
        claimed = claim(self._slots, run_id)
        if claimed is not None:
            journal, found = claimed
            if can_go_on(found.trace):
                return Reopened(found.trace, found.setup, journal)
            self.save(found.trace, Tags(setup=found.setup))
            journal.discard()
            return Reopened(found.trace, found.setup, None)
        with as_store_errors(self.place):
            if not self._playing.claim(run_id):
                raise StoreError(f"run {run_id} is being played by another process")
        row = self._rows(
            select(runs_table.c.trace, runs_table.c.setup).where(runs_table.c.run_id == run_id)
        )
        if not row:
            raise StoreError(f"run {run_id} is gone")
        trace, setup = read_trace(row[0].trace), row[0].setup
        if setup is None or not can_go_on(trace):
            return Reopened(trace, setup, None)
        return Reopened(trace, setup, Journal.of_earlier(self._slots, trace, setup))

    def load(self, run_id: str) -> Trace:
        """Read a run by its id, or by a beginning of it that no other run has.

        Of a run that is not finished, what its journal says.

        Raises:
            StoreError: no run or several begin so; the message lists which there are.
        """
        wanted, run_id = runs_table.c.run_id, storable(run_id)
        exact = select(wanted, runs_table.c.trace).where(wanted == run_id)
        similar = (
            select(wanted, runs_table.c.trace)
            .where(wanted >= run_id, wanted < f"{run_id}\U0010ffff")
            .order_by(wanted)
            .limit(_CANDIDATES + 1)
        )
        known = {row.run_id: row.trace for row in self._rows(exact) or self._rows(similar)}
        found = {name: read_trace(trace) for name, trace in known.items()}
        for unfinished in unfinished_runs(self._slots.folder, run_id):
            found[unfinished.trace.run_id] = unfinished.trace
        if run_id in found:
            return found[run_id]
        if len(found) == 1:
            return next(iter(found.values()))
        if not found:
            ids = [row.run_id for row in self.runs(limit=_CANDIDATES)]
            last = f"the last ones are {', '.join(ids)}" if ids else "the store is empty"
            raise StoreError(f"no run begins with {run_id!r}; {last}")
        names = ", ".join(sorted(found)[:_CANDIDATES])
        more = ", ..." if len(found) > _CANDIDATES else ""
        raise StoreError(f"several runs begin with {run_id!r}: {names}{more}; give more of the id")

    def latest(self) -> Trace | None:
        """The run that was started last; None where there is none.

        Raises:
            StoreError: the store could not be read.
        """
        rows = self.runs(limit=1)
        return self.load(rows[0].run_id) if rows else None

    def runs(
        self, limit: int | None = None, *, text: str | None = None, worker: str | None = None
    ) -> list[RunRow]:
        """List runs, the one started last first.

        The status of a run that has only a journal is `running`, or `unfinished` where its process
        is gone.

        Args:
            limit: the most runs to list, at least 1; None: all.
            text: only runs whose question or answer contains it; ASCII letters match in either
                case.
            worker: only runs in which the worker of this name was called.

        Raises:
            StoreError: the store could not be read.
        """
        which = RunFilter(text, worker)
        query = ordered(which.on(select(*LISTED)), limit)
        rows = [listed(row) for row in self._rows(query)]
        open_rows = [
            row for row, workers in open_rows_of(self._slots.folder) if which.fits(row, workers)
        ]
        return merged(rows, open_rows, limit) if open_rows else rows

    def traces(
        self, limit: int | None = None, *, text: str | None = None, worker: str | None = None
    ) -> Iterator[Trace]:
        """Read whole runs, the one started last first, one at a time; filters as in `runs`.

        Those that have only a journal are left out.

        Raises:
            StoreError: the store could not be read, or holds a trace of a later version.
        """
        query = ordered(RunFilter(text, worker).on(select(runs_table.c.trace)), limit)
        with self.reading() as connection:
            for row in connection.execution_options(yield_per=_PAGE).execute(query):
                yield read_trace(row.trace)

    def with_tasks(
        self, *, text: str | None = None, worker: str | None = None
    ) -> Iterator[tuple[Trace, str | None]]:
        """Read whole runs, each with its task or None, one at a time; filters as in `runs`.

        Those that have only a journal are among them, without a task: what they took is spent.

        Raises:
            StoreError: the store could not be read, or holds a trace of a later version.
        """
        which = RunFilter(text, worker)
        unfinished = {
            found.trace.run_id: found.trace for found in unfinished_runs(self._slots.folder)
        }
        for trace in unfinished.values():
            if which.fits(row_of_trace(trace), called_in(trace)):
                yield trace, None
        columns = select(runs_table.c.run_id, runs_table.c.trace, runs_table.c.task)
        query = ordered(which.on(columns), None)
        with self.reading() as connection:
            for row in connection.execution_options(yield_per=_PAGE).execute(query):
                if row.run_id not in unfinished:
                    yield read_trace(row.trace), row.task

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection for queries of one's own.

        Raises:
            StoreError: the store could not be read.
        """
        with as_store_errors(self.place), self._engine.connect() as connection:
            yield connection

    def _rows(self, query: Select[Any]) -> Sequence[Row[Any]]:
        with self.reading() as connection:
            return connection.execute(query).all()


_PAGE = 20
"""How many traces are in memory at once while all are read."""
