"""Who answers a comparison, and that all answer at once within one limit."""

import asyncio
from decimal import Decimal

import pytest

from partbook.budget import Budget, Limits
from partbook.cli.compare_systems import Room, System, opened_room, usual_systems, wished_systems
from partbook.conduct import Fixed
from partbook.config import load_pool
from partbook.errors import ConfigError
from partbook.fixed import FixedStep, FixedWorkflow
from partbook.store import Store
from tests.fakes import Echo, Failing, Gate, Meeting, pool_of


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "runs.db") as opened:
        yield opened


def room(store, *models, budget=None):
    """A room in which each worker alone is a system."""
    pool = pool_of(*models)
    plans = [
        FixedWorkflow("single", "", (FixedStep(f"w{i}", "Answer."),)) for i in range(len(models))
    ]
    lab = load_pool("lab")
    systems = [System(f"single:w{i}", usual_systems(lab)[0].choice) for i in range(len(models))]
    proposers = [Fixed(plan) for plan in plans]
    return Room(pool, systems, proposers, Limits(), budget or Budget(), store)


def test_usually_a_worker_alone_stands_beside_what_the_pool_does():
    assert [s.name for s in usual_systems(load_pool("embedded"))] == ["single:reader", "conductor"]
    assert [s.name for s in usual_systems(load_pool("lab"))] == ["single:gus", "workflow:chain"]


def test_systems_are_asked_for_by_name_role_or_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\n[[steps]]\nworker = "general"\nsubtask = "Answer."\n')
    wishes = [f"single:check, workflow:{path}", "conductor"]

    systems = wished_systems(wishes, load_pool("embedded"))

    assert [s.name for s in systems] == ["single:reader", f"workflow:{path}", "conductor"]
    assert systems[2].choice.outside is not None
    assert systems[2].choice.outside.text == "embedded"


@pytest.mark.parametrize(
    ("wish", "pool", "says"),
    [
        ("single:reader", "embedded", "at least two were expected"),
        ("single:reader,single:check", "embedded", "each system once"),
        ("single:rader,conductor", "embedded", "no worker with the name or role 'rader'"),
        ("singel:reader,conductor", "embedded", "one of single:WORKER, workflow:NAME"),
        ("single:,conductor", "embedded", "one of single:WORKER"),
        ("workflow:pannel,conductor", "embedded", "did you mean 'panel'"),
        ("workflow:code-then-run,single:gus", "lab", "no worker with the name or role 'code'"),
        ("conductor,single:gus", "lab", "names no Conductor; say who: conductor:WHO"),
    ],
)
def test_what_cannot_answer_is_refused_before_anybody_is_asked(wish, pool, says):
    with pytest.raises(ConfigError, match=says):
        wished_systems([wish], load_pool(pool))


async def test_systems_answer_at_once_and_each_run_is_kept(store):
    meeting = Meeting(2)

    traces = await room(store, meeting, meeting).play("Why?")

    assert [trace.answer for trace in traces] == ["met", "met"]
    assert {row.run_id for row in store.runs()} == {trace.run_id for trace in traces}


async def test_one_by_one_no_two_are_asked_at_the_same_time(store):
    gate, echo = Gate(), Echo("second")
    playing = asyncio.create_task(room(store, gate, echo).play("Why?", at_once=False))
    await gate.reached.wait()
    heard_before = len(echo.heard)
    gate.opened.set()

    traces = await playing

    assert heard_before == 0
    assert [trace.answer for trace in traces] == ["through", "second(Answer.)"]


async def test_a_system_that_fails_does_not_stop_the_others(store):
    traces = await room(store, Failing(), Echo("second")).play("Why?")

    assert [trace.status for trace in traces] == ["failed", "answered"]


async def test_what_was_paid_for_is_kept_when_the_user_gives_up(store):
    gate = Gate()
    playing = asyncio.create_task(room(store, Echo("first"), gate).play("Why?"))
    await gate.reached.wait()

    playing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await playing

    assert sorted(row.status for row in store.runs()) == ["answered", "stopped"]


async def test_the_limit_in_dollars_holds_for_all_systems_together(store):
    config = load_pool("lab")
    systems = usual_systems(config)

    async def statuses(usd: str):
        limits = Limits(usd=Decimal(usd))
        async with opened_room(config, systems, limits, store) as opened:
            traces = await opened.play("Count the vowels in the word castle.", at_once=False)
            return [(t.status, t.reason) for t in traces], opened.budget.usd, traces

    whole, spent, traces = await statuses("1")
    short, _, _ = await statuses("0.05")

    assert whole == [("answered", None), ("answered", None)]
    assert spent == sum(trace.cost_usd for trace in traces)
    assert short[1] == ("stopped", "usd")


async def test_a_limit_in_dollars_needs_every_price(store, tmp_path):
    path = tmp_path / "pool.toml"
    path.write_text(
        'name = "mine"\nworkflow = "chain"\n[[workers]]\nname = "far"\nkind = "http"\n'
        'model = "of-nobody"\nendpoint = "http://127.0.0.1:9/v1"\nroles = ["general", "check"]\n'
    )
    config = load_pool(str(path))
    room = opened_room(config, usual_systems(config), Limits(usd=Decimal(1)), store)

    with pytest.raises(ConfigError, match="needs the price of every worker; unknown: far"):
        async with room:
            pass
