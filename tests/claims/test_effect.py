import pytest

pytest.importorskip("torch")

from partbook.claims.effect import Effect, between, over_seeds, unpaired


def test_the_interval_over_three_seeds_is_students():
    low, high = over_seeds([0.1, 0.2, 0.3])

    # 4.303 times 0.1 by the root of 3
    assert low == pytest.approx(0.2 - 0.24843, abs=1e-4)
    assert high == pytest.approx(0.2 + 0.24843, abs=1e-4)


def test_one_seed_has_no_ends_and_decides_nothing():
    effect = Effect((0.5,), (0.4, 0.6))

    assert (effect.low, effect.high) == (float("-inf"), float("inf"))
    assert not effect.decides


def test_a_difference_is_paired_by_problem_and_takes_only_those_that_all_have():
    ours = [{"p": 1.0, "q": 1.0, "only ours": 0.0}, {"p": 1.0, "q": 0.0}]
    theirs = [{"p": 0.0, "q": 1.0}, {"p": 1.0, "q": 0.0, "only theirs": 1.0}]

    effect = between(ours, theirs)

    assert effect.seeds == (0.5, 0.0)
    # The problems' means over the seeds are 0.5 and 0.
    assert effect.problems == (0.0, 0.5)


def test_without_a_rival_it_is_the_mean():
    assert between([{"p": 2.0, "q": 4.0}], []).seeds == (3.0,)


def test_what_nobody_shares_cannot_be_compared():
    assert between([{"p": 1.0}], [{"q": 1.0}]) is None


def test_the_wider_of_both_intervals_counts():
    effect = Effect((0.2, 0.2, 0.2), (0.1, 0.4))

    assert effect.low == 0.1
    assert effect.high == 0.4


def test_groups_of_different_problems_are_compared_by_their_means():
    effect = unpaired([{"p": 3.0, "q": 3.0}], [{"r": 1.0, "s": 1.0}])

    assert effect.seeds == (2.0,)
    assert effect.problems == (2.0, 2.0)
