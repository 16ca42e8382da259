"""The tables as they are at `HEAD`, and how a trace becomes a row.

The whole trace is one JSON text. The other columns repeat what runs are listed, searched and summed
by, so that a list never has to read the traces. `migrations/` leads every earlier version here.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BigInteger, Column, Float, Index, Integer, MetaData, String, Table, Text
from sqlalchemy.types import TypeEngine

from partbook.errors import StoreError
from partbook.trace import Trace
from partbook.trace_json import trace_from_dict, trace_summary, trace_to_json

__all__ = [
    "HEAD",
    "UNTAGGED",
    "VERSION_TABLE",
    "Tags",
    "listed_values",
    "metadata",
    "read_trace",
    "row_of",
    "runs",
    "short",
    "sorted_text",
    "storable",
]

HEAD = "0005"
"""The newest migration. Versions are four digits that ascend, so that a later one is known."""

VERSION_TABLE = "partbook_version"
"""Where the schema's version is written; its presence tells a store from any other database."""

_LARGEST_INTEGER = 2**63 - 1
_LARGEST_COUNT = 2**31 - 1

metadata = MetaData()


def short(length: int) -> TypeEngine[str]:
    """A text that is short; PostgreSQL would refuse a longer one, which SQLite takes."""
    return String(length).with_variant(Text(), "postgresql")


def sorted_text(length: int) -> TypeEngine[str]:
    """A short text that is sorted by its characters' numbers everywhere, as Python does."""
    return String(length).with_variant(Text(collation="C"), "postgresql")


runs = Table(
    "runs",
    metadata,
    Column("run_id", sorted_text(64), primary_key=True),
    Column("started_at", Float(53), nullable=False, comment="seconds since the epoch"),
    Column("seconds", Float(53), nullable=False),
    Column("status", short(16), nullable=False),
    Column("reason", short(16)),
    Column("question", Text, nullable=False),
    Column("answer", Text),
    Column("pool", Text, nullable=False),
    Column("workers", Text, nullable=False, comment="names called, each between newlines"),
    Column("source", short(16), comment="where the last workflow came from"),
    Column("workflow_name", Text, nullable=False),
    Column("calls", Integer, nullable=False),
    Column("prompt_tokens", BigInteger, nullable=False),
    Column("completion_tokens", BigInteger, nullable=False),
    Column("cost_usd", short(64), comment="plain digits, exact; null where unknown"),
    Column("task", Text),
    Column("label", Text),
    Column("verdict", short(16)),
    Column("trace", Text, nullable=False, comment="JSON, pure ASCII"),
    Column("setup", Text, comment="JSON of what is needed to take the run up again"),
    Index("ix_runs_started_at", "started_at", "run_id"),
)


@dataclass(frozen=True, slots=True)
class Tags:
    """What is known about a run beside its trace; None: nothing."""

    task: str | None = None
    """The task that the question belongs to."""
    label: str | None = None
    """Whatever groups runs: a system, an experiment."""
    verdict: str | None = None
    """What a judge said."""
    setup: str | None = None
    """JSON of what is needed to take the run up again, should it not have come to its end."""


UNTAGGED = Tags()
"""Nothing is known but the trace."""


def row_of(trace: Trace, tags: Tags, written: Mapping[tuple[int, int], str]) -> dict[str, Any]:
    """The row of `runs` for a trace.

    Args:
        trace: the run.
        tags: what else is known about it.
        written: JSON of steps that were put into words before, by (round, step).
    """
    data = trace_summary(trace)
    return listed_values(trace, data, tags) | {
        "trace": trace_to_json(trace, data, written),
        "setup": tags.setup,
    }


def listed_values(trace: Trace, data: Mapping[str, Any], tags: Tags) -> dict[str, Any]:
    """All columns of a trace's row that lists are made of.

    Args:
        trace: the run.
        data: its `trace_summary`.
        tags: what else is known about it.
    """
    planned = [round_ for round_ in trace.rounds if round_.workflow is not None]
    called = dict.fromkeys(step.worker for round_ in trace.rounds for step in round_.steps)
    usage = data["usage"]
    return {
        "run_id": trace.run_id,
        "started_at": trace.started_at,
        "seconds": data["seconds"],
        "status": trace.status,
        "reason": trace.reason,
        "question": storable(trace.question),
        "answer": _or_none(data["answer"]),
        "pool": storable(trace.pool),
        "workers": storable("".join(f"\n{name}\n" for name in called)),
        "source": planned[-1].source if planned else None,
        "workflow_name": storable(planned[-1].workflow_name) if planned else "",
        "calls": min(data["calls"], _LARGEST_COUNT),
        "prompt_tokens": min(usage["prompt_tokens"], _LARGEST_INTEGER),
        "completion_tokens": min(usage["completion_tokens"], _LARGEST_INTEGER),
        "cost_usd": data["cost_usd"],
        "task": _or_none(tags.task),
        "label": _or_none(tags.label),
        "verdict": _or_none(tags.verdict),
    }


def _or_none(text: str | None) -> str | None:
    return None if text is None else storable(text)


def storable(text: str) -> str:
    """The text without what a database refuses; nearly always the text itself."""
    if text.isascii() and "\0" not in text:
        return text
    return text.replace("\0", "�").encode("utf-8", "replace").decode("utf-8")


def read_trace(written: str) -> Trace:
    """A trace as it stands in the column of that name.

    Raises:
        StoreError: it is something else, or of a later version.
    """
    try:
        return trace_from_dict(json.loads(written))
    except (ValueError, RecursionError) as err:
        raise StoreError(f"a stored trace is not JSON: {err}") from err
