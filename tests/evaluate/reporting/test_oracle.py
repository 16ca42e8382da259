"""The oracle over workers, and that its correction does what it says."""

import random
from statistics import fmean

import pytest

from partbook.evaluate.reporting.oracle import best_measured, oracle_of


def test_the_best_of_a_problem_is_its_best_worker_as_measured():
    assert best_measured({"a": [True, False], "b": [False, False]}) == 0.5


def test_with_one_repeat_the_oracle_is_right_where_anybody_is_and_has_no_correction():
    found = oracle_of(
        [
            {"a": [True], "b": [False]},
            {"a": [False], "b": [True]},
            {"a": [True], "b": [False]},
            {"a": [False], "b": [False]},
        ]
    )

    assert found is not None
    assert (found.best_worker, found.best_single) == ("a", 0.5)
    assert found.measured == 0.75
    assert found.corrected is None


def test_the_worker_is_picked_by_the_other_repeat():
    # Repeat 0 speaks for b, which is wrong in repeat 1; repeat 1 speaks for a, wrong in repeat 0.
    luck = oracle_of([{"a": [False, True], "b": [True, False]}])
    # Here both repeats speak for b.
    skill = oracle_of([{"a": [False, False], "b": [True, True]}])

    assert luck is not None
    assert skill is not None
    assert (luck.measured, luck.corrected) == (0.5, 0.0)
    assert (skill.measured, skill.corrected) == (1.0, 1.0)


def test_a_tie_goes_to_the_worker_that_is_better_at_the_other_problems():
    tie = {"a": [True, False], "b": [True, True]}
    others = [{"a": [False, False], "b": [True, True]}, {"a": [False, False], "b": [True, False]}]

    found = oracle_of([tie, *others])

    # Problem 0 picks b both times (2 right), problem 1 too, problem 2 is right once.
    assert found is not None
    assert found.corrected == pytest.approx((1.0 + 1.0 + 0.5) / 3)


def test_of_nothing_there_is_no_oracle():
    assert oracle_of([]) is None
    assert oracle_of([{}]) is None


@pytest.mark.parametrize("repeats", [2, 4])
def test_where_all_workers_are_alike_the_measured_oracle_is_too_high_and_the_corrected_is_not(
    repeats,
):
    """Five workers, each right with probability 0.5 at every problem: nobody can pick well."""
    rng = random.Random(repeats)
    problems = [
        {name: [rng.random() < 0.5 for _ in range(repeats)] for name in "abcde"}
        for _ in range(3000)
    ]

    found = oracle_of(problems)

    assert found is not None
    assert found.measured > 0.7
    assert found.corrected == pytest.approx(0.5, abs=0.03)


def test_where_each_problem_has_its_worker_the_corrected_oracle_comes_near_the_truth():
    """One of five workers can do a problem (0.9), the others cannot (0.2): the truth is 0.9."""
    rng = random.Random(3)
    problems, truth = [], []
    for _ in range(2000):
        able = rng.choice("abcde")
        chances = {name: 0.9 if name == able else 0.2 for name in "abcde"}
        truth.append(chances[able])
        problems.append(
            {name: [rng.random() < chance for _ in range(5)] for name, chance in chances.items()}
        )

    found = oracle_of(problems)

    assert found is not None
    assert found.best_single < 0.4
    assert found.corrected == pytest.approx(fmean(truth), abs=0.04)
    assert found.corrected <= found.measured
