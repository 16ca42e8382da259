import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partbook.errors import ConfigError
from partbook.tasks.judges.short import ShortJudge


def judged(reference, text):
    return asyncio.run(ShortJudge(reference).judge(text)).outcome


RIGHT = [
    ("Marie Curie", "Marie Curie"),
    ("Marie Curie", "marie  curie."),
    ("Marie Curie", "The answer is Marie Curie."),
    ("Marie Curie", "<answer>Marie Curie</answer>"),
    ("Marie Curie", r"\boxed{\text{Marie Curie}}"),
    ("Dr. No", "Answer: Dr. No"),
    ("the equator", "Equator"),
    ("T-cell", "T cell"),
    ("3.14", "3.1405"),
    ("0.25", "1/4"),
    ("0.25", "25%"),
    ("25%", "0.25"),
    ("25%", "25 percent"),
    ("9.81 m/s^2", "9.81"),
    ("2.5 km", "2500 m"),
    ("$12.50", "12.5 dollars"),
    ("1,500", "1500"),
    ("6.02e23", r"6.022 \times 10^{23}"),
    ("-40", "−40"),
    ("5 J", "E = 5"),
    ("1999", "1999"),
]
WRONG = [
    ("Marie Curie", ""),
    ("Marie Curie", "<answer></answer>"),
    ("Marie Curie", r"\boxed{}"),
    ("Marie Curie", "Marie"),
    ("Marie", "Marie Curie"),
    ("no", "nothing"),
    ("Marie Curie", "<think>Marie Curie"),
    ("Marie Curie", r"\boxed{Marie Curie"),
    ("3.14", "3.2"),
    ("0.25", "25"),
    ("1999", "2000"),
    ("100000", "100001"),
    ("-40", "40"),
    ("0", "0.0001"),
    ("2.5 km", "2.5 kg"),
    ("2.5 km", "2.5 m"),
    ("5", "five hundred and 5 more"),
    ("5", "5, 6, 7 and 8"),
]


@pytest.mark.parametrize(("reference", "text"), RIGHT)
def test_the_same_answer_in_another_spelling_is_right(reference, text):
    assert judged(reference, text) == "right"


@pytest.mark.parametrize(("reference", "text"), WRONG)
def test_another_answer_is_wrong(reference, text):
    assert judged(reference, text) == "wrong"


def test_a_verdict_says_how_the_answer_is_right():
    verdict = ShortJudge("3.14").judge_now("The answer is 3.1401.")

    assert verdict.answer == "3.1401"
    assert "the same number within one part in a thousand" in verdict.reason


@pytest.mark.parametrize("reference", ["", "  ", "?!", "..."])
def test_a_blank_reference_is_refused(reference):
    with pytest.raises(ConfigError):
        ShortJudge(reference)


WORDS = st.text(st.characters(categories=["Ll"], max_codepoint=127), min_size=2, max_size=12)


@given(st.lists(WORDS, min_size=1, max_size=3).map(" ".join), st.booleans())
def test_a_reference_in_a_tag_is_right_in_any_case(reference, upper):
    answer = reference.upper() if upper else f"  {reference}. "

    assert judged(reference, f"<answer>{answer}</answer>") == "right"


@given(st.text(max_size=100))
def test_no_text_makes_the_judge_fail_or_is_right_by_chance(text):
    assert judged("zygomorphic", text) == "wrong"


@given(st.text("0123456789.,%$-/ emk", max_size=15))
def test_no_number_makes_the_judge_fail(text):
    assert judged("zygomorphic", text) == "wrong"
