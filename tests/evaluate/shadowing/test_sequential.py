"""The interval that may be looked at after every observation."""

import random

import pytest

from partbook.evaluate.shadowing.sequential import confidence_sequence, e_value
from partbook.shares import wilson


def test_it_holds_the_true_share_at_all_times_as_often_as_it_says():
    rng = random.Random(3)
    missed = {0.5: 0, 0.8: 0}
    for share in missed:
        for _ in range(200):
            wins = losses = 0
            for _ in range(150):
                wins, losses = (wins + 1, losses) if rng.random() < share else (wins, losses + 1)
                if e_value(wins, losses, share) >= 20:
                    missed[share] += 1
                    break

    assert missed == {0.5: 7, 0.8: 6}  # of 200 each; 5 % are 10


def test_a_fixed_interval_that_is_looked_at_as_often_is_wrong_far_more_often():
    rng = random.Random(3)
    missed = 0
    for _ in range(200):
        wins = losses = 0
        for _ in range(150):
            wins, losses = (wins + 1, losses) if rng.random() < 0.5 else (wins, losses + 1)
            low, high = wilson(wins, wins + losses)
            if not low <= 0.5 <= high:
                missed += 1
                break

    assert missed > 60


def test_eight_wins_in_a_row_refute_one_half_and_seven_do_not():
    assert confidence_sequence(7, 0)[0] < 0.5 < confidence_sequence(8, 0)[0]


def test_it_agrees_with_its_e_value():
    low, high = confidence_sequence(30, 12)

    assert e_value(30, 12, low) == pytest.approx(20)
    assert e_value(30, 12, high) == pytest.approx(20)
    assert low < 30 / 42 < high


def test_nothing_is_known_before_the_first_observation():
    assert confidence_sequence(0, 0) == (0.0, 1.0)
    assert e_value(0, 0) == 1


def test_no_count_is_too_large():
    low, high = confidence_sequence(700_000, 300_000)

    assert 0.69 < low < 0.7 < high < 0.71
    assert e_value(700_000, 300_000) == float("inf")
