from fractions import Fraction

import pytest

from partbook.tasks.judges.maths_text import tidy
from partbook.tasks.judges.units import Unit, comparable, split_unit

METRE = Unit("length", Fraction(1))


@pytest.mark.parametrize(
    ("text", "value", "dimension", "size"),
    [
        ("3 m", "3", "length", 1),
        (r"3\text{ cm}", "3", "length", Fraction(1, 100)),
        ("3cm", "3", "length", Fraction(1, 100)),
        (r"3 \mathrm{cm}^2", "3", "area", Fraction(1, 10_000)),
        ("3 square metres", "3", "area", 1),
        ("3 cubic metres", "3", "solid", 1),
        ("3%", "3", "percent", Fraction(1, 100)),
        ("3 percent", "3", "percent", Fraction(1, 100)),
        (r"\$3", "3", "dollars", 1),
        ("3 cents", "3", "dollars", Fraction(1, 100)),
        ("€3", "3", "euros", 1),
        ("3 hours", "3", "time", 3600),
        ("9.8 m/s^2", "9.8", "acceleration", 1),
        ("5 kJ", "5", "energy", 1000),
        ("36 km/h", "36", "speed", Fraction(5, 18)),
        ("60 miles per hour", "60", "speed", Fraction(1397, 3125)),
        (r"30^\circ", "30", "angle", 1),
        (r"20^\circ\text{C}", "20", "temperature C", 1),
        ("3 apples", "3", "count", 1),
    ],
)
def test_a_unit_is_taken_off_its_number(text, value, dimension, size):
    assert split_unit(tidy(text)) == (value, Unit(dimension, Fraction(size)))


@pytest.mark.parametrize("text", ["3", "3x", "5m", "x+m", r"\frac{1}{2}", "2abc", "3 + 4"])
def test_a_number_without_a_unit_stays_whole(text):
    assert split_unit(tidy(text)) == (tidy(text), None)


@pytest.mark.parametrize(
    ("a", "unit_a", "b", "unit_b", "same"),
    [
        (3, METRE, 300, Unit("length", Fraction(1, 100)), True),
        (3, METRE, 3, Unit("length", Fraction(1, 100)), False),
        (3, METRE, 3, None, True),
        (3, METRE, 3, Unit("time", Fraction(1)), False),
        (3, METRE, 3, Unit("count", Fraction(1)), True),
        (40, Unit("percent", Fraction(1, 100)), Fraction(2, 5), None, True),
        (40, Unit("percent", Fraction(1, 100)), 40, None, True),
        (Fraction(2, 5), Unit("percent", Fraction(1, 100)), Fraction(2, 5), None, False),
    ],
)
def test_quantities_are_compared_in_one_unit(a, unit_a, b, unit_b, same):
    pairs = comparable(Fraction(a), unit_a, Fraction(b), unit_b)

    assert any(x == y for x, y in pairs) == same
