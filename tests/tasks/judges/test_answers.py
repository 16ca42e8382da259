import time

import pytest

from partbook.tasks.judges.answers import (
    Box,
    after_reasoning,
    answer_tag,
    boxes,
    statement_tails,
)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("no reasoning", "no reasoning"),
        ("<think>a draft</think>the rest", "the rest"),
        ("the opening tag was in the prompt</think>the rest", "the rest"),
        ("<think>one</think>and<THINK>two</THINK>the rest", "the rest"),
        ("<think>cut in the mid", None),
        ("<think>one</think> and <think>cut", None),
    ],
)
def test_only_what_follows_the_reasoning_is_read(text, rest):
    assert after_reasoning(text) == rest


def test_boxes_are_found_with_their_places_and_braces():
    text = r"\boxed{\frac{1}{2}} then \fbox{\{3\}}"

    assert boxes(text) == [Box(0, 19, r"\frac{1}{2}"), Box(25, 37, r"\{3\}")]


@pytest.mark.parametrize("text", [r"\boxed{1", r"\boxed{\frac{1}{2}", r"\boxed{\}", r"\boxed"])
def test_a_box_that_is_not_closed_has_no_content(text):
    assert boxes(text) == [Box(0, len(text), None)]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("<answer> 4 </answer>", "4"),
        ("<answer>4</answer><answer>5</answer>", "5"),
        ("<answer><answer>4</answer>", "4"),
        ("<answer>4</answer><answer>5", None),
    ],
)
def test_the_last_answer_tag_counts(text, content):
    tag = answer_tag(text)

    assert tag is not None
    assert tag.content == content


@pytest.mark.parametrize("text", ["", "answer", "</answer>", "<answers>4</answers>"])
def test_a_text_without_a_tag_has_none(text):
    assert answer_tag(text) is None


@pytest.mark.parametrize(
    ("text", "tails"),
    [
        ("The answer is 4.", ["4."]),
        ("**Final Answer:** 4", ["4"]),
        ("Answer:\n\n4", ["4"]),
        ("정답: 4\n答案是5", ["4", "5"]),
        ("#### 4", ["4"]),
        ("Antwort: 4\nRespuesta: 5", ["4", "5"]),
        ("We answered 4 questions.", []),
    ],
)
def test_statements_of_an_answer_are_found(text, tails):
    assert [tail for _, tail in statement_tails(text)] == tails


@pytest.mark.parametrize(
    "text",
    [
        r"\boxed{" * 30_000,
        "\n" * 200_000,
        "<answer>" * 25_000,
        "<think></think>" * 14_000,
        "answer is " * 20_000,
        "answer:\n" * 25_000,
    ],
    ids=["boxes", "lines", "tags", "reasoning", "statements", "empty statements"],
)
def test_long_texts_take_no_time(text):
    start = time.process_time()

    boxes(text)
    answer_tag(text)
    after_reasoning(text)
    statement_tails(text)

    assert time.process_time() - start < 2
