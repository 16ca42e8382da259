"""Numbers and dates as spreadsheets of several countries write them."""

from decimal import Decimal

import pytest

from partbook.economy.amounts import Numbers, currency_in, mark_of, month_of


@pytest.mark.parametrize(
    ("mark", "text", "expected"),
    [
        (".", "0.000001", "0.000001"),
        (".", "1.2e-05", "0.000012"),
        (".", "1,234.56", "1234.56"),
        (".", "1,234", "1234"),
        (".", "$1,234.56", "1234.56"),
        (".", "-$3.20", "-3.20"),
        (".", "(3.20)", "-3.20"),
        (".", "−3.20", "-3.20"),
        (".", "₩1,234,000", "1234000"),
        (",", "1.234,56", "1234.56"),
        (",", "0,5", "0.5"),
        (",", "1.234", "1234"),
        (",", "1 234,50 €", "1234.50"),
        (",", "12", "12"),
    ],
)
def test_an_amount_is_read_digit_by_digit(mark, text, expected):
    assert Numbers(mark).money(text)[0] == Decimal(expected)


@pytest.mark.parametrize(
    ("mark", "text"),
    [(".", "1,23"), (".", "12,34,56"), (",", "1.2"), (".", "n/a"), (".", "1e99"), (".", "(1"),
     (".", "--1"), (".", "NaN"), (".", "Infinity"), (".", "1.2.3")],
)  # fmt: skip
def test_what_is_no_amount_is_refused(mark, text):
    with pytest.raises(ValueError, match=r"expected|decimal mark"):
        Numbers(mark).money(text)


@pytest.mark.parametrize("text", ["-5", "1.5", "many"])
def test_a_count_is_whole_and_not_below_0(text):
    with pytest.raises(ValueError, match="expected"):
        Numbers().whole(text)


@pytest.mark.parametrize(
    ("values", "delimiter", "expected"),
    [
        (["1.5", "2.25"], ",", "."),
        (["1,5", "2,25"], ";", ","),
        (["1.5"], ";", "."),
        (["0,0123"], ",", ","),
        (["1.234,56"], ";", ","),
        (["1.234"], ";", ","),
        (["1,234"], ",", "."),
        ([], ";", ","),
    ],
)
def test_the_decimal_mark_is_the_one_that_the_values_show(values, delimiter, expected):
    assert mark_of(values, delimiter) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-10", ("2026-10", 0)),
        ("2026-10-03T23:59:59+00:00", ("2026-10", 3)),
        ("2026/10/3", ("2026-10", 3)),
        ("2026. 10. 3.", ("2026-10", 3)),
        ("2026년 10월 3일", ("2026-10", 3)),
        ("2026년 10월", ("2026-10", 0)),
        ("03.10.2026", ("2026-10", 3)),
        ("10/31/2026", ("2026-10", 31)),
        ("31/10/2026", ("2026-10", 31)),
        ("10/10/2026", ("2026-10", 10)),
        ("Oct 2026", ("2026-10", 0)),
        ("Oct 3, 2026", ("2026-10", 3)),
        ("1730419200", ("2024-11", 1)),
    ],
)
def test_a_date_is_known_in_any_of_these_spellings(text, expected):
    assert month_of(text) == expected


@pytest.mark.parametrize("text", ["", "2026-13", "2026-02-30", "soon", "03/04/2026", "12"])
def test_a_date_that_is_none_or_unclear_is_refused(text):
    with pytest.raises(ValueError, match=r"date|order"):
        month_of(text)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("Cost (₩)", "KRW"), ("cost_usd", "USD"), ("Cost (USD)", "USD"), ("Cost", ""),
     ("Amount due", "")],
)  # fmt: skip
def test_the_currency_may_stand_in_the_name_of_a_column(name, expected):
    assert currency_in(name) == expected
