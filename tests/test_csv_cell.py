import pytest

from partbook.csv_cell import csv_cell


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("@x", "'@x"),
        ("\t@x", "'\t@x"),
        ("\r=x", "'\r=x"),
        ("-2+3", "'-2+3"),
        ("-", "'-"),
        ("-2", "-2"),
        ("-0.25", "-0.25"),
        ("a=1", "a=1"),
        ("", ""),
    ],
)
def test_no_cell_is_taken_for_a_formula_and_numbers_stay(text, cell):
    assert csv_cell(text) == cell
