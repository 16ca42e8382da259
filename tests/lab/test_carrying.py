import pytest

from partbook.lab.carrying import carry_out, perfect
from partbook.lab.reading import mentions

NOTES = "Notes: Mara has 17 pens, Ivo has 24 pens."


@pytest.mark.parametrize(
    ("text", "seen", "value"),
    [
        ("Reverse the word plum, then count the letters in it.", [], "4"),
        ("count the letters in it", ["plum"], "4"),
        ("count the letters", ["plum"], "4"),
        # The newest value that fits is meant.
        ("multiply it by 7", ["3", "5"], "35"),
        ("multiply it by 7", ["5", "plum"], "35"),
        ("multiply the result of step 0 by 7", ["3", "5"], "21"),
        ("multiply the first answer by 7", ["3", "5"], "21"),
        ("multiply the result of step 3 by 7", ["5"], "35"),
        ("add the two results", ["1", "3", "5"], "8"),
        ("add the result of step 0 and the result of step 2", ["1", "3", "5"], "6"),
        ("find how many pens Ivo has, then add the two results", ["3"], "27"),
        ("look up the pens of Mara", [], "17"),
    ],
)
def test_a_text_is_carried_out_on_what_can_be_seen(text, seen, value):
    assert carry_out(mentions(text), seen, NOTES, perfect).value == value


@pytest.mark.parametrize(
    ("text", "seen", "problem"),
    [
        ("count the letters in it", [], "I see no word that I could work on."),
        ("count the letters in it", ["14"], "I see no word that I could work on."),
        ("add the two results", ["3"], "I see no number that I could work on."),
        ("look up the pens of Nora", [], "That cannot be done with what I was given."),
        ("write a poem", ["3"], "I do not understand what is to be done."),
    ],
)
def test_what_cannot_be_carried_out_is_said(text, seen, problem):
    outcome = carry_out(mentions(text), seen, NOTES, perfect)

    assert outcome.value is None
    assert outcome.problem == problem
