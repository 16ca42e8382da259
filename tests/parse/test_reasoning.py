import pytest

from partbook.parse.reasoning import Reasoning, find_reasoning


@pytest.mark.parametrize(
    "text",
    [
        "<think>a</think>b",
        "<THINKING>a</Thinking>b",
        "<seed:think>a</seed:think>b",
        "[THINK]a[/THINK]b",
        "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b",
    ],
)
def test_reasoning_is_found_in_its_spellings(text):
    reasoning = find_reasoning(text)

    assert reasoning.holds(text.index("a"))
    assert not reasoning.holds(len(text) - 1)
    assert reasoning.unfinished is None


def test_an_opening_tag_inside_reasoning_opens_nothing():
    assert find_reasoning("<think>a<think>b</think>c").spans == [(0, 24)]


def test_a_closing_tag_without_an_opening_one_is_stray():
    assert find_reasoning("a</think>b") == Reasoning([], 9, None)


def test_reasoning_without_an_end_goes_on_to_the_end():
    assert find_reasoning("ab<think>c") == Reasoning([(2, 10)], 0, 2)


def test_a_tag_in_quotes_or_in_a_quoted_span_is_data():
    assert find_reasoning("`<think>` a '</think>'") == Reasoning([], 0, None)
    assert find_reasoning("x <think> y", [(0, 11)]) == Reasoning([], 0, None)
    assert find_reasoning("x <think> y", [(0, 1)]).unfinished == 2
