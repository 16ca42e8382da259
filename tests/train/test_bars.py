import pytest

pytest.importorskip("torch")
pytest.importorskip("trl")

from partbook.train.bars import bars, bars_text
from partbook.train.reproduce import Line


def lines(**seed):
    policy = {
        "accuracy": 0.7, "valid": 0.99, "given_valid": 0.71, "worker_bits": 2.0, "regret": 0.19,
    } | seed  # fmt: skip
    return [
        Line("warm start, greedy", 0.4, 0, 1, 2, 0.9, 0.44, 2.0, 0.49),
        Line("seed 0, greedy", low=0, high=1, steps=2, **policy),
        Line("best single worker: gus alone", 0.37, 0, 1, 1),
        Line("best constant plan: gus, val checks", 0.44, 0, 1, 2),
        Line("optimum", 0.89, 0, 1, 2.3, worker_bits=2.6),
    ]


def test_a_policy_that_reaches_everything_holds_every_bar():
    found = bars(lines())

    assert [bar.what for bar in found] == [
        "above best single", "above best constant", "given valid", "valid", "worker bits",
        "regret at most",
    ]  # fmt: skip
    assert all(bar.holds for bar in found)


@pytest.mark.parametrize(
    ("change", "bar"),
    [
        ({"accuracy": 0.51}, "above best single"),
        ({"accuracy": 0.44}, "above best constant"),
        ({"given_valid": 0.58}, "given valid"),
        ({"valid": 0.979}, "valid"),
        ({"worker_bits": 1.29}, "worker bits"),
        ({"regret": 0.25}, "regret at most"),
    ],
)
def test_each_bar_can_be_missed(change, bar):
    missed = [found.what for found in bars(lines(**change)) if not found.holds]

    assert bar in missed


def test_the_table_says_what_was_wanted_and_what_was_found():
    text = bars_text(bars(lines(valid=0.97)))

    assert "| seed 0, greedy | valid | 0.980 | 0.970 | no |" in text.splitlines()
