import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partbook.parse.escape import escape, unescape

steady = settings(deadline=None, derandomize=True)


@steady
@given(st.text())
def test_what_is_escaped_is_read_back(text):
    assert unescape(escape(text)) == text


@steady
@given(
    st.lists(st.sampled_from(["\\", "n", "u", "nabla", "\n", "\t", '"', "u0041", "x"])).map("".join)
)
def test_backslashes_before_anything_are_read_back(text):
    assert unescape(escape(text)) == text


def test_an_escaped_text_has_no_bare_quote_and_no_line_end():
    assert escape('a "b"\nc\r\x00\u2028') == 'a \\"b\\"\\nc\\u000d\\u0000\\u2028'


def test_a_new_line_that_would_read_as_a_command_is_written_by_its_number():
    assert escape("a\nabla\nb") == "a\\u000aabla\\u000ab"


@pytest.mark.parametrize(
    "text",
    [
        r"\frac{1}{2}",
        r"\times \theta \tan \text{a} \to",
        r"\beta \begin{x} \bar{a}",
        r"\nabla \neq \nu \not",
        r"\rho \right) \rangle",
        r"\alpha \vec{v} \underline{x} \xi",
        r"\{a\} \( \[ \, \% \1",
        r"\begin{cases} 1 \\ 2 \end{cases}",
    ],
)
def test_latex_stays_as_it_is(text):
    assert unescape(text) == text


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (r"a\nb", "a\nb"),
        (r"a\nThen\tb", "a\nThen\tb"),
        (r"\ni) a\nii) b\nu. c", "\ni) a\nii) b\nu. c"),
        (r"a\r\nb", "a\r\nb"),
        (r"\"a\" \'b\'", "\"a\" 'b'"),
        (r"C:\\dir", "C:\\dir"),
        (r"\\frac{1}{2}", "\\frac{1}{2}"),
        (r"\\nabla", "\\nabla"),
        (r"\u00e9\x41\U0001f600", "éA😀"),
        (r"\ud83d\ude00", "😀"),
        (r"\ud83d!", "\ufffd!"),
        (r"\U99999999", "\\U99999999"),
        ("a\\\nb", "ab"),
        (r"\frac12 \\beta", r"\frac12 \beta"),
        (r"km\/h", r"km\/h"),
        ("a\\", "a\\"),
    ],
)
def test_real_escapes_are_resolved(body, text):
    assert unescape(body) == text


def test_a_slash_is_escaped_only_in_json():
    assert unescape(r"km\/h", is_json=True) == "km/h"


@steady
@given(st.text(st.sampled_from("\\nrtuUx0123aAé\"'/\ud800 ")), st.booleans())
def test_no_body_fails(body, is_json):
    unescape(body, is_json=is_json)
