import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partbook.evaluate.systems.voting import majority, normalised


@pytest.mark.parametrize(
    ("text", "vote"),
    [
        ("So it is twelve hundred. Answer: 1,200.0.", "1200"),
        (r"Hence \boxed{Plum}", "plum"),
        ("<answer> B </answer>", "b"),
        ("Plum.", "plum"),
        ("The answer is **-3.50**", "-3.5"),
        ("Answer: 7\nNo, wait. Answer: 8", "8"),
        ("<think>Answer: 7</think>Answer: 8", "8"),
        ("Answer: -0.0", "0"),
        ("Answer: 12345678901234567890123456789012", "12345678901234567890123456789012"),
    ],
)
def test_an_answer_votes_for_what_it_comes_down_to(text, vote):
    assert normalised(text) == vote


@pytest.mark.parametrize("text", ["", "<think>Answer: 7", "<answer>7", r"\boxed{7"])
def test_an_answer_that_was_cut_off_votes_for_nothing(text):
    assert normalised(text) is None


def test_the_first_answer_of_the_largest_group_wins():
    answers = ["Answer: 1", "It is 2. Answer: 2", "Answer: 2.0"]

    assert majority(answers) == "It is 2. Answer: 2"


def test_of_equally_large_groups_the_one_that_voted_first_wins():
    assert majority(["Answer: 2", "Answer: 1", "Answer: 1", "Answer: 2"]) == "Answer: 2"


def test_where_nobody_votes_the_first_answer_stands():
    assert majority(["<answer>1", "<answer>2"]) == "<answer>1"
    assert majority([]) is None


def test_what_counts_as_the_same_can_be_replaced():
    assert majority(["a1", "b1", "b2"], key=lambda text: text[0]) == "b1"


def test_a_huge_answer_is_read_from_its_end():
    assert normalised("x" * 1_000_000 + " Answer: 4") == "4"


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=60), max_size=6))
def test_whatever_was_written_the_majority_is_one_of_the_answers(answers):
    assert majority(answers) in (*answers, None)
    assert (majority(answers) is None) == (not answers)
