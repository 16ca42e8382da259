"""How runs are listed: one line each, the one started last first, with filters.

Runs in the store are filtered by the database. Those of which there is only a journal are few, and
are put among them here.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any

from sqlalchemy import Row, Select

from partbook.store.schema import UNTAGGED, row_of
from partbook.store.schema import runs as runs_table
from partbook.trace import Trace

__all__ = ["LISTED", "RunRow", "filtered", "listed", "merged", "open_row"]


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


LISTED = [runs_table.c[field.name] for field in fields(RunRow)]
"""The columns of a line."""


def filtered(
    query: Select[Any], limit: int | None, text: str | None, worker: str | None
) -> Select[Any]:
    """A query with the filters of `Store.runs`, in the order of its list."""
    columns = runs_table.c
    if text is not None:
        query = query.where(
            columns.question.icontains(text, autoescape=True)
            | columns.answer.icontains(text, autoescape=True)
        )
    if worker is not None:
        query = query.where(columns.workers.contains(f"\n{worker}\n", autoescape=True))
    return query.order_by(columns.started_at.desc(), columns.run_id.desc()).limit(limit)


def listed(row: Row[Any]) -> RunRow:
    """A row of `runs` as a line."""
    values = dict(row._mapping)
    if values["cost_usd"] is not None:
        values["cost_usd"] = Decimal(values["cost_usd"])
    return RunRow(**values)


def open_row(trace: Trace, status: str, text: str | None, worker: str | None) -> RunRow | None:
    """A run that has only a journal as a line; None: the filters leave it out."""
    row = row_of(trace, UNTAGGED) | {"status": status, "cost_usd": trace.cost_usd}
    said = f"{row['question']}\n{row['answer'] or ''}".lower()
    if text is not None and text.lower() not in said:
        return None
    if worker is not None and f"\n{worker}\n" not in row["workers"]:
        return None
    return RunRow(**{field.name: row[field.name] for field in fields(RunRow)})


def merged(rows: Iterable[RunRow], open_rows: Iterable[RunRow], limit: int | None) -> list[RunRow]:
    """Both in one list; where a run is in both, the open one counts."""
    by_id = {row.run_id: row for row in rows} | {row.run_id: row for row in open_rows}
    ordered = sorted(by_id.values(), key=lambda row: (row.started_at, row.run_id), reverse=True)
    return ordered[:limit]
