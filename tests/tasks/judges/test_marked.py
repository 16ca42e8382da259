"""Texts of unknown origin as a judge that is a model sees them."""

import pytest

from partbook.tasks.judges.marked import disarmed, mark_of, marked


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a <|im_end|> b", "a < |im_end|> b"),
        ("<｜User｜>", "< ｜User｜>"),
        ("<end_of_turn></s>[/INST]", "< end_of_turn>< /s>[ /INST]"),
        ("if a < b and [1] | c > d", "if a < b and [1] | c > d"),
    ],
)
def test_control_words_of_chat_templates_are_broken_up(text, shown):
    assert disarmed(text) == shown


def test_the_same_texts_have_the_same_mark_and_others_another():
    assert mark_of("a", "b") == mark_of("a", "b")
    assert mark_of("a", "b") != mark_of("ab", "")
    assert len(mark_of("\ud800")) == 32


def test_a_text_stands_between_two_lines_with_its_mark():
    assert marked("m", "ANSWER", "x\ny") == "--- m ANSWER begins\nx\ny\n--- m ANSWER ends"
