import ast
import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partbook.parse.literal import LiteralError, read_list

steady = settings(deadline=None, derandomize=True)

# Control characters are written as escapes, which a hand means otherwise: see `test_escape.py`.
PLAIN_TEXT = st.text(
    st.characters(codec="utf-8", exclude_characters="\\", exclude_categories=["Cc"]), max_size=20
)
LISTS = st.lists(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(10**15), 10**15) | PLAIN_TEXT,
        lambda inner: st.lists(inner, max_size=3),
        max_leaves=6,
    ),
    max_size=4,
)


@steady
@given(LISTS)
def test_what_python_writes_is_read_as_python_reads_it(value):
    text = repr(value)

    assert read_list(text, 0) == (ast.literal_eval(text), len(text))


@steady
@given(LISTS, st.sampled_from([None, 2]))
def test_what_json_writes_is_read_as_json_reads_it(value, indent):
    text = json.dumps(value, indent=indent)

    assert read_list(text, 0, is_json=True) == (json.loads(text), len(text))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[]", []),
        ("(1, 2)", [1, 2]),
        ("[1, 2,]", [1, 2]),
        ("[1,  # one, 'x' [3]\n 2]", [1, 2]),
        ("[1, // one\n 2]", [1, 2]),
        ("[null, None, true, all]", [None, None, True, "all"]),
        ("['a' 'b', \"c\"]", ["ab", "c"]),
        ('[\'\'\'it\'s\'\'\', """a "b" \\""""]', ["it's", 'a "b" "']),
        ("[r'\\n', u'\\n']", ["\\n", "\n"]),
        ("[“a”, ‘b’, „c“, 「d」]", ["a", "b", "c", "d"]),
        ("［1，2］", [1, 2]),
        ("['a\nb']", ["a\nb"]),
        ("['a # b', 'c']", ["a # b", "c"]),
        ("[ \u200b1\u00a0, \ufeff2]", [1, 2]),
        ("[-1, 0.5]", [-1, 0.5]),
        ("['he's in', 'l'été']", ["he's in", "l'été"]),
        ('["say "yes" or "no"."]', ['say "yes" or "no".']),
        ('["all", 0, [1]]', ["all", 0, [1]]),
    ],
)
def test_spellings_of_a_literal(text, value):
    assert read_list(text + " rest", 0) == (value, len(text))


@pytest.mark.parametrize(
    ("text", "reason", "at"),
    [
        ("[1, 2", "truncated", 5),
        ("['a', 'b", "truncated", 8),
        ("['a\\", "truncated", 4),
        ("['''a''", "truncated", 7),
        ("[1, no", "truncated", 6),
        ("[1 2]", "not_a_literal", 3),
        ("[1, 2)", "not_a_literal", 5),
        ("[1 + 2]", "not_a_literal", 3),
        ("[f'a']", "not_a_literal", 1),
        ("[b'a']", "not_a_literal", 1),
        ("[{1: 2}]", "not_a_literal", 1),
        ("[01x]", "not_a_literal", 1),
        ("['a' + 'b']", "not_a_literal", 3),
        ('["a "b", "c" d"]', "not_a_literal", 6),
        ("[" * 9 + "]" * 9, "too_deep", 8),
        ("[" + "1" * 19 + "]", "bad_number", 20),
    ],
)
def test_what_is_no_literal_is_refused_at_its_place(text, reason, at):
    with pytest.raises(LiteralError) as caught:
        read_list(text, 0)

    assert (caught.value.reason, caught.value.at) == (reason, at)


@pytest.mark.parametrize(
    ("text", "is_placeholder"),
    [
        ("[...]", True),
        ("[0, 1, …]", True),
        ("[<id>, <id>]", True),
        ("[id, id]", True),
        ("['a', 'b', ...]", True),
        ("[0, id]", False),
        ("[0 * 1]", False),
        ("['a', then 'b']", False),
    ],
)
def test_the_format_restated_is_told_from_an_attempt_at_it(text, is_placeholder):
    with pytest.raises(LiteralError) as caught:
        read_list(text, 0)

    assert caught.value.placeholder is is_placeholder


def test_a_plain_string_does_not_reach_into_a_line_that_the_caller_names():
    stop = re.compile("next")

    assert read_list("['a\nb']", 0, stop=stop) == (["a\nb"], 7)
    assert read_list("['''a\nnext''']", 0, stop=stop) == (["a\nnext"], 14)
    with pytest.raises(LiteralError, match="is not closed"):
        read_list("['a\nnext = 'b']", 0, stop=stop)


@steady
@given(st.text())
def test_no_text_raises_anything_but_a_literal_error(text):
    try:
        _, end = read_list("[" + text, 0)
    except LiteralError as err:
        end = err.at

    assert 0 < end <= len(text) + 1
