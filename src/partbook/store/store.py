"""Store: every run, in one SQLite file.

A run is one row; the whole trace is in it. Each method is one transaction and may be called from
any thread. Inside an event loop, writing goes through `writer.BatchWriter`.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from sqlalchemy import Engine, Row, Select, select
from sqlalchemy.dialects import sqlite

from partbook.errors import StoreError
from partbook.resume import can_go_on
from partbook.store.faults import as_store_errors
from partbook.store.journal import Journal
from partbook.store.listing import LISTED, RunRow, filtered, listed, merged, open_row
from partbook.store.opening import open_engine, resolve
from partbook.store.schema import UNTAGGED, Tags, row_of
from partbook.store.schema import runs as runs_table
from partbook.store.slots import Slots, journal_folder
from partbook.store.unfinished import claim, is_played, unfinished_runs
from partbook.trace import Trace
from partbook.trace_json import trace_from_dict

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

    def __init__(self, engine: Engine, place: str) -> None:
        self._engine = engine
        self.place = place
        """The path of its file."""
        self._slots = Slots(journal_folder(place))

    @classmethod
    def open(cls, place: str | Path, busy_timeout_s: float = BUSY_TIMEOUT_S) -> Self:
        """Open the store at a path or `sqlite:///` URL; create it where there is none.

        Raises:
            StoreError: it cannot be opened, is something else, or is a newer Partbook's.
        """
        url = resolve(place)
        return cls(open_engine(url, busy_timeout_s), str(url.database))

    def close(self) -> None:
        """Let go of the file."""
        self._slots.close()
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
        with as_store_errors(self.place), self._engine.begin() as connection:
            connection.execute(_UPSERT, rows)

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
        row = self._rows(
            select(runs_table.c.trace, runs_table.c.setup).where(runs_table.c.run_id == run_id)
        )
        if not row:
            raise StoreError(f"run {run_id} is gone")
        trace, setup = _trace_from(row[0].trace), row[0].setup
        if setup is None or not can_go_on(trace):
            return Reopened(trace, setup, None)
        return Reopened(trace, setup, Journal.of_earlier(self._slots, trace, setup))

    def load(self, run_id: str) -> Trace:
        """Read a run by its id, or by a beginning of it that no other run has.

        Of a run that is not finished, what its journal says.

        Raises:
            StoreError: no run or several begin so; the message lists which there are.
        """
        wanted = runs_table.c.run_id
        exact = select(wanted, runs_table.c.trace).where(wanted == run_id)
        similar = (
            select(wanted, runs_table.c.trace)
            .where(wanted.startswith(run_id, autoescape=True))
            .order_by(wanted)
            .limit(_CANDIDATES + 1)
        )
        known = {row.run_id: row.trace for row in self._rows(exact) or self._rows(similar)}
        found = {name: _trace_from(trace) for name, trace in known.items()}
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
        query = filtered(select(*LISTED), limit, text, worker)
        rows = [listed(row) for row in self._rows(query)]
        open_rows = []
        for unfinished in unfinished_runs(self._slots.folder):
            trace = unfinished.trace
            status = "running" if is_played(unfinished.path) else "unfinished"
            if (row := open_row(trace, status, text, worker)) is not None:
                open_rows.append(row)
        return merged(rows, open_rows, limit) if open_rows else rows

    def traces(
        self, limit: int | None = None, *, text: str | None = None, worker: str | None = None
    ) -> Iterator[Trace]:
        """Read whole runs, the one started last first, one at a time; filters as in `runs`.

        Those that have only a journal are left out.

        Raises:
            StoreError: the store could not be read, or holds a trace of a later version.
        """
        query = filtered(select(runs_table.c.trace), limit, text, worker)
        with as_store_errors(self.place), self._engine.connect() as connection:
            for row in connection.execution_options(yield_per=_PAGE).execute(query):
                yield _trace_from(row.trace)

    def with_tasks(
        self, *, text: str | None = None, worker: str | None = None
    ) -> Iterator[tuple[Trace, str | None]]:
        """Read whole runs, each with its task or None, one at a time; filters as in `runs`.

        Those that have only a journal are among them, without a task: what they took is spent.

        Raises:
            StoreError: the store could not be read, or holds a trace of a later version.
        """
        unfinished = {
            found.trace.run_id: found.trace for found in unfinished_runs(self._slots.folder)
        }
        for trace in unfinished.values():
            if open_row(trace, "unfinished", text, worker) is not None:
                yield trace, None
        query = select(runs_table.c.run_id, runs_table.c.trace, runs_table.c.task)
        with as_store_errors(self.place), self._engine.connect() as connection:
            rows = connection.execution_options(yield_per=_PAGE).execute(
                filtered(query, None, text, worker)
            )
            for row in rows:
                if row.run_id not in unfinished:
                    yield _trace_from(row.trace), row.task

    def _rows(self, query: Select[Any]) -> Sequence[Row[Any]]:
        with as_store_errors(self.place), self._engine.connect() as connection:
            return connection.execute(query).all()


_PAGE = 20
"""How many traces are in memory at once while all are read."""


def _upsert() -> sqlite.Insert:
    insert = sqlite.insert(runs_table)
    others = {c.name: c for c in insert.excluded if c.name != "run_id"}
    return insert.on_conflict_do_update(index_elements=["run_id"], set_=others)


_UPSERT = _upsert()


def _trace_from(written: str) -> Trace:
    try:
        return trace_from_dict(json.loads(written))
    except ValueError as err:
        raise StoreError(f"a stored trace is not JSON: {err}") from err
