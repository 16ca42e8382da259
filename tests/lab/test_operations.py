import pytest

from partbook.lab.operations import OPERATIONS, SKILLS, in_base

NOTES = "Notes: Mara has 17 pens, Ivo lives in Oslo, Lea was born on 2014-03-05."


@pytest.mark.parametrize(
    ("name", "given", "inputs", "value"),
    [
        ("plus", ("7",), ("45",), "52"),
        ("minus", ("50",), ("45",), "-5"),
        ("times", ("6",), ("45",), "270"),
        ("sum", (), ("4", "8"), "12"),
        ("product", (), ("4", "8"), "32"),
        ("reverse", (), ("lantern",), "nretnal"),
        ("drop_vowels", (), ("lantern",), "lntrn"),
        ("drop_vowels", (), ("aia",), None),
        ("first_letters", ("3",), ("lantern",), "lan"),
        ("twice", (), ("plum",), "plumplum"),
        ("vowels", (), ("ocean",), "3"),
        ("length", (), ("ocean",), "5"),
        ("digit", ("ones",), ("10110",), "3"),
        ("digit", ("zeros",), ("10110",), "2"),
        ("ranked", ("largest",), ("14, 3, 125, 8",), "125"),
        ("ranked", ("second smallest",), ("14, 3, 125, 8",), "8"),
        ("alphabet", ("first",), ("plum, fig, pear",), "fig"),
        ("alphabet", ("last",), ("plum, fig, pear",), "plum"),
        ("days_after", ("30",), ("2024-02-15",), "2024-03-16"),
        ("days_after", ("30",), ("2024-02-31",), None),
        ("days_after", ("999999",), ("9999-01-01",), None),
        ("weekday", (), ("2024-03-05",), "tuesday"),
        ("day_of_year", (), ("2024-03-05",), "65"),
        ("day_of_year", (), ("2023-02-29",), None),
        ("to_base", ("2",), ("45",), "101101"),
        ("to_base", ("2",), ("-45",), None),
        ("to_base", ("12",), ("45",), None),
        ("from_base", ("2",), ("101101",), "45"),
        ("from_base", ("2",), ("123",), None),
        ("convert", ("hours", "minutes"), ("3",), "180"),
        ("convert", ("minutes", "hours"), ("180",), None),
        ("things", ("pens", "mara"), (NOTES,), "17"),
        ("things", ("pens", "ivo"), (NOTES,), None),
        ("town", ("ivo",), (NOTES,), "oslo"),
        ("birthday", ("lea",), (NOTES,), "2014-03-05"),
    ],
)
def test_an_operation_computes(name, given, inputs, value):
    assert OPERATIONS[name].compute(given, inputs) == value


def test_every_skill_has_an_operation():
    assert {operation.skill for operation in OPERATIONS.values()} == set(SKILLS)


@pytest.mark.parametrize("base", range(2, 10))
def test_a_number_in_a_base_reads_back(base):
    assert [int(in_base(number, base), base) for number in range(300)] == list(range(300))
