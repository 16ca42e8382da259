"""Store: every run, in one SQLite file.

A run is one row; the whole trace is in it. Each method is one transaction and may be called from
any thread. Inside an event loop, writing goes through `writer.BatchWriter`.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from pathlib import Path
from typing import Any, Self

from sqlalchemy import Engine, Row, Select, select
from sqlalchemy.dialects import sqlite

from partbook.errors import StoreError
from partbook.store.faults import as_store_errors
from partbook.store.opening import open_engine, resolve
from partbook.store.schema import UNTAGGED, Tags, row_of
from partbook.store.schema import runs as runs_table
from partbook.trace import Trace
from partbook.trace_json import trace_from_dict

__all__ = ["BUSY_TIMEOUT_S", "RunRow", "Store"]

BUSY_TIMEOUT_S = 5.0
"""How long to wait for another program that is writing."""

_CANDIDATES = 5
"""How many runs an error about a run's name lists."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """One line of a list of runs."""

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


_LISTED = [runs_table.c[field.name] for field in fields(RunRow)]


class Store:
    """An open store; close it, or use it in a `with` block."""

    def __init__(self, engine: Engine, place: str) -> None:
        self._engine = engine
        self.place = place
        """The path of its file."""

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

    def save_many(self, traces: Sequence[Trace], tags: Sequence[Tags] | None = None) -> None:
        """Keep several runs in one transaction: all of them or none.

        Args:
            traces: the runs, shape (n,).
            tags: what else is known about each, shape (n,); None: nothing.

        Raises:
            StoreError: they could not be written; the store is as it was.
        """
        if not traces:
            return
        each = [UNTAGGED] * len(traces) if tags is None else tags
        rows = [row_of(trace, tag) for trace, tag in zip(traces, each, strict=True)]
        with as_store_errors(self.place), self._engine.begin() as connection:
            connection.execute(_UPSERT, rows)

    def load(self, run_id: str) -> Trace:
        """Read a run by its id, or by a beginning of it that no other run has.

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
        found = self._rows(exact) or self._rows(similar)
        if len(found) == 1:
            return _trace_from(found[0].trace)
        if not found:
            known = [row.run_id for row in self.runs(limit=_CANDIDATES)]
            last = f"the last ones are {', '.join(known)}" if known else "the store is empty"
            raise StoreError(f"no run begins with {run_id!r}; {last}")
        names = ", ".join(row.run_id for row in found[:_CANDIDATES])
        more = ", ..." if len(found) > _CANDIDATES else ""
        raise StoreError(f"several runs begin with {run_id!r}: {names}{more}; give more of the id")

    def latest(self) -> Trace | None:
        """The run that was started last; None where there is none.

        Raises:
            StoreError: the store could not be read.
        """
        found = self._rows(_filtered(select(runs_table.c.trace), 1, None, None))
        return _trace_from(found[0].trace) if found else None

    def runs(
        self, limit: int | None = None, *, text: str | None = None, worker: str | None = None
    ) -> list[RunRow]:
        """List runs, the one started last first.

        Args:
            limit: the most runs to list, at least 1; None: all.
            text: only runs whose question or answer contains it; ASCII letters match in either
                case.
            worker: only runs in which the worker of this name was called.

        Raises:
            StoreError: the store could not be read.
        """
        query = _filtered(select(*_LISTED), limit, text, worker)
        return [_listed(row) for row in self._rows(query)]

    def traces(
        self, limit: int | None = None, *, text: str | None = None, worker: str | None = None
    ) -> Iterator[Trace]:
        """Read whole runs, the one started last first, one at a time; filters as in `runs`.

        Raises:
            StoreError: the store could not be read, or holds a trace of a later version.
        """
        query = _filtered(select(runs_table.c.trace), limit, text, worker)
        with as_store_errors(self.place), self._engine.connect() as connection:
            for row in connection.execution_options(yield_per=_PAGE).execute(query):
                yield _trace_from(row.trace)

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


def _filtered(
    query: Select[Any], limit: int | None, text: str | None, worker: str | None
) -> Select[Any]:
    columns = runs_table.c
    if text is not None:
        query = query.where(
            columns.question.icontains(text, autoescape=True)
            | columns.answer.icontains(text, autoescape=True)
        )
    if worker is not None:
        query = query.where(columns.workers.contains(f"\n{worker}\n", autoescape=True))
    return query.order_by(columns.started_at.desc(), columns.run_id.desc()).limit(limit)


def _listed(row: Row[Any]) -> RunRow:
    values = dict(row._mapping)
    if values["cost_usd"] is not None:
        values["cost_usd"] = Decimal(values["cost_usd"])
    return RunRow(**values)


def _trace_from(written: str) -> Trace:
    try:
        return trace_from_dict(json.loads(written))
    except ValueError as err:
        raise StoreError(f"a stored trace is not JSON: {err}") from err
