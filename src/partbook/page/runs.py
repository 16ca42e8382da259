"""Runs: the list with its filters, and one run in full.

What is in the store and what is only in memory stand in one list. A key that sees only its own runs
sees those of the page that are still in memory.
"""

import asyncio
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from partbook.errors import StoreError
from partbook.page.replayed import events_of
from partbook.page.room import Room, Visitor, not_found
from partbook.page.summary import summary_to_dict
from partbook.server.refusal import bad_request, not_now
from partbook.server.traces import without_keys
from partbook.store.listing import Place, RunFilter, RunRow, called_in, merged
from partbook.store.run_lists import RunPage, list_part, whole_run
from partbook.trace import Trace
from partbook.trace_json import trace_to_dict

__all__ = ["list_runs", "show_run"]

_USUAL = 50
_MOST = 200


async def list_runs(room: Room, visitor: Visitor, query: Mapping[str, str]) -> dict[str, Any]:
    """The answer of `GET /page/runs`.

    Raises:
        Refusal: a filter is wrong, or the store cannot be read.
    """
    which, limit, after = _asked(query)
    asks = [ask for ask in room.asks if visitor.may_see(ask)]
    if visitor.sees_all:
        await _written(room)
        others = [(ask.row, called_in(ask.trace)) for ask in asks]
        try:
            page = await asyncio.to_thread(list_part, room.setup.store, which, limit, after, others)
        except StoreError as err:
            raise not_now(str(err), "store_unavailable") from err
    else:
        rows = [ask.row for ask in asks if which.fits(ask.row, called_in(ask.trace))]
        page = _part(rows, limit, after)
    return {
        "runs": [summary_to_dict(row) for row in page.rows],
        "next": None if page.next is None else str(page.next),
        "total": page.total,
    }


async def show_run(room: Room, visitor: Visitor, run_id: str) -> dict[str, Any]:
    """The answer of `GET /page/runs/ID`.

    Raises:
        Refusal: there is no such run, or it is not shown to this key.
    """
    ask = room.asks.get(run_id)
    if ask is not None and visitor.may_see(ask):
        trace, row = ask.trace, ask.row
    elif visitor.sees_all and (found := await _stored(room, run_id)) is not None:
        trace, row = found
    else:
        raise not_found("run", run_id)
    shown: dict[str, Any] = without_keys(
        {
            "run": summary_to_dict(row),
            "trace": trace_to_dict(trace),
            "events": events_of(trace),
        }
    )
    return shown


async def _stored(room: Room, run_id: str) -> tuple[Trace, RunRow] | None:
    await _written(room)
    try:
        return await asyncio.to_thread(whole_run, room.setup.store, run_id)
    except StoreError:
        return None


async def _written(room: Room) -> None:
    """Let what waits to be kept get into the store; what cannot be written is not shown."""
    if room.setup.flush is not None:
        try:
            await room.setup.flush()
        except StoreError:
            return


def _part(rows: list[RunRow], limit: int, after: Place | None) -> RunPage:
    later = [row for row in rows if after is None or row.place < after]
    found = merged(later, (), limit)
    goes_on = len(later) > limit
    return RunPage(found, found[-1].place if goes_on else None, len(rows))


def _asked(query: Mapping[str, str]) -> tuple[RunFilter, int, Place | None]:
    given = {name: value for name, value in query.items() if value}
    which = RunFilter(
        given.get("text"),
        given.get("worker"),
        given.get("status"),
        given.get("task"),
        given.get("verdict"),
        given.get("label"),
        _usd(given, "min_usd"),
        _usd(given, "max_usd"),
        _number(given, "since"),
        _number(given, "until"),
    )
    told = _number(given, "limit")
    limit = _USUAL if told is None else int(told)
    if not 1 <= limit <= _MOST:
        raise bad_request(f"limit: 1 to {_MOST} was expected", "limit", "invalid_value")
    try:
        after = Place.of(given["before"]) if "before" in given else None
    except StoreError as err:
        raise bad_request(f"before: {err}", "before", "invalid_value") from err
    return which, limit, after


def _usd(given: Mapping[str, str], name: str) -> Decimal | None:
    if name not in given:
        return None
    try:
        usd = Decimal(given[name][:40])
    except InvalidOperation:
        usd = Decimal("NaN")
    if not usd.is_finite():
        raise bad_request(f"{name}: an amount was expected", name, "invalid_value")
    return usd


def _number(given: Mapping[str, str], name: str) -> float | None:
    if name not in given:
        return None
    try:
        value = float(given[name])
    except ValueError:
        value = float("nan")
    if not -1e12 < value < 1e12:
        raise bad_request(f"{name}: a number was expected", name, "invalid_value")
    return value
