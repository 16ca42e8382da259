"""The list of runs, and one run in full."""

import asyncio
import time
from dataclasses import replace
from decimal import Decimal

import pytest

pytest.importorskip("starlette", reason="needs pip install 'partbook[serve]'")

from partbook.page.summary import summary_of, summary_to_dict
from partbook.step_trace import StepTrace
from partbook.store import Store, Tags
from partbook.trace import RoundTrace, Trace
from partbook.workflow import Step, Workflow
from tests.fakes import pool_of
from tests.page.live import ask, followed, kinds, page_serving
from tests.server.live import fixed
from tests.server.models import Saying, Stepwise
from tests.traces import a_trace


def run_of(
    run_id: str,
    at: float,
    question: str = "q",
    usd: str | None = "0.5",
    status: str = "answered",
    worker: str = "ann",
) -> Trace:
    step = StepTrace(0, worker, (), 0.0, 1.0, "yes", cost_usd=None if usd is None else Decimal(usd))
    round_ = RoundTrace((), Workflow((Step(0, "x"),)), "fixed", "plan", (step,), "yes")
    return Trace(run_id, question, "p", (worker,), at, 1.0, status, (round_,))  # type: ignore[arg-type]


async def listed(client, query: str = "") -> list[str]:
    reply = await client.get(f"/page/runs?{query}")
    assert reply.status == 200, reply.body
    return [run["id"] for run in reply.body["runs"]]


async def test_runs_are_filtered(place):
    with Store.open(place) as store:
        store.save(run_of("a", 100.0, "Which heron?", "0.10"), Tags("birds", "exam one", "right"))
        store.save(
            run_of("b", 200.0, "100 % of it", "0.9", "failed"), Tags("sums", verdict="wrong")
        )
        store.save(run_of("c", 300.0, "A bit", None, worker="bob"))
    async with page_serving(pool_of(Saying(("42",))), place) as client:
        found = {
            query: await listed(client, query)
            for query in (
                "",
                "text=HERON",
                "text=%25",
                "text=_",
                "worker=bob",
                "worker=bo",
                "status=failed",
                "task=birds",
                "verdict=wrong",
                "label=exam",
                "min_usd=0.5",
                "max_usd=0.10",
                "since=200",
                "until=200",
                "text=q&worker=ann&until=150",
            )
        }

    assert found == {
        "": ["c", "b", "a"],
        "text=HERON": ["a"],
        "text=%25": ["b"],
        "text=_": [],
        "worker=bob": ["c"],
        "worker=bo": [],
        "status=failed": ["b"],
        "task=birds": ["a"],
        "verdict=wrong": ["b"],
        "label=exam": ["a"],
        "min_usd=0.5": ["b"],
        "max_usd=0.10": ["a"],
        "since=200": ["c", "b"],
        "until=200": ["a"],
        "text=q&worker=ann&until=150": [],
    }


async def test_a_list_goes_on_where_it_was_although_runs_are_added(place):
    with Store.open(place) as store:
        for i in range(5):
            store.save(run_of(f"r{i}", 100.0))  # all at the same moment
        async with page_serving(pool_of(Saying(("42",))), place) as client:
            first = (await client.get("/page/runs?limit=2")).body
            store.save(run_of("new", 900.0))
            second = (await client.get(f"/page/runs?limit=2&before={first['next']}")).body
            third = (await client.get(f"/page/runs?limit=2&before={second['next']}")).body

    parts = [[run["id"] for run in part["runs"]] for part in (first, second, third)]
    assert parts == [["r4", "r3"], ["r2", "r1"], ["r0"]]
    assert third["next"] is None
    assert [part["total"] for part in (first, second, third)] == [5, 6, 6]


async def test_runs_in_memory_and_in_the_store_are_one_list(place):
    with Store.open(place) as store:
        store.save(run_of("old", 100.0))
    worker = Stepwise()
    workflows = {"slow": fixed(("w1", "Answer.", ()), name="slow")}
    pool = pool_of(Saying(("42",)), worker)
    async with page_serving(pool, place, workflows=workflows) as client:
        over = await ask(client)
        await followed(client, over)
        going_on = await ask(client, system="workflow:slow")
        await worker.reached.wait()
        reply = (await client.get("/page/runs")).body
        by_worker = await listed(client, "worker=w1")
        run = (await client.get(f"/page/runs/{going_on}")).body
        await client.post(f"/page/asks/{going_on}/stop", b"")

    assert [(each["id"], each["status"]) for each in reply["runs"]] == [
        (going_on, "running"),
        (over, "answered"),
        ("old", "answered"),
    ]
    assert reply["total"] == 3
    assert by_worker == [going_on]
    assert run["run"]["status"] == "running"


async def test_a_kept_run_stands_in_the_list_once(place):
    async with page_serving(pool_of(Saying(("42",))), place, keep=True) as client:
        run_id = await ask(client)
        await followed(client, run_id)
        reply = (await client.get("/page/runs")).body

    assert [run["id"] for run in reply["runs"]] == [run_id]
    assert reply["total"] == 1


async def test_one_run_has_everything_that_was_said(place):
    with Store.open(place) as store:
        store.save(a_trace())
    async with page_serving(pool_of(Saying(("42",))), place) as client:
        run = (await client.get("/page/runs/run-1")).body
        beginning = await client.get("/page/runs/run")

    assert run["run"] == summary_to_dict(summary_of(a_trace()))
    assert [step["answer"] for step in run["trace"]["rounds"][0]["steps"]] == ["115", "116", "115"]
    assert kinds(run["events"])[:4] == ["run_started", "round_started", "proposed", "planned"]
    assert kinds(run["events"])[-1] == "run_finished"
    assert (beginning.status, beginning.error["code"]) == (404, "run_not_found")


async def test_one_run_says_what_it_was_marked_with(place):
    with Store.open(place) as store:
        store.save_many(
            [a_trace("other"), a_trace("judged")], [Tags(), Tags("sums", "exam one", "right")]
        )
    async with page_serving(pool_of(Saying(("42",))), place) as client:
        run = (await client.get("/page/runs/judged")).body["run"]

    assert (run["task"], run["label"], run["verdict"]) == ("sums", "exam one", "right")


async def test_long_texts_are_cut_in_the_list(place):
    with Store.open(place) as store:
        store.save(replace(a_trace(), question="w" * 1000))
    async with page_serving(pool_of(Saying(("42",))), place) as client:
        [run] = (await client.get("/page/runs")).body["runs"]

    assert run["question"] == "w" * 300


async def test_a_key_in_a_question_is_hidden_even_where_the_question_is_cut(place):
    key = "pb-" + "k" * 43
    with Store.open(place) as store:
        store.save(replace(a_trace("a", 1.0), question=f"My key is {key}."))
        store.save(replace(a_trace("b", 2.0), question=f"{key} " * 90))
    async with page_serving(pool_of(Saying(("42",))), place) as client:
        cut, whole = (await client.get("/page/runs")).body["runs"]

    assert whole["question"] == "My key is [key]."
    assert cut["question"] == "[key] " * 50


@pytest.mark.parametrize(
    ("query", "param"),
    [
        ("limit=0", "limit"),
        ("limit=201", "limit"),
        ("limit=many", "limit"),
        ("before=yesterday", "before"),
        ("min_usd=much", "min_usd"),
        ("max_usd=NaN", "max_usd"),
        ("since=nan", "since"),
        ("until=inf", "until"),
    ],
)
async def test_a_wrong_filter_is_named(place, query, param):
    async with page_serving(pool_of(Saying(("42",))), place) as client:
        reply = await client.get(f"/page/runs?{query}")

    assert (reply.status, reply.error["param"]) == (400, param)


async def test_ten_thousand_runs_are_listed_about_as_fast_as_a_hundred(place):
    async def quickest(client) -> float:
        """CPU seconds of this process, the browser's part included."""
        found = []
        for _ in range(5):
            begun = time.process_time()
            reply = await client.get("/page/runs")
            found.append(time.process_time() - begun)
            assert len(reply.body["runs"]) == 50
        return min(found)

    seconds = []
    for count in (100, 10_000):
        file = place.with_name(f"{count}.db")
        with Store.open(file) as store:
            store.save_many([run_of(f"{i:06}", float(i)) for i in range(count)])
        async with page_serving(pool_of(Saying(("42",))), file) as client:
            await asyncio.to_thread(time.process_time)  # the thread is there
            seconds.append(await quickest(client))

    few, many = seconds
    assert many < 0.05
    assert many < 5 * few + 0.005
