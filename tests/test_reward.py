from decimal import Decimal

import pytest

from partbook.reward import Tariff, reward_of, without_lost_groups
from partbook.trace import Trace


def trace(status, reason=None):
    return Trace("r", "q", "pool", ("a",), 0.0, 1.0, status, (), reason)


@pytest.mark.parametrize(
    ("status", "reason", "right", "reward"),
    [
        ("failed", "workflow", None, 0.0),
        ("answered", None, False, 0.5),
        ("answered", None, True, 1.0),
        ("answered", None, None, None),
        ("failed", "worker", None, None),
        ("failed", "setup", None, None),
        ("stopped", "timeout", None, None),
        ("stopped", "calls", None, None),
        ("stopped", "usd", True, None),
    ],
)
def test_only_what_the_policy_did_is_rewarded(status, reason, right, reward):
    assert reward_of(trace(status, reason), right) == reward


def test_a_group_that_lost_a_member_is_dropped_and_the_others_keep_their_places():
    rewards = [1.0, 0.5, None, 1.0, 0.0, 0.0]

    assert without_lost_groups(rewards, 2) == [1.0, 0.5, None, None, 0.0, 0.0]


def test_groups_must_be_whole():
    with pytest.raises(ValueError, match="3 rewards are no whole number of groups of 2"):
        without_lost_groups([1.0, 0.5, None], 2)


@pytest.mark.parametrize(
    ("reward", "cost", "left"),
    [
        (1.0, "0.005", 0.9),
        (1.0, "0", 1.0),
        (1.0, "5", 0.6),
        (1.0, None, None),
        (0.5, "5", 0.5),
        (0.5, None, 0.5),
        (0.0, "5", 0.0),
        (None, "5", None),
    ],
)
def test_only_right_answers_pay_and_stay_above_wrong_ones(reward, cost, left):
    assert Tariff(0.4, 0.02).of(reward, None if cost is None else Decimal(cost)) == left
