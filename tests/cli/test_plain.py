import io
import json
import sys
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partbook.cli.plain import clean, head, print_json


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("한국어 🙂 é", "한국어 🙂 é"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x9b31mred", "red"),
        ("\x1b]0;new title\x07text", "text"),
        ("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bPq sixels\x1b\\text", "text"),
        ("\x1bcreset", "reset"),
        ("\x1b(0lines", "lines"),
        ("hidden\rshown", "hidden\nshown"),
        ("one\r\ntwo\u2028three", "one\ntwo\nthree"),
        ("bell\a, back\b, null\0, delete\x7f", "bell, back, null, delete"),
        ("turned \u202eround\u202c", "turned round"),
        ("half \ud83d", "half \ufffd"),
        ("an end that never comes \x1b]0;and what follows", "an end that never comes "
         "]0;and what follows"),
        ("\x1b\x1b[31m[31mred", "[31mred"),
        ("trailing \x1b", "trailing "),
    ],
)  # fmt: skip
def test_what_a_terminal_would_obey_is_taken_out(text, printed):
    assert clean(text) == printed


@given(st.text(st.characters(exclude_categories=()) | st.sampled_from("\x1b\x9b[];m\r")))
def test_nothing_that_a_terminal_would_obey_is_left(text):
    left = {c for c in clean(text) if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")}

    assert left <= {"\n", "\t"}
    assert clean(clean(text)) == clean(text)


@pytest.mark.parametrize("piece", ["\x1b]", "\x9d", "\x1b[", "\x1b[0", "\x1bP;", "\x1b ", "\x1b"])
def test_long_hostile_text_is_cleaned_in_a_moment(piece):
    text = piece * 200_000

    began = time.process_time()
    clean(text)

    assert time.process_time() - began < 2


def test_a_head_is_one_clean_line():
    assert head("  two\n\tlines \x1b[2J of  text ") == "two lines of text"


@pytest.mark.parametrize(
    ("encoding", "printed"),
    [("utf-8", '{"said": "한국어"}\n'), ("latin-1", '{"said": "\\ud55c\\uad6d\\uc5b4"}\n')],
)
def test_json_is_readable_where_the_output_can_hold_it(monkeypatch, encoding, printed):
    file = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(file, encoding, write_through=True))

    print_json({"said": "한국어"})

    assert file.getvalue().decode(encoding) == printed


def test_half_a_surrogate_pair_is_printed_as_json(capsys):
    print_json({"said": "half \ud83d"})

    assert json.loads(capsys.readouterr().out) == {"said": "half \ud83d"}
