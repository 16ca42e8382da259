"""Figures and comparisons, by numbers worked by hand."""

from dataclasses import replace
from decimal import Decimal

import pytest

from partbook.errors import ConfigError
from partbook.evaluate.reporting.summary import summarise
from partbook.evaluate.reporting.texts import findings
from tests.evaluate.found import a_cell, found

CONDUCTED = {"workers": ("a", "b"), "proposed": True, "valid": True}


def test_what_is_not_judged_counts_nowhere():
    summary = summarise(found({"worker:a": ["++-?"], "worker:b": ["+- ?"]}))

    a, b = summary.systems
    assert (a.accuracy, a.judged, a.not_judged) == (2 / 3, 3, 1)
    assert (b.accuracy, b.judged, b.not_judged) == (0.5, 2, 2)
    assert summary.missing == 3


def test_accuracy_is_the_mean_over_problems_of_the_mean_over_repeats():
    # Problem 0: 2 of 2; problem 1: 0 of 1, its other repeat was not judged.
    summary = summarise(found({"worker:a": ["+-", "+?"]}))

    assert summary.systems[0].accuracy == 0.5


def test_validity_is_split_from_accuracy():
    results = found({"conductor": ["++--"]}, **CONDUCTED)
    broken = a_cell("conductor", 3, "-", workers=(), proposed=True, valid=False)
    results.cells[broken.key] = broken

    figures = summarise(results).systems[0]

    assert (figures.accuracy, figures.valid, figures.given_valid) == (0.5, 0.75, 2 / 3)
    assert figures.conducts


def test_steps_calls_and_money_are_per_problem_and_the_conductors_own_is_in_them():
    figures = summarise(found({"conductor": ["+-"]}, **CONDUCTED)).systems[0]

    assert (figures.steps, figures.calls, figures.conductor_calls) == (2.0, 3.0, 1.0)
    assert (figures.tokens, figures.usd) == (120.0, Decimal("0.01"))
    assert figures.workers == {"a": 0.5, "b": 0.5}
    assert figures.worker_bits == 1.0


def test_an_unknown_price_makes_the_money_unknown_and_not_0():
    results = found({"worker:a": ["++"]})
    cell = a_cell("worker:a", 1, "+", usd=None)
    results.cells[cell.key] = cell

    assert summarise(results).systems[0].usd is None


def test_accuracy_and_steps_by_difficulty():
    figures = summarise(found({"worker:a": ["+-+-"]})).systems[0]

    assert {
        level: (one.right, one.count, one.steps) for level, one in figures.by_difficulty.items()
    } == {"1": (2, 2, 1.0), "2": (0, 2, 1.0)}


def test_pass_at_k_is_there_for_as_many_repeats_as_all_problems_have():
    figures = summarise(found({"worker:a": ["++", "-+", "-+"]})).systems[0]

    # Problem 0 has 1 of 3 right: pass@2 = 1 - 1/3; problem 1 all.
    assert figures.pass_at == {2: pytest.approx((2 / 3 + 1) / 2), 3: 1.0}


def test_the_focus_is_the_first_that_conducts():
    marks = {"worker:a": ["+"], "conductor:1": ["+"], "conductor:2": ["+"], "other": ["+"]}

    assert summarise(found(marks, **CONDUCTED)).focus == "conductor:1"
    assert summarise(found(marks, **CONDUCTED), "other").focus == "other"
    assert summarise(found({"worker:a": ["+"], "worker:b": ["+"]})).focus == "worker:b"


def test_an_unknown_focus_is_refused():
    with pytest.raises(ConfigError, match="there are worker:a"):
        summarise(found({"worker:a": ["+"]}), "b")


def test_nothing_judged_is_no_report():
    with pytest.raises(ConfigError, match="nothing was judged"):
        summarise(found({"worker:a": ["??"]}))


def test_what_was_judged_of_systems_that_are_not_asked_any_more_is_no_report():
    results = found({"worker:a": ["++"]})
    assert results.begun is not None
    results.begun = replace(results.begun, systems=("worker:b",))

    with pytest.raises(ConfigError, match="nothing was judged"):
        summarise(results)


def test_systems_are_compared_on_the_problems_that_both_were_judged_on():
    marks = {"worker:a": ["--------+?"], "conductor": ["++++++++ +"]}

    one = summarise(found(marks, **CONDUCTED)).comparisons[0]

    # Problem 8 is missing in one and problem 9 not judged in the other.
    assert (one.other, one.problems, one.better, one.worse) == ("worker:a", 8, 8, 0)
    assert one.difference == 1.0
    assert one.p == 2 / 2**8
    assert one.significant


def test_many_comparisons_are_corrected_together():
    marks = {f"worker:{name}": ["------++"] for name in "abcd"} | {"conductor": ["++++++++"]}

    comparisons = summarise(found(marks, **CONDUCTED)).comparisons

    # 6 to 0: 2/64 each; four of them are corrected to 8/64.
    assert {one.p for one in comparisons} == {0.03125}
    assert {one.corrected for one in comparisons} == {0.125}
    assert not any(one.significant for one in comparisons)


def test_the_rival_is_the_best_worker_alone():
    marks = {"worker:a": ["+--"], "worker:b": ["++-"], "moa": ["+++"], "conductor": ["+++"]}

    assert summarise(found(marks, **CONDUCTED)).rival == "worker:b"


def test_regret_is_what_the_best_measured_worker_of_each_problem_has_more():
    marks = {"worker:a": ["+--"], "worker:b": ["-+-"], "conductor": ["+-+"]}

    summary = summarise(found(marks, **CONDUCTED))

    # Best workers: 1, 1, 0.
    assert summary.regret == pytest.approx({"worker:a": 1 / 3, "worker:b": 1 / 3, "conductor": 0})
    assert summary.oracle is not None
    assert summary.oracle.measured == pytest.approx(2 / 3)


def test_two_systems_that_come_down_to_one_worker_are_one_worker_to_the_oracle():
    results = found({"worker:a": ["+-"], "worker:b": ["-+"]})
    for i, mark in enumerate("+-"):
        best = a_cell("best", i, mark)
        results.cells[best.key] = best
    assert results.begun is not None
    results.begun = replace(results.begun, systems=(*results.begun.systems, "best"))

    summary = summarise(results)

    assert summary.oracle is not None
    assert (summary.oracle.measured, summary.oracle.problems) == (1.0, 2)
    assert summary.of("best").alone == "a"


def test_the_frontier_has_what_nobody_beats_for_as_little_money():
    results = found({"worker:cheap": ["+--"], "worker:mid": ["+--"], "worker:dear": ["++-"]})
    prices = {"worker:cheap": "0.001", "worker:mid": "0.01", "worker:dear": "0.1"}
    for key, cell in results.cells.items():
        spent = replace(cell.spent, cost_usd=Decimal(prices[cell.system]))
        results.cells[key] = replace(cell, spent=spent)

    assert summarise(results).frontier == ("worker:cheap", "worker:dear")


def test_wins_and_losses_are_problems_on_which_the_two_differ_in_every_repeat():
    marks = {"worker:a": ["-+-+", "-+++"], "conductor": ["+--+", "+-++"]}

    summary = summarise(found(marks, **CONDUCTED))

    assert [case.problem.id for case in summary.wins] == ["t/0"]
    assert [case.problem.id for case in summary.losses] == ["t/1"]


def test_what_is_not_significant_is_said_plainly():
    marks = {"worker:a": ["++--"], "conductor": ["+-+-"]}

    said = " ".join(findings(summarise(found(marks, **CONDUCTED))))

    assert "equally often right (1 problem to 1)" in said
    assert "nothing should be made of the difference between conductor and worker:a" in said
    assert "with one repeat it cannot be corrected" in said
