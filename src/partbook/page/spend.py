"""Spending: what the runs took, by day, worker, model, task or key, and what keys have left.

Sums are made of the traces themselves, by the rules of `ledger.py`. What a run took does not change
once it is over, so a trace is read once; the next question only asks which runs there are. What a
key spent is written by its account, in dollars alone.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple, cast

from partbook.errors import StoreError
from partbook.ledger import Costs, Entry, Grouping, Total, entries_of
from partbook.page.asks import Asks
from partbook.page.room import Room
from partbook.server.refusal import bad_request, not_now
from partbook.spend_json import money
from partbook.store import ApiKeys, Store
from partbook.store.run_lists import BriefRun, brief_runs, open_traces, traces_of
from partbook.trace import Trace

__all__ = ["Spending", "Took", "days_of", "first_day", "spend"]

_MOST_DAYS = 3_660
_MOST_KNOWN = 100_000
"""How many runs are remembered before those are forgotten that nobody asks for."""

_KINDS = ("day", "worker", "model", "key", "task")


class Took(NamedTuple):
    """What one run took."""

    started_at: float
    task: str
    entries: tuple[Entry, ...]
    answering_usd: Decimal | None = None
    """What the call cost that gave the answer; None: unknown, or there is no answer."""


@dataclass(slots=True)
class Spending:
    """What runs took, read once each."""

    store: Store
    asks: Asks
    _known: dict[str, tuple[BriefRun, Took]] = field(default_factory=dict)
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def since(self, at: float) -> list[Took]:
        """What the runs took that were started at this second since the epoch, or later.

        Raises:
            StoreError: the store could not be read.
        """
        found = {
            ask.run_id: _of_trace(ask.trace, "") for ask in self.asks if ask.row.started_at >= at
        }
        async with self._reading:
            stored = await asyncio.to_thread(self._read, at)
        return list((stored | found).values())

    def _read(self, at: float) -> dict[str, Took]:
        """In a thread, one at a time."""
        runs = brief_runs(self.store, at)
        known = self._known
        news = {
            run.run_id: run
            for run in runs
            if run.run_id not in known or known[run.run_id][0] != run
        }
        if len(known) + len(news) > _MOST_KNOWN:
            kept = {run.run_id for run in runs}
            known = self._known = {name: one for name, one in known.items() if name in kept}
        for trace in traces_of(self.store, list(news)):
            run = news[trace.run_id]
            known[trace.run_id] = run, _of_trace(trace, run.task or "")
        found = {run.run_id: known[run.run_id][1] for run in runs if run.run_id in known}
        # What a run has spent that did not come to its end is spent.
        open_ = (trace for trace in open_traces(self.store) if trace.started_at >= at)
        return found | {trace.run_id: _of_trace(trace, "") for trace in open_}


async def spend(room: Room, spending: Spending, query: Mapping[str, str]) -> dict[str, Any]:
    """The answer of `GET /page/spend`.

    Raises:
        Refusal: the question is wrong, or the store cannot be read.
    """
    by, days = query.get("by") or "day", days_of(query)
    if by not in _KINDS:
        raise bad_request(f"by: one of {', '.join(_KINDS)} was expected", "by", "invalid_value")
    begin = first_day(days)
    try:
        runs = await spending.since(begin.timestamp())
        keys = await asyncio.to_thread(_of_keys, room.setup.keys, begin.date())
    except StoreError as err:
        raise not_now(str(err), "store_unavailable") from err
    costs = Costs("day" if by == "key" else cast("Grouping", by))
    for run in runs:
        costs.add_entries(run.entries, run.started_at, run.task)
    return {
        "by": by,
        "days": days,
        "rows": keys.rows if by == "key" else _rows(costs, by),
        "total": {"what": None, **_figures(costs.total)},
        "limits": keys.limits,
    }


def days_of(query: Mapping[str, str]) -> int:
    """How many days are asked for; today counts as one.

    Raises:
        Refusal: it is no number of days.
    """
    told = query.get("days") or "30"
    if not (told.isdecimal() and len(told) < 6 and 1 <= int(told) <= _MOST_DAYS):
        raise bad_request(f"days: 1 to {_MOST_DAYS} were expected", "days", "invalid_value")
    return int(told)


def first_day(days: int) -> datetime:
    """When the first of the last days began, in UTC; today is the last one."""
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return today - timedelta(days=days - 1)


def _of_trace(trace: Trace, task: str) -> Took:
    rounds = [r for r in trace.rounds if r.parent is None and r.answer is not None and r.steps]
    answering = rounds[-1].steps[-1] if rounds and trace.status == "answered" else None
    usd = None if answering is None else answering.cost_usd
    return Took(trace.started_at, task, tuple(entries_of(trace)), usd)


def _rows(costs: Costs, by: str) -> list[dict[str, Any]]:
    rows = [{"what": key or None, **_figures(total)} for key, total in costs.groups.items()]
    return rows if by == "day" else sorted(rows, key=_dearest_first)


def _dearest_first(row: Mapping[str, Any]) -> tuple[Decimal, int, str]:
    return -Decimal(row["known_usd"]), -row["calls"], str(row["what"])


def _figures(total: Total) -> dict[str, Any]:
    return {
        "runs": total.runs,
        "calls": total.calls,
        "prompt_tokens": total.prompt_tokens,
        "completion_tokens": total.completion_tokens,
        "cost_usd": money(total.cost_usd),
        "known_usd": money(total.known_usd),
        "unknown_calls": total.unknown_cost,
    }


class _Keys(NamedTuple):
    rows: list[dict[str, Any]]
    limits: list[dict[str, Any]]


def _of_keys(keys: ApiKeys, begin: date) -> _Keys:
    """What each key spent since a day, and what it has left."""
    today = datetime.now(UTC).date()
    months = {(begin + timedelta(days=n)).isoformat()[:7] for n in range((today - begin).days + 1)}
    spent = {month: keys.spent(month) for month in months | {today.isoformat()[:7]}}
    rows, limits = [], []
    for key in keys.all_keys():
        by_day: dict[str, Decimal] = {}
        for of_month in spent.values():
            by_day |= of_month.get(key.key_id, {})
        usd = sum((by_day[day] for day in by_day if day >= begin.isoformat()), Decimal(0))
        if usd or key.revoked_at is None:
            rows.append(
                {"what": key.name, "key": key.key_id, **_ONLY_MONEY, "cost_usd": money(usd)}
            )
        if key.revoked_at is None:
            month = today.isoformat()[:7]
            of_month_usd = sum((by_day[day] for day in by_day if day[:7] == month), Decimal(0))
            of_day_usd = by_day.get(today.isoformat(), Decimal(0))
            for per, limit, used in (
                ("day", key.usd_per_day, of_day_usd),
                ("month", key.usd_per_month, of_month_usd),
            ):
                if limit is not None:
                    limits.append(_limit(key.name, key.key_id, per, limit, used))
    return _Keys(rows, limits)


_ONLY_MONEY = {
    "runs": None,
    "calls": None,
    "prompt_tokens": None,
    "completion_tokens": None,
    "unknown_calls": 0,
}
"""Of a key, the store has dollars alone."""


def _limit(name: str, key_id: str, per: str, limit: Decimal, used: Decimal) -> dict[str, Any]:
    return {
        "key": name,
        "key_id": key_id,
        "per": per,
        "usd": money(limit),
        "spent_usd": money(used),
        "left_usd": money(max(Decimal(0), limit - used)),
    }
