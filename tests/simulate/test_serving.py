import random
from dataclasses import replace
from decimal import Decimal

import pytest

from partbook.message import Usage
from partbook.price import Price
from partbook.simulate.figures import (
    Assumed,
    Mix,
    Plan,
    PlannedRound,
    PlannedStep,
    Provider,
    WorkerFigures,
)
from partbook.simulate.serving import Endpoint, Stage, arrivals, bounds, serve

PRICE = Price(Decimal(1), Decimal(10))


def figures(name: str, seconds: float = 1.0, **more) -> WorkerFigures:
    more = {"price": PRICE, "max_concurrency": 4, **more}
    return WorkerFigures(name, Assumed(seconds, seconds, Usage(1000, 100), "assumed"), **more)


def stage(*workers: WorkerFigures, steps=None, proposals: int = 0, **more) -> Stage:
    by_name = {worker.name: worker for worker in workers}
    named = steps or [(name, ()) for name in by_name if name != "(conductor)"]
    plan = Plan((PlannedRound(proposals, tuple(PlannedStep(*step) for step in named)),))
    return Stage(by_name, Mix((plan,), (1.0,), "stated"), **more)


def test_a_request_takes_its_conductor_and_its_longest_chain():
    played = stage(
        figures("a", 2.0),
        figures("b", 3.0),
        figures("c", 1.0),
        figures("(conductor)", 0.5),
        steps=[("a", ()), ("b", ()), ("c", (0, 1))],
        proposals=2,
    )

    found = serve(played, [0.0], seed=0)

    assert found.latencies_s == [pytest.approx(5.0)]
    assert found.waited_s == pytest.approx(0.0)
    assert found.usd == Decimal("0.002") * 5


def test_the_same_seed_gives_the_same_and_another_one_something_else():
    calls = Assumed(1.0, 4.0, Usage(10, 10), "assumed")
    played = stage(replace(figures("a"), calls=calls))
    moments = arrivals(2.0, 60.0, random.Random(0))

    assert serve(played, moments, 1) == serve(played, moments, 1)
    assert serve(played, moments, 1).latencies_s != serve(played, moments, 2).latencies_s


def test_requests_come_at_their_rate():
    moments = arrivals(20.0, 500.0, random.Random(0))

    assert len(moments) / 500 == pytest.approx(20.0, rel=0.03)
    assert moments == sorted(moments)


def test_beyond_a_workers_limit_answers_come_at_that_limit_and_waits_grow():
    played = stage(figures("a", 1.0, max_concurrency=4))
    moments = arrivals(8.0, 100.0, random.Random(0))

    found = serve(played, moments, 0)

    assert found.per_s == pytest.approx(4.0, rel=0.03)
    assert found.uses[0].busy == pytest.approx(1.0, abs=0.02)
    assert found.latencies_s[-1] == pytest.approx(len(moments) / 4 - moments[-1], rel=0.1)
    assert found.left > 300
    assert found.answered == len(moments)


@pytest.mark.parametrize(
    ("worker", "expected"),
    [
        (figures("a", 2.0, max_concurrency=4), ("a", "concurrency", 2.0)),
        (figures("a", 2.0, requests_per_minute=30), ("a", "requests a minute", 0.5)),
        (figures("a", 2.0, provider=Provider(1)), ("a", "the provider", 0.5)),
        (
            figures("a", 0.001, tokens_per_minute=33_000, max_tokens=100),
            ("a", "tokens a minute", 0.5),
        ),
    ],
)
def test_who_is_full_first_and_at_which_rate_is_known_beforehand(worker, expected):
    first = bounds(stage(worker), 0)[0]

    assert (first.worker, first.limit) == expected[:2]
    assert first.per_s == pytest.approx(expected[2], rel=0.01)


def test_the_rate_at_which_a_worker_is_full_is_the_rate_that_it_does():
    played = stage(figures("a", 0.5, requests_per_minute=60, max_concurrency=50))
    limit = bounds(played, 0)[0].per_s

    found = serve(played, arrivals(3 * limit, 900.0, random.Random(0)), 0)

    assert found.per_s == pytest.approx(limit, rel=0.08)


def test_one_unknown_price_makes_the_dollars_unknown():
    found = serve(stage(figures("a"), figures("b", price=None)), [0.0, 1.0], 0)

    assert found.usd is None
    assert found.usd_per_hour is None


def test_a_request_is_cut_off_at_its_deadline_and_leaves_its_turn_to_others():
    slow = figures("a", 10.0, max_concurrency=1)

    found = serve(stage(slow, timeout_s=12.0), [0.0, 1.0, 12.0], 0)

    assert (found.answered, found.timed_out) == (2, 1)
    assert found.latencies_s == [pytest.approx(10.0), pytest.approx(11.0)]


def test_more_requests_at_once_than_the_server_has_are_refused():
    found = serve(stage(figures("a", 10.0), endpoint=Endpoint(most=2)), [0.0, 1.0, 2.0, 30.0], 0)

    assert (found.refused, found.answered, found.peak) == (1, 3, 2)


def test_a_server_whose_processor_is_full_holds_requests_up():
    busy = Endpoint(cpu_s=0.5)

    found = serve(stage(figures("a", 1.0), endpoint=busy), [0.0, 0.0, 0.0, 10.0], 0)

    assert found.latencies_s == [pytest.approx(s) for s in (1.5, 1.5, 2.0, 2.5)]
    assert bounds(stage(figures("a", 0.1), endpoint=busy), 0)[0].worker == "(endpoint)"


def test_calls_that_a_provider_refuses_are_made_again_when_it_said():
    refusing = figures("a", 1.0, provider=Provider(1, True, 3.0), retries=2)

    found = serve(stage(refusing), [0.0, 0.5], 0)

    assert found.latencies_s[0] == pytest.approx(1.0)
    assert 4.0 <= found.latencies_s[1] <= 4.5
    assert found.uses[0].calls == 1.5
    assert found.usd == Decimal("0.004")
