import random

import pytest

from partbook.lab.values import (
    NAMES,
    SPLITS,
    TOWNS,
    WORDS,
    fits,
    fraction,
    literal,
    owned,
    split_of,
)


@pytest.mark.parametrize("values", [WORDS, NAMES, TOWNS])
def test_every_value_has_one_split_and_every_split_has_enough_of_them(values):
    shares = [owned(values, split) for split in SPLITS]

    assert sorted(value for share in shares for value in share) == sorted(values)
    assert min(len(share) for share in shares) >= 4


@pytest.mark.parametrize("kind", ["word", "number", "date", "numbers", "words"])
@pytest.mark.parametrize("split", SPLITS)
def test_a_literal_is_made_of_values_of_its_split(kind, split):
    rng = random.Random(0)

    made = [literal(kind, split, rng) for _ in range(50)]

    assert {split_of(item) for value in made for item in value.split(", ")} == {split}


def test_a_numeral_is_not_made_without_a_base():
    with pytest.raises(ValueError, match="numeral"):
        literal("numeral", "train", random.Random(0))


def test_the_case_of_letters_does_not_change_the_split():
    assert split_of("Lisbon") == split_of("lisbon")


@pytest.mark.parametrize(
    ("value", "kind", "verdict"),
    [
        ("plum", "word", True),
        ("Plum", "word", False),
        ("14", "word", False),
        ("-14", "number", True),
        ("1e5", "number", False),
        ("9" * 13, "number", False),
        ("101", "numeral", True),
        ("-1", "numeral", False),
        ("2024-03-05", "date", True),
        ("14, 15", "numbers", False),
    ],
)
def test_an_answer_fits_the_kinds_that_it_can_be_used_as(value, kind, verdict):
    assert fits(value, kind) is verdict


def test_any_text_has_a_fraction_also_half_of_a_surrogate_pair():
    assert 0 <= fraction("\ud800") < 1
    assert fraction("\ud800") != fraction("\ud801")


def test_fractions_are_spread_evenly():
    draws = [fraction(str(i)) for i in range(10_000)]

    assert 0.49 < sum(draws) / len(draws) < 0.51
    assert 0.09 < sum(draw < 0.1 for draw in draws) / len(draws) < 0.11
