"""Estimates: calls as they will come, and nobody asked."""

from dataclasses import replace
from decimal import Decimal

import pytest

from partbook.budget import Limits
from partbook.conduct import Conductor
from partbook.evaluate.posed import lab_posed
from partbook.evaluate.running.estimate import estimate
from partbook.evaluate.running.rehearsing import dearest, learning_estimates, rehearsed_systems
from partbook.evaluate.systems.catalogue import parse_systems
from partbook.evaluate.systems.conducted import Conducted, Policy
from partbook.pool import AgentPool
from partbook.price import FREE, Price
from tests.evaluate.world import Knows, alone, chain, posed
from tests.fakes import pool_of

PRICE = Price(Decimal(1), Decimal(10))


async def test_calls_are_counted_as_they_come_and_nobody_is_asked():
    models = Knows(), Knows()
    pool = pool_of(*models, price=PRICE)

    found = await estimate([alone("w0"), chain("w0", "w1")], posed(50, pool), 2, answer_tokens=100)

    assert [one.calls for one in found] == [100.0, 200.0]
    assert [one.completion_tokens for one in found] == [10_000.0, 20_000.0]
    assert models[0].asked == models[1].asked == []


async def test_what_a_later_step_reads_is_in_its_prompt():
    pool = pool_of(Knows(), Knows(), price=PRICE)

    once, twice = await estimate([alone("w0"), chain("w0", "w1")], posed(12, pool))

    # The second step reads an answer of 400 tokens.
    assert twice.prompt_tokens - 2 * once.prompt_tokens > 12 * 380


async def test_money_is_that_of_the_tokens_and_unknown_where_a_price_is():
    pool = pool_of(Knows(), price=PRICE)
    unknown = pool_of(Knows(), price=None)

    known = (await estimate([alone("w0")], posed(10, pool), answer_tokens=1000))[0]
    other = (await estimate([alone("w0")], posed(10, unknown)))[0]

    tokens = Decimal(str(known.prompt_tokens)) + 10 * Decimal(str(known.completion_tokens))
    assert known.usd == tokens / 1_000_000
    assert known.most_usd is not None
    # Ten answers of 4096 tokens at $10 a million.
    assert Decimal("0.4096") < known.most_usd < Decimal("0.42")
    assert (other.usd, other.most_usd) == (None, None)


async def test_a_conductor_is_taken_to_write_three_steps():
    pool = pool_of(Knows(), Knows(), price=PRICE)
    system = Conducted("prompted", Conductor(Knows(), price=PRICE))

    found = (await estimate([system], posed(10, pool)))[0]

    assert found.calls == 40.0


async def test_a_limit_per_problem_is_in_the_estimate():
    pool = pool_of(Knows(), price=PRICE)

    found = await estimate([chain(*["w0"] * 5)], posed(10, pool), each=Limits(calls=2))

    assert found[0].calls == 20.0


async def test_a_limit_below_one_call_leaves_nothing_of_any_system():
    pool = pool_of(Knows(), Knows(), price=PRICE)
    choices = parse_systems("worker:w0,moa:2,routerdc,smoothie:dependent", pool, _ALL)
    systems = await rehearsed_systems(choices, pool, None, None)

    found = await estimate(systems, posed(4, pool), each=Limits(usd=Decimal("0.0000001")))

    assert [one.calls for one in found] == [0.0] * 4


async def test_every_system_of_the_catalogue_can_be_rehearsed():
    problems = lab_posed(8)
    pool = problems[0].pool
    choices = parse_systems("all,prompted,trained,recursive", pool, _ALL)
    policy = Policy(Knows(), price=FREE)

    systems = await rehearsed_systems(choices, pool, policy, policy)
    found = {one.system: one.calls / 8 for one in await estimate(systems, problems)}

    assert [system.name for system in systems] == [choice.name for choice in choices]
    for choice in choices:
        fewest, most = choice.calls(pool)
        assert fewest <= found[choice.name] <= most, choice.name
    assert found["moa:3"] == 17.0
    assert found["trained"] == 4.0


async def test_what_learning_takes_is_estimated_beside_the_systems():
    pytest.importorskip("numpy", reason="needs pip install 'partbook[eval]'")
    pool = pool_of(Knows(), Knows(), price=PRICE)
    choices = parse_systems("best,masrouter,worker:w0", pool, _ALL)

    found = await learning_estimates(choices, pool, posed(10, pool), 30, 100)

    # Two workers on 30 problems; then 10 epochs of 4 teams of up to 4 agents.
    assert [(one.system, one.calls) for one in found] == [
        ("(measuring the workers)", 60.0),
        ("(training masrouter)", 30 * 10 * 4 * 4.0),
    ]
    assert await learning_estimates(choices[2:], pool, posed(10, pool), 30, 100) == []


@pytest.mark.parametrize(("second", "name"), [(PRICE, "w1"), (None, "w1"), (FREE, "w0")])
def test_the_dearest_worker_is_one_of_unknown_price_or_that_of_the_highest(second, name):
    cheap = Price(Decimal(1), Decimal(2))
    pool = pool_of(Knows(), Knows(), price=cheap)
    last = replace(pool[1], spec=replace(pool[1].spec, price=second))

    assert dearest(AgentPool("p", (pool[0], last))) == name


_ALL = ("measured", "trial", "encoder", "conductor", "policy")
