"""Savings: what the runs cost beside the calls that gave their answers.

What one call instead of a run would have cost was never measured; the nearest thing that was is
the call that gave the answer. It read the earlier steps' answers, which a single call does not, and
a single call may write more or less than it; so the figure is an estimate, and said to be one.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from partbook.errors import StoreError
from partbook.page.spend import Spending, days_of, first_day
from partbook.server.refusal import not_now
from partbook.spend_json import money

__all__ = ["savings"]

_FORMULAS = {
    "spent_usd": "Σ cost of every call of a run",
    "one_call_usd": "Σ cost of the call that gave a run's answer",
    "difference_usd": "one_call_usd − spent_usd",
}

_ASSUMES = (
    "One call instead of a run is taken to cost what the call cost that gave its answer. A "
    "difference below 0 says that the runs cost more than one call each."
)


async def savings(spending: Spending, query: Mapping[str, str]) -> dict[str, Any]:
    """The answer of `GET /page/savings`.

    Raises:
        Refusal: the question is wrong, or the store cannot be read.
    """
    days = days_of(query)
    try:
        runs = await spending.since(first_day(days).timestamp())
    except StoreError as err:
        raise not_now(str(err), "store_unavailable") from err
    spent = one_call = Decimal(0)
    calls = counted = 0
    for run in runs:
        costs = [entry.cost_usd for entry in run.entries]
        known = [cost for cost in costs if cost is not None]
        if run.answering_usd is None or len(known) < len(costs):
            continue
        counted += 1
        calls += sum(entry.calls for entry in run.entries)
        spent += sum(known, Decimal(0))
        one_call += run.answering_usd
    return {
        "available": counted > 0,
        "why": None if counted else "no run of these days has an answer and a known cost",
        "kind": "estimated",
        "days": days,
        "runs": counted,
        "left_out": len(runs) - counted,
        "calls": calls,
        "spent_usd": money(spent),
        "one_call_usd": money(one_call),
        "difference_usd": money(one_call - spent),
        "formulas": _FORMULAS,
        "assumes": _ASSUMES,
    }
