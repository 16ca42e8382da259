"""Estimates from the plain sample bill, whose October is:

gpt-5              9000 calls  $81.00   $0.009 a call
claude-sonnet-4-5  2100 calls  $32.40   about $0.0154 a call
gpt-5-mini        12000 calls   $7.20   $0.0006 a call
"""

from decimal import Decimal
from pathlib import Path

import pytest

from partbook.economy.answer import answer_of
from partbook.economy.read import Hints, read_bill
from partbook.economy.wishes import Overhead, Wishes
from partbook.errors import ConfigError
from partbook.price import Price, Tier

BILLS = Path(__file__).parent.parent.parent / "examples" / "bills"

PRICES = {
    "gpt-5": Price(Decimal("1.25"), Decimal(10)),
    "gpt-5-mini": Price(Decimal("0.25"), Decimal(2)),
    "claude-sonnet-4-5": Price(Decimal(3), Decimal(15), Decimal("0.3"), Decimal("3.75")),
}


def answer(*names: str, hints: Hints | None = None, **settings: object):
    bill = read_bill([BILLS / name for name in names or ("plain.csv",)], hints)
    return answer_of(bill, Wishes(**settings), PRICES.get)  # type: ignore[arg-type]


def value(found, key: str) -> Decimal | None:
    return found.of(key).value


def written(tmp_path: Path, rows: str) -> Path:
    path = tmp_path / "bill.csv"
    path.write_text(f"month,model,calls,prompt_tokens,completion_tokens,cost,currency\n{rows}")
    return path


def test_the_last_month_is_answered_for():
    found = answer()

    assert (found.month, value(found, "spend"), value(found, "calls")) == (
        "2026-10",
        Decimal("120.60"),
        Decimal(23_100),
    )


def test_another_month_can_be_named():
    assert value(answer(month="2026-08"), "spend") == Decimal("92.08")


def test_a_month_that_is_not_there_is_refused():
    with pytest.raises(ConfigError, match="the bill has no 2025-01; it has 2026-08, 2026-09, 2026"):
        answer(month="2025-01")


def test_fewer_calls_cost_their_share_less():
    found = answer()

    assert value(found, "fewer.cost") == Decimal("72.360")
    assert value(found, "fewer.gross") == Decimal("48.240")
    assert found.of("fewer.cost").kind == "estimated"


def test_the_range_is_from_the_cheapest_calls_to_the_dearest():
    """Of 9240 calls, all may be of the mini; or 2100 of Claude and 7140 of GPT-5."""
    low, high = answer().of("fewer.gross").range

    assert (low, high.quantize(Decimal("0.000001"))) == (
        Decimal("5.54400"),
        Decimal("96.660000"),
    )


def test_credits_and_charges_without_a_model_are_kept():
    """Charges of 98690 less 40 %, 8670 of tax, 12000 of credit."""
    found = answer("google-cost-table.csv")

    assert value(found, "fewer.cost") == Decimal("98690") * Decimal("0.6") + 8670 - 12_000


def test_a_conductor_behind_an_api_is_paid_for_each_task():
    """4620 tasks, each 1500 tokens at $0.25 and 300 at $2 per million."""
    overhead = Overhead(Price(Decimal("0.25"), Decimal(2)), 1500, 300)
    found = answer(overhead=overhead)

    assert value(found, "fewer.conductor") == Decimal("4.5045")
    assert value(found, "fewer.net") == Decimal("43.7355")


def test_a_gpu_pays_from_some_number_of_tasks_on():
    """$36.50 a month; each task brings $48.24 / 4620."""
    found = answer(overhead=Overhead(gpu_usd_per_hour=Decimal("0.05")))

    assert value(found, "fewer.net") == Decimal("11.740")
    assert round(value(found, "fewer.even"), 1) == Decimal("3495.6")


def test_it_is_said_when_the_total_would_rise():
    found = answer(overhead=Overhead(gpu_usd_per_hour=Decimal(2)))

    assert value(found, "fewer.net") == Decimal("-1411.760")
    assert [one.key for one in found.warnings] == ["rise estimated", "rise one call"]


def test_no_amount_of_work_pays_for_a_conductor_dearer_than_what_it_spares():
    overhead = Overhead(Price(Decimal(100), Decimal(0)), 1000, 0, Decimal(1))
    even = answer(overhead=overhead).of("fewer.even")

    assert (even.value, even.why) == (None, "never even")


def test_a_task_of_one_call_today_becomes_dearer():
    found = answer()

    assert value(found, "one.cost") == Decimal("361.80")
    assert found.warnings[0].key == "rise one call"


def test_fewer_than_one_call_for_a_task_is_refused():
    with pytest.raises(ConfigError, match=r"leave 0\.6 calls, which is less than one"):
        Wishes(calls_per_task=Decimal(1))


@pytest.mark.parametrize("share", ["0", "1", "1.5"])
def test_a_share_is_between_0_and_1(share):
    with pytest.raises(ConfigError, match="--fewer"):
        Wishes(fewer=Decimal(share))


def test_without_calls_what_depends_on_them_is_unknown():
    overhead = Overhead(Price(Decimal(1), Decimal(1)), 1, 1)
    found = answer("anthropic-costs.csv", overhead=overhead)

    assert value(found, "fewer.cost") == Decimal("24.79") * Decimal("0.6") + Decimal("1.20")
    assert (value(found, "fewer.net"), found.of("fewer.net").why) == (None, "no calls")
    assert value(found, "one.cost") is None
    assert "calls unknown" in [note.key for note in found.notes]


def test_calls_that_the_bill_does_not_tell_can_be_said():
    overhead = Overhead(Price(Decimal(1), Decimal(1)), 1000, 1000)
    found = answer("anthropic-costs.csv", overhead=overhead, calls=1000)

    assert value(found, "fewer.conductor") == Decimal("0.4")


def test_tokens_without_a_cost_have_their_list_price_and_are_called_estimated():
    """2,550,000 fresh at 3, 5,400,000 cached at 0.3, 240,000 written at 3.75, 975,000 at 15."""
    bill = read_bill([BILLS / "anthropic-usage.csv"])
    found = answer_of(bill, Wishes(), lambda model: PRICES.get(model.removesuffix("-20250929")))

    spend = found.of("spend")
    assert (spend.value, spend.kind) == (Decimal("24.795"), "estimated")
    assert "listed base" in [note.key for note in found.notes]


def test_an_unknown_price_is_not_0(tmp_path):
    path = written(tmp_path, "2026-10,gpt-5,1,1000000,0,1.25,USD\n2026-10,own,1,5,5,,USD\n")

    found = answer_of(read_bill([path]), Wishes(), PRICES.get)

    assert value(found, "spend") == Decimal("1.25")
    assert {note.key: note.values for note in found.notes}["no cost of"] == {"models": "own"}
    assert (value(found, "listed"), found.of("listed").about) == (None, {"model": "own"})


def test_a_bill_of_which_nothing_is_known_is_refused(tmp_path):
    path = written(tmp_path, "2026-10,own,1,5,5,,USD\n")

    with pytest.raises(ConfigError, match="the bill has no costs, and what 'own' costs is unknown"):
        answer_of(read_bill([path]), Wishes(), PRICES.get)


def test_the_tokens_of_the_month_are_priced_by_each_worker():
    """36,800,000 tokens read and 8,840,000 written."""
    found = answer(pool="p", workers={"mini": PRICES["gpt-5-mini"], "own": None})

    first, second = (figure for figure in found.figures if figure.key == "pool.worker")
    assert first.value == Decimal("26.88")
    assert (second.value, second.why, second.about["worker"]) == (None, "no price", "own")


def test_the_tier_is_that_of_the_average_prompt(tmp_path):
    tiered = Price(Decimal(1), Decimal(1), tiers=(Tier(200, Price(Decimal(2), Decimal(2))),))
    path = written(tmp_path, "2026-10,m,1000,150000,0,1,USD\n")
    (tmp_path / "long").mkdir()
    long = written(tmp_path / "long", "2026-10,m,500,150000,0,1,USD\n")

    costs = [
        answer_of(read_bill([one]), Wishes(pool="p", workers={"w": tiered}), PRICES.get)
        .of("pool.worker")
        .value
        for one in (path, long)
    ]

    assert costs == [Decimal("0.15"), Decimal("0.3")]


def test_dollars_are_not_mixed_into_another_currency():
    overhead = Overhead(gpu_usd_per_hour=Decimal(1))
    found = answer("plain-excel.csv", overhead=overhead)

    assert found.of("fewer.cost").unit == "EUR"
    assert (value(found, "fewer.net"), found.of("fewer.net").why) == (None, "no rate")


def test_missing_months_and_half_ones_are_noted(tmp_path):
    path = written(tmp_path, "2026-07-31,m,1,1,1,1,USD\n2026-10-12,m,1,1,1,1,USD\n")

    notes = {
        note.key: note.values for note in answer_of(read_bill([path]), Wishes(), PRICES.get).notes
    }

    assert notes["missing months"] == {"months": "2026-08, 2026-09"}
    assert notes["part of a month"] == {"month": "2026-10", "day": "12"}


def test_the_first_of_a_month_stands_for_the_month():
    assert "part of a month" not in [note.key for note in answer("plain-excel.csv").notes]
    assert "part of a month" not in [note.key for note in answer("google-cost-table.csv").notes]


def test_every_figure_has_a_formula_and_its_inputs_come_to_its_value():
    found = answer(overhead=Overhead(gpu_usd_per_hour=Decimal("0.05")))
    figure = found.of("fewer.net")

    letters = {name: Decimal(text) for name, text in figure.inputs.items()}
    assert figure.formula == "B × f − (C / k × K + G)"
    own = letters["C"] / letters["k"] * letters["K"] + letters["G"]
    assert figure.value == letters["B"] * letters["f"] - own
    assert all(figure.formula for figure in found.figures)
