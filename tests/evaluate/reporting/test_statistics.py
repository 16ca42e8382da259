"""Statistics by hand-worked numbers."""

import random

import pytest

from partbook.evaluate.reporting.statistics import (
    bootstrap,
    entropy_bits,
    holm,
    mcnemar,
    pass_at_k,
    percentile,
    sign_flip,
    wilson,
)


def test_wilson_of_8_of_10_is_the_textbooks():
    low, high = wilson(8, 10)

    # (8 + 1.92) / 13.84 -+ ..., worked by hand to four digits.
    assert (round(low, 4), round(high, 4)) == (0.4902, 0.9433)


@pytest.mark.parametrize(("right", "ends"), [(0, (0.0, 0.2775)), (10, (0.7225, 1.0))])
def test_wilson_of_none_and_of_all_stays_within_0_and_1(right, ends):
    assert tuple(round(end, 4) for end in wilson(right, 10)) == ends


@pytest.mark.parametrize(("right", "count"), [(-1, 3), (4, 3), (0, 0)])
def test_wilson_refuses_what_is_no_share(right, count):
    with pytest.raises(ValueError, match="share"):
        wilson(right, count)


def test_wilsons_interval_holds_the_true_share_as_often_as_it_says():
    rng = random.Random(1)
    held = 0
    for _ in range(2000):
        low, high = wilson(sum(rng.random() < 0.3 for _ in range(60)), 60)
        held += low <= 0.3 <= high

    assert 0.93 < held / 2000 < 0.97


def test_a_percentile_lies_between_neighbours():
    assert percentile([1.0, 2.0, 4.0, 8.0], 0.5) == 3.0
    assert percentile([1.0, 2.0], 0.0) == 1.0
    assert percentile([1.0, 2.0], 1.0) == 2.0


def test_a_bootstrap_interval_is_near_the_normal_one_for_many_values():
    values = [1.0] * 200 + [0.0] * 200

    low, high = bootstrap(values, random.Random(0))

    # 0.5 -+ 1.96 * sqrt(0.25 / 400) = 0.5 -+ 0.049
    assert low == pytest.approx(0.451, abs=0.006)
    assert high == pytest.approx(0.549, abs=0.006)


def test_a_bootstrap_of_equal_values_has_no_width():
    assert bootstrap([0.25, 0.25], random.Random(0)) == (0.25, 0.25)


def test_a_bootstrap_is_the_same_for_the_same_source_of_draws():
    values = [0.0, 1.0, 1.0, 0.5]

    assert bootstrap(values, random.Random(7)) == bootstrap(values, random.Random(7))


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [
        (0, 0, 1.0),
        (5, 5, 1.0),
        (0, 5, 2 / 32),
        (6, 0, 2 / 64),
        (2, 8, 2 * (1 + 10 + 45) / 1024),
    ],
)
def test_mcnemar_is_twice_the_binomial_tail(first, second, p):
    assert mcnemar(first, second) == pytest.approx(p)
    assert mcnemar(second, first) == pytest.approx(p)


def test_mcnemar_of_thousands_of_pairs_can_be_computed():
    assert mcnemar(2000, 2000) == 1.0
    assert mcnemar(1000, 2000) < 1e-9


def test_sign_flips_of_few_pairs_are_all_tried():
    # Of 8 signings of 1, 1, 1 two sum to 3 or -3.
    assert sign_flip([1, 1, 1, 0, 0], random.Random(0)) == 2 / 8
    # 0.5, -1, 1: sums of at least 0.5 in size: all 8.
    assert sign_flip([0.5, -1, 1], random.Random(0)) == 1.0


def test_sign_flips_of_many_pairs_agree_with_the_exact_test_for_ones():
    drawn = sign_flip([1.0] * 20 + [-1.0] * 8, random.Random(0))

    assert drawn == pytest.approx(mcnemar(20, 8), abs=0.01)


def test_sign_flips_of_nothing_say_nothing():
    assert sign_flip([0, 0], random.Random(0)) == 1.0


def test_holm_multiplies_by_what_is_left_and_never_goes_down():
    # Sorted: 0.01*4, 0.013*3, 0.03*2, 0.04*1 -> 0.04, then at least that.
    assert holm([0.04, 0.01, 0.03, 0.013]) == pytest.approx([0.06, 0.04, 0.06, 0.04])


def test_holm_ends_at_1():
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([]) == []


@pytest.mark.parametrize(
    ("count", "right", "k", "share"),
    [(5, 0, 1, 0.0), (5, 2, 1, 0.4), (5, 2, 3, 1 - 1 / 10), (5, 3, 3, 1.0), (2, 2, 2, 1.0)],
)
def test_pass_at_k_counts_the_samples_without_a_right_one(count, right, k, share):
    assert pass_at_k(count, right, k) == pytest.approx(share)


def test_pass_at_more_than_there_are_is_refused():
    with pytest.raises(ValueError, match="pass@4"):
        pass_at_k(3, 1, 4)


def test_entropy_of_shares():
    assert entropy_bits([10, 10]) == 1.0
    assert entropy_bits([5]) == 0.0
    assert entropy_bits([]) == 0.0
    assert entropy_bits([0, 4, 4, 8]) == 1.5
