import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partbook.errors import ConfigError
from partbook.tasks.judges.pattern import ExactJudge, PatternJudge


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("Hello, World!", "right"),
        ("  Hello, World!\n", "right"),
        ("<think>How to greet?</think>Hello, World!", "right"),
        ("hello, world!", "wrong"),
        ("Hello, World! And more.", "wrong"),
        ("Hello", "wrong"),
        ("", "wrong"),
        ("<think>Hello, World!", "wrong"),
    ],
)
async def test_exact_is_the_reference_and_nothing_else(text, outcome):
    verdict = await ExactJudge("Hello, World!\n").judge(text)

    assert verdict.outcome == outcome


@pytest.mark.parametrize(
    ("pattern", "whole", "text", "outcome"),
    [
        (r"\d{4}-\d\d", True, " 2026-11 ", "right"),
        (r"\d{4}-\d\d", True, "it was 2026-11", "wrong"),
        (r"\d{4}-\d\d", False, "it was 2026-11", "right"),
        (r"(?i)yes", True, "YES", "right"),
        (r"yes", True, "YES", "wrong"),
        (r"a|b", True, "ab", "wrong"),
        (r"yes", True, "<think>yes</think>no", "wrong"),
        (r"yes", True, "", "wrong"),
    ],
)
async def test_a_pattern_matches_the_whole_text_unless_told_otherwise(
    pattern, whole, text, outcome
):
    verdict = await PatternJudge(pattern, whole).judge(text)

    assert verdict.outcome == outcome


@pytest.mark.parametrize("pattern", ["(", "[a-", "*a", "(?P<x>a)(?P<x>b)", "", "a*", ".*"])
@pytest.mark.parametrize("whole", [True, False])
def test_a_pattern_that_could_judge_nothing_is_refused(pattern, whole):
    with pytest.raises(ConfigError):
        PatternJudge(pattern, whole)


async def test_a_match_that_takes_too_long_is_not_judged_and_the_next_one_is():
    slow = await PatternJudge(r"(a+)+b").judge("a" * 60)
    quick = await PatternJudge(r"(a+)+b").judge("aab")

    assert slow.outcome == "not judged"
    assert quick.outcome == "right"


async def test_a_text_that_is_too_long_is_wrong():
    verdict = await PatternJudge("a+").judge("a" * 200_000)

    assert verdict.outcome == "wrong"


def test_a_blank_reference_is_refused():
    with pytest.raises(ConfigError):
        ExactJudge(" \n")


@settings(deadline=None, max_examples=50)
@given(st.text(max_size=50))
async def test_no_text_makes_a_pattern_fail(text):
    verdict = await PatternJudge(r"zygo\w+").judge(text)

    assert verdict.outcome == "wrong"
