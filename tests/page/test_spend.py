"""Spending by day, worker, model, task and key, and what single calls would have cost."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

pytest.importorskip("starlette", reason="needs pip install 'partbook[serve]'")

from partbook.message import Usage
from partbook.server.admission import KeyDesk
from partbook.store import ApiKeys, Store, Tags
from partbook.trace import Trace
from tests.fakes import pool_of
from tests.page.live import ask, followed, page_serving
from tests.server.models import Saying
from tests.traces import a_trace

TODAY = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0)


def run_of(run_id: str, days_ago: int, dearer: Decimal = Decimal(0)) -> Trace:
    """A run of four calls; the one that answers costs so much more."""
    trace = a_trace(run_id, (TODAY - timedelta(days=days_ago)).timestamp())
    [round_] = trace.rounds
    *others, last = round_.steps
    assert last.cost_usd is not None
    last = replace(last, cost_usd=last.cost_usd + dearer)
    return replace(trace, rounds=(replace(round_, steps=(*others, last)),))


def unknown(trace: Trace) -> Trace:
    """The run, with an answering call whose cost nobody knows."""
    [round_] = trace.rounds
    *others, last = round_.steps
    steps = (*others, replace(last, cost_usd=None, usage=None))
    return replace(trace, rounds=(replace(round_, steps=steps),))


async def test_spending_is_summed_by_what_is_asked_for(place):
    with Store.open(place) as store:
        store.save(run_of("a", 0), Tags("sums"))
        store.save(run_of("b", 1))
        store.save(run_of("old", 40))
    async with page_serving(pool_of(Saying(("42",))), place) as client:
        found = {
            by: (await client.get(f"/page/spend?by={by}")).body
            for by in ("day", "worker", "model", "task")
        }

    rows = {
        by: [(row["what"], row["runs"], row["calls"], row["cost_usd"]) for row in spend["rows"]]
        for by, spend in found.items()
    }
    yesterday = (TODAY - timedelta(days=1)).date().isoformat()
    assert rows == {
        "day": [(yesterday, 1, 4, "0.001"), (TODAY.date().isoformat(), 1, 4, "0.001")],
        "worker": [
            ("checker", 2, 2, "0.0008"),
            ("thinker", 2, 2, "0.0006"),
            ("(conductor)", 2, 2, "0.0004"),
            ("coder", 2, 2, "0.0002"),
        ],
        "model": [
            ("m-2", 2, 2, "0.0008"),
            ("m-1", 2, 2, "0.0006"),
            ("c-7b", 2, 2, "0.0004"),
            ("m-0", 2, 2, "0.0002"),
        ],
        "task": [(None, 1, 4, "0.001"), ("sums", 1, 4, "0.001")],
    }
    assert found["day"]["total"] == {
        "what": None,
        "runs": 2,
        "calls": 8,
        "prompt_tokens": 2000,
        "completion_tokens": 400,
        "cost_usd": "0.002",
        "known_usd": "0.002",
        "unknown_calls": 0,
    }


async def test_an_unknown_cost_is_not_nothing(place):
    with Store.open(place) as store:
        store.save(unknown(run_of("a", 0)))
    async with page_serving(pool_of(Saying(("42",))), place) as client:
        total = (await client.get("/page/spend")).body["total"]

    assert (total["cost_usd"], total["known_usd"], total["unknown_calls"]) == (None, "0.0006", 1)


async def test_runs_of_the_page_count_and_a_run_that_went_on_is_read_again(place):
    with Store.open(place) as store:
        store.save(run_of("a", 0))
        pool = pool_of(Saying(("42",), usage=Usage(10, 5)))
        async with page_serving(pool, place, keep=True) as client:
            before = (await client.get("/page/spend")).body["total"]["calls"]
            await followed(client, await ask(client))
            store.save(replace(run_of("a", 0), rounds=(), seconds=9.0))
            after = (await client.get("/page/spend")).body["total"]["calls"]

    assert (before, after) == (4, 1)


async def test_limits_of_keys_and_what_is_left_of_them_are_told(place):
    with ApiKeys.open(place) as keys:
        ann, _ = keys.create("ann", usd_per_day=Decimal(5), usd_per_month=Decimal(20))
        _, eve = keys.create("eve", sees_traces=True)
        keys.spend(ann.key_id, TODAY.date().isoformat(), Decimal("1.50"), 3)
        async with page_serving(
            pool_of(Saying(("42",))), place, keys=keys, admission=KeyDesk(keys)
        ) as client:
            headers = {"Authorization": f"Bearer {eve}"}
            spend = (await client.get("/page/spend?by=key", **headers)).body

    assert [(row["what"], row["calls"], row["cost_usd"]) for row in spend["rows"]] == [
        ("ann", None, "1.5"),
        ("eve", None, "0"),
    ]
    assert spend["limits"] == [
        {
            "key": "ann",
            "key_id": ann.key_id,
            "per": per,
            "usd": usd,
            "spent_usd": "1.5",
            "left_usd": left,
        }
        for per, usd, left in (("day", "5", "3.5"), ("month", "20", "18.5"))
    ]


@pytest.mark.parametrize("query", ["by=hour", "days=0", "days=many", "days=99999"])
async def test_a_question_that_makes_no_sense_is_refused(place, query):
    async with page_serving(pool_of(Saying(("42",))), place) as client:
        reply = await client.get(f"/page/spend?{query}")

    assert (reply.status, reply.error["code"]) == (400, "invalid_value")


async def test_savings_hold_the_runs_against_their_answering_calls(place):
    with Store.open(place) as store:
        store.save(run_of("a", 0))
        store.save(run_of("b", 1, dearer=Decimal("0.01")))
        store.save(unknown(run_of("c", 1)))
        store.save(replace(run_of("d", 1), status="failed", reason="worker"))
    async with page_serving(pool_of(Saying(("42",))), place) as client:
        found = (await client.get("/page/savings")).body

    assert (found["available"], found["runs"], found["left_out"]) == (True, 2, 2)
    # Two runs of $0.001, one with $0.01 more; their answering calls cost $0.0004 of it.
    assert (found["spent_usd"], found["one_call_usd"]) == ("0.012", "0.0108")
    assert found["difference_usd"] == "-0.0012"
    assert set(found["formulas"]) == {"spent_usd", "one_call_usd", "difference_usd"}


async def test_without_a_run_there_is_nothing_to_compute_from(place):
    async with page_serving(pool_of(Saying(("42",))), place) as client:
        found = (await client.get("/page/savings")).body

    assert not found["available"]
    assert found["why"] == "no run of these days has an answer and a known cost"
