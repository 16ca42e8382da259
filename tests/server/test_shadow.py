"""A share of live requests goes to another system too, over a real connection."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from decimal import Decimal

import pytest

from partbook.conduct import Fixed
from partbook.economy.pairwise import judged
from partbook.errors import WorkerError
from partbook.evaluate.shadowing.shadow import Experiment
from partbook.evaluate.shadowing.shadow_journal import ShadowJournal
from partbook.message import Sampling, Usage
from partbook.model import ChatModel
from partbook.pool import AgentPool
from partbook.price import FREE, Price
from partbook.server.served import Alone, Orchestra, Served
from partbook.server.shadow import Shadow, is_drawn
from partbook.server.shadow_play import Judgement, Rival
from tests.fakes import pool_of
from tests.server.live import ASK, ONE, PIN, TWO, Client, serving
from tests.server.models import Refusing, Saying, Stepwise

DOLLAR = Price(Decimal(1_000_000), Decimal(1_000_000))
"""One for each token."""


class Verdicts(Saying):
    """A judge that prefers the answer with a word, wherever it stands."""

    def __init__(self, word: str) -> None:
        super().__init__(("",))
        self.word = word

    async def chat(self, messages, sampling, on_text=None):
        shown = messages[-1].text
        is_first = shown.index(self.word) < shown.index("ANSWER B", shown.index("ANSWER A"))
        self.texts = (f"VERDICT: {'A' if is_first else 'B'}",)
        return await super().chat(messages, sampling, on_text)


async def compare(model: ChatModel, question: str, first: str, second: str) -> Judgement:
    found = await judged(model, question, first, second)
    prefers = {"first": True, "second": False, "tie": None}[found.outcome]
    return Judgement(prefers, found.is_judged, found.is_torn, len(found.texts), found.usage)


@asynccontextmanager
async def shadowed(
    pool: AgentPool,
    tmp_path,
    *,
    rate: float = 1.0,
    usd: str = "1000",
    gives_way: bool = False,
    workflow=None,
    pairs: int = 40,
    **served,
) -> AsyncIterator[tuple[Client, Shadow]]:
    """A server of w0 alone, with w1 as its rival and w2 as the judge."""
    experiment = Experiment(PIN, "single:w1", "w2", pairs=pairs)
    journal = ShadowJournal.open(tmp_path / "shadow.jsonl", experiment, 1_790_000_000.0)
    offer = Alone("shadow", pool[1]) if workflow is None else Orchestra("shadow", Fixed(workflow))
    names = frozenset(pool.names)
    rival = Rival(offer, pool, names, pool[2], compare, pool[2].spec.price, gives_way)
    offered = Served(pool, Fixed(ONE), PIN, 1_790_000_000, **served)
    shadow = Shadow(offered, rival, journal, rate, Decimal(usd))
    async with shadow.alive(), serving(pool, endpoint={"shadow": shadow}, **served) as client:
        yield client, shadow


async def until(client: Client, holds: Callable[[dict], bool]) -> dict:
    async with asyncio.timeout(10):
        while True:
            state = (await client.get("/v1/shadow")).body
            if holds(state):
                return state


async def test_the_other_system_is_asked_the_same_and_judged_in_both_orders(tmp_path):
    live, rival, judge = Saying(("forty-two",)), Saying(("42",)), Verdicts("forty-two")
    async with shadowed(pool_of(live, rival, judge), tmp_path) as (client, _):
        reply = await client.chat(messages=[{"role": "system", "content": "Be brief."}, *ASK])
        state = await until(client, lambda state: state["judged"] == 1)

    assert reply.text == "forty-two"
    assert [m.text for m in rival.heard[0]] == ["Be brief.", "What is 6*7?"]
    assert len(judge.heard) == 2
    assert "Be brief." in judge.heard[0][-1].text
    assert (state["wins"], state["losses"], state["verdict"]) == (0, 1, "open")


async def test_nothing_of_it_is_in_a_reply_and_streams_are_taken_too(tmp_path):
    models = Saying(("live words",)), Saying(("other words",)), Verdicts("other")
    async with serving(pool_of(*models)) as client:
        plain = await client.chat(partbook_metadata=True)
    async with shadowed(pool_of(*models), tmp_path) as (client, _):
        reply = await client.chat(partbook_metadata=True)
        streamed = await client.stream()
        state = await until(client, lambda state: state["judged"] == 2)
        metrics = (await client.get("/metrics")).body

    assert state["wins"] == 2
    assert set(reply.body) == set(plain.body)
    assert {n.lower() for n in reply.headers} == {n.lower() for n in plain.headers}
    assert reply.body["usage"] == plain.body["usage"]
    assert streamed.joined() == "live words"
    assert "partbook_calls_total 2\n" in metrics
    assert 'partbook_shadow_pairs_total{outcome="win"} 2' in metrics


async def test_without_a_shadow_there_is_no_route_for_it():
    async with serving(pool_of(Saying(("42",)))) as client:
        reply = await client.get("/v1/shadow")

    assert reply.status == 404


async def test_a_workflow_can_be_the_other_system(tmp_path):
    pool = pool_of(Saying(("42",)), Saying(("forty-two",)), Verdicts("forty-two"))
    async with shadowed(pool, tmp_path, workflow=TWO) as (client, _):
        await client.chat()
        state = await until(client, lambda state: state["judged"] == 1)

    assert state["wins"] == 1
    assert state["a_request"]["rival"]["calls"] == 2
    assert state["a_request"]["live"]["calls"] == 1


async def test_a_failure_of_the_other_system_is_its_loss_and_nobody_elses(tmp_path):
    rival = Refusing(WorkerError("it is broken", kind="server"))
    async with shadowed(pool_of(Saying(("42",)), rival, Saying(("",))), tmp_path) as (client, _):
        reply = await client.chat()
        state = await until(client, lambda state: state["judged"] == 1)

    assert reply.status == 200
    assert (state["losses"], state["no_answer"]) == (1, 1)


async def test_a_provider_that_is_overloaded_says_nothing_about_the_system(tmp_path):
    rival = Refusing(WorkerError("too many requests", kind="rate_limit"))
    async with shadowed(pool_of(Saying(("42",)), rival, Saying(("",))), tmp_path) as (client, _):
        await client.chat()
        state = await until(client, lambda state: state["given_up"] == 1)

    assert state["judged"] == 0


async def test_a_judge_without_a_verdict_counts_for_nobody(tmp_path):
    pool = pool_of(Saying(("42",)), Saying(("41",)), Saying(("Both are nice.",)))
    async with shadowed(pool, tmp_path) as (client, _):
        await client.chat()
        state = await until(client, lambda state: state["no_verdict"] == 1)

    assert state["judged"] == 0


async def test_a_judge_that_prefers_a_place_makes_a_tie(tmp_path):
    pool = pool_of(Saying(("42",)), Saying(("41",)), Saying(("VERDICT: A",)))
    async with shadowed(pool, tmp_path) as (client, _):
        await client.chat()
        state = await until(client, lambda state: state["judged"] == 1)

    assert (state["ties"], state["torn"]) == (1, 1)


async def test_it_pauses_when_its_own_budget_is_spent_and_live_requests_go_on(tmp_path):
    models = Saying(("42",)), Saying(("41",)), Verdicts("41")
    pool = pool_of(*models, price=DOLLAR, sampling=Sampling(max_tokens=100))
    # The rival's worst case is its prompt and its limit; what the judge may read is far more.
    worst = 12 + 16 + 100
    async with shadowed(pool, tmp_path, usd=str(worst + 10)) as (client, _):
        first = await client.chat()
        state = await until(client, lambda state: state["state"] == "paused")
        second = await client.chat()
        after = await until(client, lambda state: state["skipped"].get("budget") == 1)

    assert (first.status, second.status) == (200, 200)
    assert first.headers["x-partbook-cost-usd"] == "15"
    assert (state["given_up"], state["judged"]) == (1, 0)
    assert Decimal(after["usd_today"]) == 15
    assert len(models[1].heard) == 1


async def test_a_restart_knows_the_verdict_and_what_was_spent_today(tmp_path):
    def pool():
        return pool_of(Saying(("42",)), Saying(("41",)), Verdicts("41"), price=DOLLAR)

    async with shadowed(pool(), tmp_path, usd="100000") as (client, _):
        await client.chat()
        before = await until(client, lambda state: state["judged"] == 1)
    async with shadowed(pool(), tmp_path, usd="100000") as (client, _):
        after = (await client.get("/v1/shadow")).body

    assert (after["wins"], after["usd_today"]) == (1, before["usd_today"])
    assert Decimal(after["usd_today"]) == 45


async def test_it_ends_by_its_rule_and_asks_nobody_any_more(tmp_path):
    models = Saying(("42",)), Saying(("41",)), Verdicts("41")
    async with shadowed(pool_of(*models), tmp_path, pairs=2) as (client, _):
        for _ in range(2):
            await client.chat()
        state = await until(client, lambda state: state["stopped"] is not None)
        await client.chat()

    assert (state["stopped"], state["state"]) == ("pairs", "stopped")
    assert len(models[1].heard) == 2


async def test_it_gives_way_to_a_live_request_where_models_are_shared(tmp_path):
    live, rival = Saying(("42",)), Stepwise()
    async with shadowed(pool_of(live, rival, Verdicts("41")), tmp_path, gives_way=True) as (
        client,
        _,
    ):
        await client.chat()
        async with asyncio.timeout(5):
            await rival.reached.wait()
        second = await client.chat()
        async with asyncio.timeout(5):
            await rival.cancelled.wait()
        for piece in ("41", None, "41", None):
            rival.pieces.put_nowait(piece)
        state = await until(client, lambda state: state["judged"] == 2)

    assert second.status == 200
    assert state["wins"] == 2


async def test_what_runs_at_the_end_of_the_server_is_cancelled(tmp_path):
    rival = Stepwise()
    async with shadowed(pool_of(Saying(("42",)), rival, Saying(("",))), tmp_path) as (client, _):
        await client.chat()
        async with asyncio.timeout(5):
            await rival.reached.wait()

    assert rival.cancelled.is_set()
    last = json.loads((tmp_path / "shadow.jsonl").read_text().splitlines()[-1])
    assert last["pair"]["outcome"] == "given up"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"n": 2}, "several choices"),
        ({"model": "partbook/w0"}, "another model"),
        ({"messages": [{"role": "user", "content": "x" * 50_000}]}, "too long"),
    ],
)
async def test_what_cannot_be_compared_is_not_taken(tmp_path, body, why):
    pool = pool_of(Saying(("42",)), Saying(("41",)), Saying(("",)))
    async with shadowed(pool, tmp_path) as (client, _):
        reply = await client.chat(**body)
        state = (await client.get("/v1/shadow")).body

    assert reply.status == 200
    assert state["skipped"] == {why: 1}
    assert state["taken"] == 0


async def test_what_was_said_is_kept_only_where_runs_are_kept(tmp_path):
    pool = pool_of(Saying(("42",)), Saying(("41",)), Verdicts("41"))
    for keep in (None, lambda trace: None):
        async with shadowed(pool, tmp_path, keep=keep) as (client, _):
            await client.chat()
            await until(client, lambda state: state["waiting"] == 0 and state["judged"] > 0)

    lines = [json.loads(line) for line in (tmp_path / "shadow.jsonl").read_text().splitlines()]
    kept = [line["pair"]["kept"] for line in lines if "pair" in line]
    assert kept == [None, {"question": "What is 6*7?", "live": "42", "rival": "41"}]


async def test_the_queue_is_bounded(tmp_path):
    rival = Stepwise()
    pool = pool_of(Saying(("42",), usage=Usage(1, 1)), rival, Saying(("",)), price=FREE)
    async with shadowed(pool, tmp_path) as (client, _):
        await asyncio.gather(*(client.chat() for _ in range(105)))
        state = await until(client, lambda state: bool(state["skipped"]))

    assert (state["waiting"], state["skipped"]) == (100, {"queue full": 4})


def test_the_draw_is_by_a_hash_and_about_as_large_as_it_should_be():
    drawn = [f"run-{i}" for i in range(2000) if is_drawn(f"run-{i}", 0, 0.1)]

    assert 160 < len(drawn) < 240
    assert all(is_drawn(run_id, 0, 0.2) for run_id in drawn)
    assert drawn != [f"run-{i}" for i in range(2000) if is_drawn(f"run-{i}", 1, 0.1)]
