"""The bill of our own store: what the runs that are kept took, by month and by who answered."""

from collections.abc import Iterable
from datetime import UTC, datetime

from partbook.economy.bill import Bill, Charge
from partbook.ledger import entries_of
from partbook.trace import Trace

__all__ = ["bill_of_runs"]


def bill_of_runs(runs: Iterable[Trace], source: str) -> Bill:
    """Sum runs, read one at a time; days are those of UTC.

    Args:
        runs: traces.
        source: how the bill names them.
    """
    bill = Bill([source], "USD")
    for trace in runs:
        at = datetime.fromtimestamp(trace.started_at, UTC)
        month = f"{at.year:04}-{at.month:02}"
        for entry in entries_of(trace):
            if entry.calls:
                model = entry.model or entry.worker
                bill.add(Charge(month, at.day, model, entry.calls, entry.usage, entry.cost_usd))
    return bill
