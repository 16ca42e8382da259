from decimal import Decimal

import pytest

from partbook.errors import ConfigError
from partbook.ledger import CONDUCTOR
from partbook.message import Sampling, Usage
from partbook.pool import WorkerSpec
from partbook.price import Price
from partbook.simulate.assumed import Stated, StatedWorker
from partbook.simulate.figures import Assumed, Mix, Plan, PlannedRound, PlannedStep
from partbook.simulate.measured import Measurement
from partbook.simulate.serving import serve
from partbook.simulate.staging import Sources, fixed_mix, stage_of, steps_mix, unpriced
from partbook.workflow import Step, Workflow
from tests.simulate.test_measured import a_run
from tests.traces import a_trace

CALLS = Assumed(1.0, 2.0, Usage(100, 10), "assumed")
PRICE = Price(Decimal(1), Decimal(5))


def spec(name: str, **more) -> WorkerSpec:
    return WorkerSpec(name, "http", **more)


def mix_of(*names: str, proposals: int = 0) -> Mix:
    steps = tuple(PlannedStep(name) for name in names)
    return Mix((Plan((PlannedRound(proposals, steps),)),), (1.0,), "stated")


def test_stated_goes_before_measured_and_measured_before_assumed():
    measured = Measurement("the store")
    measured.add(a_run(0.0, 3.0))
    own = Assumed(7.0, 7.0, Usage(1, 1), "f.toml")

    both = Sources((measured,), Stated({"w": StatedWorker(own)}), CALLS)

    assert both.figures_of(spec("w")).calls is own
    only = Sources((measured,), calls=CALLS)
    assert only.figures_of(spec("w")).calls.source == "the store: 1 call"
    assert only.figures_of(spec("v")).calls is CALLS


def test_a_worker_without_figures_is_an_error_that_says_how_to_give_some():
    with pytest.raises(ConfigError, match=r"no figures for the calls of worker 'a'; .*--figures"):
        stage_of([spec("a")], Sources(), mix_of("a"))


def test_who_is_not_called_needs_no_figures():
    measured = Measurement("the store")
    measured.add(a_run(0.0, 3.0))

    stage = stage_of([spec("w"), spec("other")], Sources((measured,)), mix_of("w"))

    assert list(stage.workers) == ["w"]


def test_fallbacks_and_anybody_bring_their_workers():
    specs = [spec("a", fallbacks=("c",)), spec("b"), spec("c")]

    assert list(stage_of(specs, Sources(calls=CALLS), mix_of("a")).workers) == ["a", "c"]
    everybody = stage_of(specs, Sources(calls=CALLS), steps_mix(2, "stated"))
    assert list(everybody.workers) == ["a", "b", "c"]


def test_limits_are_those_of_the_pool_unless_others_are_stated():
    pool = spec("a", max_concurrency=3, requests_per_minute=60, sampling=Sampling(50), retries=4)

    found = Sources(calls=CALLS).figures_of(pool)
    other = Sources(stated=Stated({"*": StatedWorker(max_concurrency=9)}), calls=CALLS).figures_of(
        pool
    )

    assert (found.max_concurrency, found.requests_per_minute) == (3, 60)
    assert (found.max_tokens, found.retries) == (50, 4)
    assert (other.max_concurrency, other.requests_per_minute) == (9, 60)


def test_a_price_is_stated_or_the_pools_or_assumed_or_unknown():
    stated = Sources(stated=Stated({"a": StatedWorker(CALLS, PRICE)}))
    assumed = Sources(calls=CALLS, price=PRICE)

    assert stated.figures_of(spec("a")).price is PRICE
    assert assumed.figures_of(spec("a")).price is PRICE
    stage = stage_of([spec("a"), spec("b")], Sources(calls=CALLS), mix_of("a", "b"))
    assert unpriced(stage) == ["a", "b"]


def test_a_conductor_of_its_own_has_figures_of_its_own():
    measured = Measurement("the store")
    measured.add(a_trace())
    specs = [spec(name, price=PRICE) for name in ("coder", "thinker", "checker")]
    mix = measured.mix()
    assert mix is not None

    stage = stage_of(specs, Sources((measured,)), mix, spec(CONDUCTOR, price=PRICE))

    assert stage.workers[CONDUCTOR].calls.source == "the store: 1 call"
    assert serve(stage, [0.0], 0).latencies_s == [pytest.approx(2.5)]
    with pytest.raises(ConfigError, match="a Conductor is asked, and the pool has none"):
        stage_of(specs, Sources((measured,)), mix)


def test_a_worker_that_conducts_too_shares_its_limits_with_itself():
    slow = Stated({}, conductor=StatedWorker(Assumed(5.0, 5.0, Usage(1, 1), "f.toml")))
    calls = Assumed(1.0, 1.0, Usage(1, 1), "assumed")
    sources = Sources(stated=slow, calls=calls)
    worker = spec("a", max_concurrency=1, price=PRICE)

    stage = stage_of([worker], sources, mix_of("a", proposals=1), worker)

    assert serve(stage, [0.0], 0).latencies_s == [pytest.approx(6.0)]
    assert serve(stage, [0.0, 0.0], 0).latencies_s[-1] == pytest.approx(12.0)


def test_a_worker_who_was_called_and_is_gone_is_named():
    with pytest.raises(ConfigError, match="worker 'b' was called, the pool has a"):
        stage_of([spec("a")], Sources(calls=CALLS), mix_of("b"))


def test_a_fixed_workflow_is_every_requests_plan():
    workflow = Workflow((Step(1, "x"), Step(0, "y", (0,))))

    mix = fixed_mix(workflow, ["a", "b"], "fixed")

    assert mix.plans == (Plan((PlannedRound(0, (PlannedStep("b"), PlannedStep("a", (0,)))),)),)
