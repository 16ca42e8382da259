import pytest

from partbook.errors import ConfigError
from partbook.train.row import LAB_WORKERS, Row, lab_rows, problem_of


def test_a_row_survives_its_way_through_a_trainer():
    row = Row("train-2-7", 'Say "ü"', ("bo", "ada"), world=3, round=1, parent="ab12")

    assert Row.from_json(row.to_json()) == row


def test_rows_are_the_same_for_the_same_seed_and_others_for_another():
    first, again, other = lab_rows(6, seed=1), lab_rows(6, seed=1), lab_rows(6, seed=2)

    assert first == again
    assert {row.question for row in first}.isdisjoint(row.question for row in other)


def test_every_row_draws_its_own_order_of_all_workers():
    orders = {row.order for row in lab_rows(8)}

    assert len(orders) == 8
    assert all(sorted(order) == sorted(LAB_WORKERS) for order in orders)


def test_the_difficulties_come_in_turn():
    assert [problem_of(row).difficulty for row in lab_rows(5, difficulties=(1, 3))] == [
        1,
        3,
        1,
        3,
        1,
    ]


def test_a_row_names_the_problem_that_it_asks():
    row = lab_rows(1, "test", seed=4)[0]

    assert problem_of(row).question == row.question
    assert problem_of(row).split == "test"


@pytest.mark.parametrize("name", ["gpqa-17", "train-x-1", "exam-2-3", ""])
def test_a_row_of_something_else_than_the_lab_is_refused(name):
    with pytest.raises(ConfigError, match="train-3-17"):
        problem_of(Row(name, "q", ("ada",)))
