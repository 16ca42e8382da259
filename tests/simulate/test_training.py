from decimal import Decimal

import pytest

from partbook.errors import ConfigError
from partbook.message import Usage
from partbook.price import Price
from partbook.simulate.figures import Assumed, WorkerFigures
from partbook.simulate.serving import Stage
from partbook.simulate.staging import steps_mix
from partbook.simulate.training import Course, Policy, train

POLICY = Policy(10.0, 5.0, "stated")


def stage(seconds: float = 4.0, turns: int = 1000, timeout_s: float | None = None) -> Stage:
    calls = Assumed(seconds, seconds, Usage(1000, 100), "stated")
    worker = WorkerFigures("w", calls, Price(Decimal(1), Decimal(10)), turns)
    return Stage({"w": worker}, steps_mix(2, "stated"), timeout_s)


def test_without_overlap_a_step_is_writing_playing_and_updating():
    found = train(stage(), Course(80, 4, 5, POLICY), seed=0, most_steps=4)

    assert found.steps == 4
    assert found.step_s == pytest.approx(10 + 2 * 4 + 5)
    assert found.waiting == pytest.approx(8 / 23)
    assert found.calls == 160
    assert found.usd == Decimal("0.32")


def test_groups_that_are_played_as_soon_as_they_are_written_are_waited_for_less():
    found = train(stage(), Course(80, 4, 5, POLICY, by_group=True), seed=0, most_steps=4)

    assert found.step_s == pytest.approx(10 + 8 + 5)  # the last group is the last
    slow = train(stage(4.0, turns=5), Course(80, 4, 5, POLICY), seed=0, most_steps=4)
    quick = train(stage(4.0, turns=5), Course(80, 4, 5, POLICY, by_group=True), 0, 4)
    assert quick.waiting < slow.waiting


def test_a_policy_that_writes_ahead_waits_only_where_workers_are_slower_than_itself():
    ahead = Course(400, 4, 5, POLICY, ahead=1)

    # Behind the last step there is nothing to be written.
    assert train(stage(), ahead, 0, 20).waiting == pytest.approx(3 / 303)
    assert train(stage(60.0), ahead, 0, 20).waiting > 0.5


def test_many_steps_are_a_few_of_them_scaled():
    few, many = (train(stage(), Course(20 * n, 4, 5, POLICY), 0, 2) for n in (2, 200))

    assert many.seconds == pytest.approx(100 * few.seconds)
    assert many.usd == 100 * few.usd
    assert (many.steps, many.played_steps) == (200, 2)


def test_rollouts_past_their_deadline_are_lost_with_their_groups():
    found = train(stage(4.0, timeout_s=7.0), Course(20, 4, 5, POLICY), 0, 1)

    assert (found.lost, found.lost_groups) == (1.0, 1.0)
    assert found.step_s == pytest.approx(10 + 7 + 5)


def test_half_steps_are_a_mix_of_whole_ones():
    mix = steps_mix(2.25, "stated")

    assert {
        len(plan.workers): share for plan, share in zip(mix.plans, mix.shares, strict=True)
    } == {
        3: pytest.approx(0.25),
        2: pytest.approx(0.75),
    }
    with pytest.raises(ConfigError, match="1 to 5 steps"):
        steps_mix(6, "preset")
