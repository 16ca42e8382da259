import random
from decimal import Decimal

import pytest

from partbook.errors import ConfigError
from partbook.message import Usage
from partbook.price import Price
from partbook.simulate.figures import (
    Assumed,
    Call,
    Mix,
    Plan,
    PlannedRound,
    PlannedStep,
    Sampled,
    WorkerFigures,
)
from partbook.simulate.outcome import percentile

USAGE = Usage(1000, 200)


def test_assumed_calls_have_the_stated_quantiles():
    calls = Assumed(2.0, 10.0, USAGE, "assumed")
    rng = random.Random(0)

    seconds = sorted(calls.draw(rng).seconds for _ in range(20_000))

    assert percentile(seconds, 0.5) == pytest.approx(2.0, rel=0.05)
    assert percentile(seconds, 0.95) == pytest.approx(10.0, rel=0.05)


def test_a_call_without_spread_takes_the_same_every_time():
    calls = Assumed(2.0, 2.0, USAGE, "assumed")

    assert calls.draw(random.Random(0)) == Call(2.0, USAGE)


@pytest.mark.parametrize(("p50_s", "p95_s"), [(3.0, 2.0), (0.0, 2.0), (-1.0, 2.0)])
def test_quantiles_that_no_distribution_has_are_refused(p50_s, p95_s):
    with pytest.raises(ConfigError, match="p50_s <= p95_s"):
        Assumed(p50_s, p95_s, USAGE, "f.toml")


def test_a_measured_call_is_drawn_whole():
    short, long = Call(1.0, Usage(10, 1)), Call(9.0, Usage(10, 90))
    calls = Sampled((short, long), "measured")
    rng = random.Random(1)

    assert {calls.draw(rng) for _ in range(50)} == {short, long}


def test_an_unknown_price_is_not_nothing_but_no_tokens_are():
    unpriced = WorkerFigures("w", Assumed(1, 1, USAGE, "a"), None)
    priced = WorkerFigures("w", Assumed(1, 1, USAGE, "a"), Price(Decimal(1), Decimal(5)))

    assert unpriced.cost_usd(USAGE) is None
    assert unpriced.cost_usd(Usage()) == 0
    assert priced.cost_usd(USAGE) == Decimal("0.002")


def test_plans_are_drawn_by_their_shares():
    often, seldom = (Plan((PlannedRound(0, (PlannedStep(name),)),)) for name in "ab")
    mix = Mix((often, seldom), (9, 1), "stated")
    rng = random.Random(0)

    drawn = [mix.draw(rng) for _ in range(2000)]

    assert drawn.count(often) / 2000 == pytest.approx(0.9, abs=0.02)


@pytest.mark.parametrize("shares", [(), (0.0,), (-1.0,), (1.0, 1.0)])
def test_shares_that_are_none_are_refused(shares):
    with pytest.raises(ConfigError, match="share"):
        Mix((Plan((PlannedRound(0, (PlannedStep("a"),)),)),), shares, "stated")
