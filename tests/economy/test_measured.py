"""What an evaluation says of two systems, and what that means for a bill."""

from decimal import Decimal
from pathlib import Path

import pytest

from partbook.economy.answer import answer_of
from partbook.economy.measured import measure, read_measured
from partbook.economy.read import read_bill
from partbook.economy.wishes import Overhead, Wishes
from partbook.errors import ConfigError
from partbook.evaluate.running.results import Results
from tests.evaluate.found import a_cell, found

BILLS = Path(__file__).parent.parent.parent / "examples" / "bills"


def results(usd: str | None = "0.016", base_usd: str | None = "0.02", count: int = 200) -> Results:
    """A Conductor right in 3 of 4 problems, a worker alone in 1 of 2; both cost the same always."""
    made = found({"worker:a": ["+-" * (count // 2)]})
    for i in range(count):
        ours = a_cell(
            "conductor", i, "-+++"[i % 4], workers=("a", "b"), usd=usd, proposed=True, valid=True
        )
        made.cells[ours.key] = ours
        alone = a_cell("worker:a", i, "+-"[i % 2], usd=base_usd)
        made.cells[alone.key] = alone
    begun = made.begun
    assert begun is not None
    made.begun = type(begun)(("worker:a", "conductor"), begun.problems, 1, 0.0)
    return made


def answer(made: Results, name: str = "plain.csv", **settings: object):
    wishes = Wishes(**settings)  # type: ignore[arg-type]
    bill = read_bill([BILLS / name])
    return answer_of(bill, wishes, lambda model: None, measure(made))


def test_two_systems_are_compared_on_the_same_problems():
    one = measure(results())

    assert (one.system, one.baseline, one.problems) == ("conductor", "worker:a", 200)
    assert one.usd == (Decimal("0.02"), Decimal("0.016"))
    assert one.ratio == Decimal("0.8")
    assert one.right == (Decimal("0.5"), Decimal("0.75"))
    assert (one.calls, one.conductor_calls, one.steps) == (
        (Decimal(1), Decimal(3)),
        Decimal(1),
        Decimal(2),
    )
    low, high = one.points_range
    assert Decimal("0.1") < low < Decimal("0.25") < high < Decimal("0.4")


def test_the_ratio_carries_over_to_the_bill():
    """$120.60 at 0.8."""
    found = answer(results())

    assert found.of("carried.cost").value == Decimal("96.48")
    assert found.of("carried.net").value == Decimal("24.12")
    assert found.of("carried.cost").kind == "measured"


def test_what_varies_from_problem_to_problem_gives_an_interval():
    made = results()
    for i in range(0, 200, 2):
        dear = a_cell("conductor", i, "+", workers=("a", "b"), usd="0.032", proposed=True)
        made.cells[dear.key] = dear

    one = measure(made)

    assert one.ratio == Decimal("1.2")
    low, high = one.ratio_range
    assert Decimal("1.1") < low < Decimal("1.2") < high < Decimal("1.3")


def test_a_gpu_is_taken_off_and_has_a_break_even():
    """$7.30 a month against $0.004 a task."""
    found = answer(results(), overhead=Overhead(gpu_usd_per_hour=Decimal("0.01")))

    assert found.of("carried.net").value == Decimal("16.82")
    assert found.of("carried.even").value == Decimal(1825)


def test_it_is_said_when_the_total_would_rise():
    found = answer(results(usd="0.05"))

    assert found.of("carried.net").value == Decimal("-180.90")
    assert "rise measured" in [one.key for one in found.warnings]


def test_a_dearer_system_never_pays_for_a_gpu():
    found = answer(results(usd="0.05"), overhead=Overhead(gpu_usd_per_hour=Decimal(1)))

    even = found.of("carried.even")
    assert (even.value, even.why) == (None, "never even")


def test_it_is_said_when_answers_are_worse_or_may_be():
    made = results()
    for i in range(200):
        cell = a_cell("conductor", i, "-" if i % 10 else "+", usd="0.016", proposed=True)
        made.cells[cell.key] = cell

    assert "worse" in [one.key for one in answer(made).warnings]


@pytest.mark.parametrize(
    ("usd", "base", "why"),
    [(None, "0.02", "no price measured"), ("0.01", None, "no price measured"),
     ("0.01", "0", "free baseline")],
)  # fmt: skip
def test_an_unknown_price_makes_the_ratio_unknown_and_not_0(usd, base, why):
    carried = answer(results(usd, base)).of("carried.cost")

    assert (carried.value, carried.why) == (None, why)


def test_few_problems_are_noted():
    assert "few problems" in [note.key for note in answer(results(count=40)).notes]


def test_estimates_do_not_depend_on_what_was_measured():
    bill = read_bill([BILLS / "plain.csv"])
    alone = answer_of(bill, Wishes(), lambda model: None)

    estimated = [one for one in answer(results()).figures if one.kind == "estimated"]

    assert estimated == [one for one in alone.figures if one.kind == "estimated"]


def test_a_system_that_is_not_there_is_refused():
    with pytest.raises(ConfigError, match="Beside conductor there are worker:a"):
        measure(results(), baseline="moa")


def test_a_folder_without_an_evaluation_is_refused(tmp_path):
    other = tmp_path / "x.json"
    other.write_text("{}")

    with pytest.raises(ConfigError, match="no results of an evaluation"):
        read_measured(tmp_path, None, None)
    with pytest.raises(ConfigError, match="is not the folder of an evaluation"):
        read_measured(other, None, None)
