"""Runs that are begun from the page: events, reloading, stopping, limits, what stays."""

import asyncio
import io
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise

import pytest

pytest.importorskip("starlette", reason="needs pip install 'partbook[serve]'")

from partbook.conduct import Conductor, Fixed
from partbook.errors import WorkerError
from partbook.message import Completion, Message, Sampling, Usage
from partbook.model import OnText
from partbook.price import FREE, Price
from partbook.store import Store
from tests.fakes import pool_of
from tests.page.live import QUESTION, ask, events_in, followed, kinds, page_serving, refused
from tests.server.live import ONE, TWO, fixed
from tests.server.models import Refusing, Saying, Stepwise

PLAN = "model_id = [0, 1]\nsubtasks = ['Think.', 'Answer.']\naccess_list = [[], 'all']"

WHOLE = [
    "run_started",
    "round_started",
    "planned",
    "step_started",
    "step_finished",
    "round_finished",
    "run_finished",
    "ended",
]


async def test_a_question_is_answered_and_every_event_is_told(place):
    async with page_serving(pool_of(Saying(("It is 42.",))), place) as client:
        run_id = await ask(client)
        events = await followed(client, run_id)

    assert kinds(events) == WHOLE
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert "".join(e["text"] for e in events if e["type"] == "step_text") == "It is 42."
    assert events[0]["run_id"] == run_id
    assert events[0]["question"] == QUESTION
    planned = next(event for event in events if event["type"] == "planned")
    assert planned["workflow"] == {"steps": [{"worker": 0, "subtask": "Answer.", "access": []}]}
    assert events[-1]["run"]["answer"] == "It is 42."
    assert events[-1]["run"]["cost_usd"] == "0"
    assert all(a["at_s"] <= b["at_s"] for a, b in pairwise(events))


async def test_what_the_conductor_writes_is_told_as_it_writes(place):
    proposer = Conductor(Saying((PLAN,)), price=FREE)
    async with page_serving(pool_of(Saying(("a",)), Saying(("b",))), place, proposer) as client:
        events = await followed(client, await ask(client, effort="high"))

    assert "".join(e["text"] for e in events if e["type"] == "proposal_text") == PLAN
    assert kinds(events)[2:4] == ["proposed", "planned"]
    assert events[-1]["run"]["source"] == "conductor"


async def test_a_page_that_is_loaded_again_goes_on_where_it_was(place):
    worker = Stepwise()
    async with page_serving(pool_of(worker), place) as client:
        run_id = await ask(client)
        await worker.reached.wait()
        path = f"{client.url}/page/asks/{run_id}/events"
        async with client.session.get(path) as reply:
            first = events_in((await reply.content.readuntil(b"step_started")).decode() + '"}')
        worker.pieces.put_nowait("It is 42.")
        worker.pieces.put_nowait(None)
        again = await followed(client, run_id, after=len(first))
        whole = await followed(client, run_id)

    assert len(first) > 0
    assert [event["seq"] for event in again] == list(range(len(first) + 1, len(whole) + 1))
    assert again == whole[len(first) :]
    assert kinds(whole) == WHOLE


async def test_a_stopped_run_cancels_its_calls_within_a_second(place):
    worker = Stepwise()
    async with page_serving(pool_of(worker), place) as client:
        run_id = await ask(client)
        await worker.reached.wait()
        begun = time.monotonic()
        stopped = await client.post(f"/page/asks/{run_id}/stop", b"")
        async with asyncio.timeout(1):
            await worker.cancelled.wait()
        events = await followed(client, run_id)
        seconds = time.monotonic() - begun

    assert stopped.status == 202
    assert seconds < 1
    assert kinds(events)[-2:] == ["run_finished", "ended"]
    assert (events[-2]["status"], events[-2]["reason"]) == ("stopped", "interrupted")


async def test_a_run_goes_on_when_nobody_watches(place):
    worker = Stepwise()
    async with page_serving(pool_of(worker), place) as client:
        run_id = await ask(client)
        async with client.session.get(f"{client.url}/page/asks/{run_id}/events") as reply:
            await reply.content.readuntil(b"step_started")
        worker.pieces.put_nowait("42")
        worker.pieces.put_nowait(None)
        events = await followed(client, run_id)

    assert not worker.cancelled.is_set()
    assert events[-1]["run"]["status"] == "answered"


async def test_after_a_restart_nobody_knows_the_run(place):
    async with page_serving(pool_of(Saying(("42",))), place) as client:
        run_id = await ask(client)
        await followed(client, run_id)
    async with page_serving(pool_of(Saying(("42",))), place) as client:
        events = await client.get(f"/page/asks/{run_id}/events")
        stop = await client.post(f"/page/asks/{run_id}/stop", b"")
        run = await client.get(f"/page/runs/{run_id}")

    assert [reply.status for reply in (events, stop, run)] == [404, 404, 404]
    assert events.error["code"] == "run_not_found"


async def test_after_a_restart_a_run_that_was_kept_can_be_looked_at(place):
    async with page_serving(pool_of(Saying(("42",))), place, keep=True) as client:
        run_id = await ask(client)
        await followed(client, run_id)
    async with page_serving(pool_of(Saying(("42",))), place, keep=True) as client:
        run = await client.get(f"/page/runs/{run_id}")

    assert run.body["run"]["answer"] == "42"
    assert kinds(run.body["events"]) == WHOLE[:-1]


async def test_without_keep_nothing_is_written(place):
    async with page_serving(pool_of(Saying(("42",))), place) as client:
        await followed(client, await ask(client))

    with Store.open(place) as store:
        assert store.runs() == []


@dataclass
class Flood:
    """Says the same piece again and again, as fast as it can."""

    piece: str
    times: int
    said: asyncio.Event = field(default_factory=asyncio.Event)

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        for i in range(self.times):
            if on_text is not None:
                on_text(self.piece)
            if i % 1000 == 0:
                await asyncio.sleep(0)
        self.said.set()
        return Completion("done", Usage(1, 1), "flood")


async def test_a_follower_that_reads_nothing_does_not_slow_the_run(place):
    flood = Flood("x" * 1000, 6000)
    async with page_serving(pool_of(flood), place) as client:
        run_id = await ask(client)
        path = f"{client.url}/page/asks/{run_id}/events"
        async with client.session.get(path) as slow:
            async with asyncio.timeout(20):
                await flood.said.wait()
                events = await followed(client, run_id)
            slow.close()

    assert kinds(events)[-1] == "ended"


async def test_a_fast_worker_makes_few_events(place):
    flood = Flood("word ", 20_000)
    async with page_serving(pool_of(flood), place) as client:
        events = await followed(client, await ask(client))

    texts = [event["text"] for event in events if event["type"] == "step_text"]
    assert "".join(texts) == "word " * 20_000
    assert len(texts) < 100


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script></div>",
        "\u202eright to left\u202c \u0000 \ud83d half a pair",
        "W" * 1_000_000,
        "\n\ndata: {}\n\nid: 99\n\n",
    ],
    ids=["tags", "marks", "a megabyte without a space", "events"],
)
async def test_hostile_text_comes_as_json_and_as_nothing_else(place, text):
    async with page_serving(pool_of(Saying((text,))), place) as client:
        run_id = await ask(client)
        events = await followed(client, run_id)
        run = await client.get(f"/page/runs/{run_id}")

    finished = next(event for event in events if event["type"] == "step_finished")
    assert finished["answer"] == text
    assert kinds(events) == WHOLE
    assert run.headers["Content-Type"] == "application/json"
    assert run.headers["X-Content-Type-Options"] == "nosniff"
    assert run.body["trace"]["answer"] == text


async def test_one_worker_alone_is_asked_the_question(place):
    first, second = Saying(("no",)), Saying(("yes",))
    async with page_serving(pool_of(first, second), place) as client:
        events = await followed(client, await ask(client, system="worker:w1"))

    assert first.heard == []
    assert second.heard[0][-1] == Message("user", QUESTION)
    assert events[-1]["run"]["answer"] == "yes"


async def test_a_fixed_workflow_is_played_by_its_name(place):
    workflows = {"two": fixed(("w0", "Think.", ()), ("w1", "Answer.", (0,)), name="two")}
    pool = pool_of(Saying(("a",)), Saying(("b",)))
    async with page_serving(pool, place, workflows=workflows) as client:
        events = await followed(client, await ask(client, system="workflow:two"))

    assert events[-1]["run"]["workflow"] == "two"
    assert events[-1]["run"]["calls"] == 2


async def test_an_excluded_worker_is_not_called(place):
    proposer = Conductor(Saying((PLAN.replace("[0, 1]", "[0, 0]"),)), price=FREE)
    first, second = Saying(("no",)), Saying(("yes",))
    async with page_serving(pool_of(first, second), place, proposer) as client:
        events = await followed(client, await ask(client, exclude=["w0"]))

    assert first.heard == []
    assert events[0]["workers"] == ["w1"]
    assert events[-1]["run"]["answer"] == "yes"


async def test_a_question_that_cannot_be_played_is_refused(place):
    async with page_serving(pool_of(Saying(("a",)), Saying(("b",))), place) as client:
        found = [
            await refused(client, question=" "),
            await refused(client, system="worker:nobody"),
            await refused(client, system="conductor"),
            await refused(client, exclude=["nobody"]),
            await refused(client, exclude=["w0"]),
            await refused(client, exclude=["w0", "w1"]),
            await refused(client, effort="huge"),
            await refused(client, max_usd="-1"),
            await refused(client, max_calls=0),
            await refused(client, timeout_s="soon"),
            await refused(client, rounds=2),
            await refused(client, quest="x"),
        ]

    assert found == [
        (400, "missing_field", "question"),
        (400, "unknown_system", "system"),
        (400, "unknown_system", "system"),
        (400, "unknown_worker", "exclude"),
        (400, "nobody_left", "exclude"),
        (400, "nobody_left", "exclude"),
        (400, "invalid_value", "effort"),
        (400, "invalid_value", "max_usd"),
        (400, "invalid_value", "max_calls"),
        (400, "invalid_value", "timeout_s"),
        (400, "unsupported_parameter", "rounds"),
        (400, "unknown_field", None),
    ]


async def test_limits_of_the_server_and_of_the_question_hold(place):
    dear = Price(Decimal(1_000_000), Decimal(1_000_000))
    pool = pool_of(Saying(("a",)), Saying(("b",)), price=dear)
    async with page_serving(pool, place, Fixed(TWO)) as client:
        by_calls = await followed(client, await ask(client, max_calls=1))
        by_usd = await followed(client, await ask(client, max_usd="0.5"))
        by_time = await followed(client, await ask(client, timeout_s=0.001))

    assert [events[-1]["run"]["reason"] for events in (by_calls, by_usd)] == ["calls", "usd"]
    assert by_time[-1]["run"]["status"] in ("stopped", "answered")


async def test_a_worker_that_fails_ends_the_run_and_says_why(place):
    worker = Refusing(WorkerError("no such luck", kind="auth"))
    async with page_serving(pool_of(worker), place) as client:
        events = await followed(client, await ask(client))

    assert kinds(events)[-3:] == ["step_finished", "run_finished", "ended"]
    assert events[-1]["run"]["status"] == "failed"
    assert "no such luck" in events[-2]["detail"]


@dataclass
class Broken:
    """Fails as only a bug does."""

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        raise ZeroDivisionError("a bug")


async def test_a_bug_ends_the_run_too_and_is_logged(place, caplog):
    async with page_serving(pool_of(Broken()), place) as client:
        events = await followed(client, await ask(client))

    assert kinds(events)[-1] == "ended"
    assert "ZeroDivisionError" in caplog.text


async def test_a_server_that_ends_ends_runs_and_their_followers(place):
    worker = Stepwise()
    async with page_serving(pool_of(worker), place, grace_s=0.2) as client:
        run_id = await ask(client)
        await worker.reached.wait()
        following = asyncio.create_task(followed(client, run_id))
        client.server.should_exit = True
        async with asyncio.timeout(10):
            events = await following

    assert worker.cancelled.is_set()
    assert kinds(events)[-2:] == ["run_finished", "ended"]


async def test_a_run_that_nobody_watches_is_kept_when_the_server_ends(place):
    cut, whole = Stepwise(), Stepwise()
    workflows = {"cut": fixed(("w1", "Answer.", ()), name="cut")}
    async with page_serving(
        pool_of(whole, cut), place, keep=True, grace_s=0.5, workflows=workflows
    ) as client:
        first, second = await ask(client), await ask(client, system="workflow:cut")
        await cut.reached.wait()
        client.server.should_exit = True
        whole.pieces.put_nowait("42")
        whole.pieces.put_nowait(None)

    with Store.open(place) as store:
        found = {row.run_id: (row.status, row.reason) for row in store.runs()}
    assert found == {first: ("answered", None), second: ("stopped", "interrupted")}


async def test_silence_is_filled_with_comments(place):
    worker = Stepwise()
    async with page_serving(pool_of(worker), place, routes={"keep_alive_s": 0.05}) as client:
        run_id = await ask(client)
        async with client.session.get(f"{client.url}/page/asks/{run_id}/events") as reply:
            text = await reply.content.readuntil(b": waiting\n\n")
        await client.post(f"/page/asks/{run_id}/stop", b"")

    assert text.endswith(b"\n\n: waiting\n\n")


async def test_what_runs_of_the_page_took_is_in_the_metrics(place):
    async with page_serving(pool_of(Saying(("42",))), place) as client:
        await followed(client, await ask(client))
        metrics = (await client.get("/metrics")).body

    assert "partbook_calls_total 1" in metrics


async def test_only_the_latest_runs_stay_and_those_that_go_on(place):
    pool = pool_of(Saying(("42",)), Stepwise())
    workflows = {"slow": fixed(("w1", "Answer.", ()), name="slow")}
    async with page_serving(pool, place, workflows=workflows, routes={"most_asks": 2}) as client:
        going_on = await ask(client, system="workflow:slow")
        ids = []
        for _ in range(3):
            ids.append(await ask(client))
            await followed(client, ids[-1])
        listed = [run["id"] for run in (await client.get("/page/runs")).body["runs"]]
        await client.post(f"/page/asks/{going_on}/stop", b"")

    assert listed == [ids[-1], going_on]


async def test_no_more_runs_go_on_at_once_than_stay(place):
    worker = Stepwise()
    async with page_serving(pool_of(worker), place, routes={"most_asks": 1}) as client:
        going_on = await ask(client)
        found = await refused(client)
        await client.post(f"/page/asks/{going_on}/stop", b"")

    assert found == (503, "server_busy", None)


async def test_a_body_that_is_no_question_is_refused(place):
    async with page_serving(pool_of(Saying(("42",))), place) as client:
        nothing = await client.post("/page/asks", b"")
        long = await client.post("/page/asks", json.dumps({"question": "x" * 300_000}).encode())
        body = io.BytesIO(b"x" * 3_000_000)
        async with client.session.post(f"{client.url}/page/asks", data=body) as longer:
            status = longer.status

    assert [reply.status for reply in (nothing, long)] == [400, 400]
    assert status == 413


async def test_the_first_worker_answers_where_nothing_is_said(place):
    async with page_serving(pool_of(Saying(("42",))), place, Fixed(ONE)) as client:
        about = (await client.get("/page/about")).body

    assert about["default_system"] == "workflow:plan"
