"""A run as a line of a list, as the page reads it."""

from dataclasses import replace
from typing import Any

from partbook.server.traces import without_keys
from partbook.spend_json import money
from partbook.store.listing import RunRow, row_of_trace
from partbook.trace import Trace

__all__ = ["SHOWN_CHARS", "summary_of", "summary_to_dict"]

SHOWN_CHARS = 300
"""How much of a question and an answer a list shows."""

_SEEN_CHARS = 4096
"""How much of a text is looked through for keys: all that can get into what is shown, even where it
is one key after the other."""


def summary_of(trace: Trace, status: str | None = None) -> RunRow:
    """The line of a run that is in memory.

    Args:
        trace: what has happened.
        status: what is said in place of the trace's own; None: that.
    """
    row = row_of_trace(trace)
    return row if status is None else replace(row, status=status, reason=None)


def summary_to_dict(row: RunRow) -> dict[str, Any]:
    """A line as JSON values."""
    return {
        "id": row.run_id,
        "started_at": row.started_at,
        "seconds": row.seconds,
        "status": row.status,
        "reason": row.reason,
        "question": _beginning(row.question),
        "answer": None if row.answer is None else _beginning(row.answer),
        "pool": row.pool,
        "source": row.source,
        "workflow": row.workflow_name,
        "calls": row.calls,
        "prompt_tokens": row.prompt_tokens,
        "completion_tokens": row.completion_tokens,
        "cost_usd": money(row.cost_usd),
        "task": row.task,
        "label": row.label,
        "verdict": row.verdict,
    }


def _beginning(text: str) -> str:
    """The beginning of a text, in which no key of this server is cut in two."""
    hidden: str = without_keys(text[:_SEEN_CHARS])
    return hidden[:SHOWN_CHARS]
