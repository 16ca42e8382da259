"""A worker's limits that several servers on one store keep together, as the calls of one see it."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from partbook.errors import StoreError
from partbook.message import Message, Sampling
from partbook.pool import WorkerSpec
from partbook.server.shared_limits import SharedLimits
from partbook.store import ApiKeys
from tests.server.models import Saying, Stepwise
from tests.store.elsewhere import ask, change

ASK = (Message("user", "What is 6*7?"),)


@pytest.fixture
def store(tmp_path):
    return str(tmp_path / "limits.db")


@pytest.fixture
def keys(store):
    with ApiKeys.open(store) as opened:
        yield opened


def spec(**more: int) -> WorkerSpec:
    return WorkerSpec("w", "http", "m", endpoint="http://e/v1", **more)


async def test_calls_of_two_servers_wait_for_each_other(keys):
    async with AsyncExitStack() as stack:
        models = []
        for _ in range(2):
            limits = SharedLimits(keys.counting, "p")
            await stack.enter_async_context(limits.alive())
            models.append(Stepwise())
            models.append(limits.guarded(spec(max_concurrency=1), models[-1]))
        one, first, other, second = models
        running = asyncio.create_task(first.chat(ASK, Sampling()))
        await one.reached.wait()
        waiting = asyncio.create_task(second.chat(ASK, Sampling()))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await other.reached.wait()
        one.pieces.put_nowait(None)
        await running
        other.pieces.put_nowait(None)
        await waiting

    assert other.reached.is_set()


async def test_a_call_that_is_given_up_while_it_waits_takes_no_room(keys, store):
    limits, model = SharedLimits(keys.counting, "p"), Stepwise()
    async with limits.alive():
        guarded = limits.guarded(spec(max_concurrency=1), model)
        calls = [asyncio.create_task(guarded.chat(ASK, Sampling())) for _ in range(3)]
        await model.reached.wait()
        for call in calls[:2]:
            call.cancel()
        await asyncio.wait(calls[:2])
        model.pieces.put_nowait(None)
        await calls[2]

    assert ask(store, "SELECT count(*) FROM gate_calls") == 0


async def test_what_a_call_took_counts_in_the_minute_in_place_of_its_worst_case(keys, store):
    limits = SharedLimits(keys.counting, "p")
    async with limits.alive():
        guarded = limits.guarded(spec(tokens_per_minute=1000), Saying(("42",)))
        for _ in range(3):
            await asyncio.wait_for(guarded.chat(ASK, Sampling(max_tokens=700)), 30)

    assert ask(store, "SELECT sum(tokens) FROM gate_calls") == 45
    assert ask(store, "SELECT count(*) FROM gate_calls") == 3


async def test_many_that_wait_are_let_in_together(keys):
    limits, model = SharedLimits(keys.counting, "p"), Saying(("42",))
    asked = 0
    enter = keys.counting.enter

    def counted(*arguments):
        nonlocal asked
        asked += 1
        return enter(*arguments)

    keys.counting.enter = counted
    async with limits.alive():
        guarded = limits.guarded(spec(max_concurrency=50), model)
        await asyncio.gather(*(guarded.chat(ASK, Sampling()) for _ in range(40)))

    assert len(model.heard) == 40
    assert asked <= 3


async def test_where_the_store_cannot_be_asked_no_call_is_made(keys, store):
    limits, model = SharedLimits(keys.counting, "p"), Saying(("42",))
    change(store, "ALTER TABLE gate_calls RENAME TO gate_calls_2")
    async with limits.alive():
        with pytest.raises(StoreError):
            await limits.guarded(spec(), model).chat(ASK, Sampling())

    assert model.heard == []
