import pytest

from partbook.evaluate.reporting.statistics import entropy_bits
from partbook.train.environment import Outcome
from partbook.train.measure import Ceiling, ceiling, figures
from partbook.train.row import Row, lab_rows
from partbook.workflow import Step, Workflow

ONE = Row("train-1-0", "q", ("ada", "bo"))
OTHER = Row("train-2-0", "q", ("bo", "ada"))
SHORT = Workflow((Step(0, "x"),))
LONG = Workflow((Step(0, "x"), Step(1, "y", (0,))))
BEST = Ceiling((0.9, 0.9, 0.8, 0.8), {"ada": 1.0}, 1.0)


def test_accuracy_is_split_by_format():
    outcomes = [
        Outcome(1.0, "right", None, SHORT),
        Outcome(0.0, "unparsed"),
        Outcome(0.5, "wrong", None, LONG),
        Outcome(1.0, "right", None, LONG),
    ]

    found = figures([ONE, ONE, OTHER, OTHER], outcomes, BEST)

    assert (found.problems, found.unscored) == (4, 0)
    assert found.accuracy == 0.5
    assert found.valid == 0.75
    assert found.accuracy_given_valid == pytest.approx(2 / 3)
    assert found.steps == pytest.approx(5 / 3)
    assert found.by_difficulty == {1: 0.5, 2: 0.5}
    assert found.regret == pytest.approx(0.35)


def test_workers_are_counted_by_name_and_not_by_number():
    outcomes = [Outcome(0.5, "wrong", None, SHORT), Outcome(0.5, "wrong", None, SHORT)]

    found = figures([ONE, OTHER], outcomes, Ceiling((1.0, 1.0), {}, 1.0))

    assert found.workers == {"ada": 0.5, "bo": 0.5}
    assert found.worker_bits == 1.0
    assert found.plans == 2


def test_what_has_no_reward_counts_nowhere():
    outcomes = [Outcome(None, "worker", None, SHORT), Outcome(1.0, "right", None, SHORT)]

    found = figures([ONE, ONE], outcomes, Ceiling((0.1, 0.9), {}, 1.0))

    assert (found.problems, found.unscored, found.accuracy) == (1, 1, 1.0)
    assert found.regret == pytest.approx(-0.1)


def test_without_any_reward_there_is_nothing_to_sum_up():
    with pytest.raises(ValueError, match="none of the rollouts has a reward"):
        figures([ONE], [Outcome(None, "timeout")], Ceiling((1.0,), {}, 1.0))


def test_the_ceiling_of_test_rows_is_that_of_the_labs_table():
    best = ceiling(lab_rows(40, "test"))

    assert 0.85 < sum(best.accuracy) / 40 < 0.95
    assert set(best.workers) <= {"ada", "bo", "cy", "dee", "val", "gus"}
    assert 2.0 < best.worker_bits < 2.6


@pytest.mark.parametrize(
    ("shares", "bits"), [([1.0], 0.0), ([0.5, 0.5], 1.0), ([0.25] * 4, 2.0), ([1.0, 0.0], 0.0)]
)
def test_entropy_is_in_bits(shares, bits):
    assert entropy_bits(shares) == bits
