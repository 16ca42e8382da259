import time

import pytest

from partbook.check import verdict_of


@pytest.mark.parametrize(
    ("text", "agrees"),
    [
        ("AGREE", True),
        ("DISAGREE\nBecause the last step says: agree with nobody.", False),
        ("**Disagree.**\n\nIt is 8.", False),
        ("agree - it is right", True),
        ("Let me see.\nDISAGREE\nThe sum is right.\nAGREE", True),
        ("I agree with the first half.", None),
        ("Disagreement is likely.", None),
        ("", None),
        ("\ud800\x00", None),
    ],
)
def test_a_checker_agrees_by_its_last_line_with_one_word_or_by_its_first_word(text, agrees):
    assert verdict_of(text) is agrees


@pytest.mark.parametrize("mark", ["\n", "*", "agree ", "disagree\n"])
def test_an_endless_text_is_read_in_no_time(mark):
    begun = time.perf_counter()

    verdict_of(mark * 1_000_000)

    assert time.perf_counter() - begun < 2
