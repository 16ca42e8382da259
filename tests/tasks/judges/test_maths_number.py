import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partbook.tasks.judges.maths_number import exact, rounds_to


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("42", 42),
        ("-42", -42),
        ("+42", 42),
        ("-.5", Fraction(-1, 2)),
        ("1,234,567.5", Fraction(2469135, 2)),
        (r"\frac{3}{4}", Fraction(3, 4)),
        (r"2\frac{1}{4}", Fraction(9, 4)),
        (r"-2\frac{1}{4}", Fraction(-9, 4)),
        (r"2\frac{5}{4}", Fraction(5, 2)),
        ("1 1/2", Fraction(3, 2)),
        ("3/4/5", Fraction(3, 20)),
        (r"1.5\times 10^{3}", 1500),
        ("2e-3", Fraction(1, 500)),
        ("-2^2", -4),
        ("(-2)^2", 4),
        ("2^-1", Fraction(1, 2)),
        ("(1+2)(3-1)", 6),
        ("2(3)", 6),
        (r"\frac{1}{2^{70}}", Fraction(1, 2**70)),
    ],
)
def test_numbers_are_read_exactly(text, number):
    assert exact(text) == number


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "2x",
        r"\sqrt{4}",
        "1/0",
        "2^{0.5}",
        "9^{9^9}",
        "2^{5000}",
        "1,23",
        "3 4",
        "(1",
        "1..2",
    ],
)
def test_what_is_no_small_rational_number_is_not_read(text):
    assert exact(text) is None


@pytest.mark.parametrize(
    "text",
    ["9^" * 400 + "9", "(" * 900, "1+" * 400 + "1", r"10^{999}\cdot " * 50 + "1", "9" * 5_000],
    ids=["tower", "brackets", "sum", "product", "digits"],
)
def test_large_numbers_take_no_time(text):
    start = time.process_time()

    exact(text)

    assert time.process_time() - start < 0.5


@given(st.fractions())
def test_a_fraction_is_read_as_it_was_written(number):
    text = rf"\frac{{{number.numerator}}}{{{number.denominator}}}"

    assert exact(text) == (number if len(text) < 400 else exact(text))


@pytest.mark.parametrize(
    ("literal", "value", "same"),
    [
        ("0.333333", Fraction(1, 3), True),
        ("0.666667", Fraction(2, 3), True),
        ("0.666666", Fraction(2, 3), True),
        ("0.333", Fraction(1, 3), False),
        ("0.333433", Fraction(1, 3), False),
        ("0.000000", Fraction(1, 10**7), False),
        ("1/3", Fraction(1, 3), False),
    ],
)
def test_a_decimal_stands_for_a_value_from_six_places_on(literal, value, same):
    assert rounds_to(literal, value) == same
