import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partbook.tasks.judges.maths_text import split_top, tidy, unreadable


@pytest.mark.parametrize(
    ("text", "spelling"),
    [
        (r"$\left(\dfrac12,\ 5\right)$", r"(\frac{1}{2}, 5)"),
        (r"\[ x \leqslant 3 \]", r"x \le 3"),
        (r"\frac1{10}", r"\frac{1}{10}"),
        ("√3/2", r"\sqrt{3}/2"),
        ("sqrt(3)/2", r"\sqrt{3}/2"),
        ("x² + 1", "x^{2} + 1"),
        ("2*pi", r"2\cdot \pi"),
        ("−３", "-3"),
        (r"12{,}500", "12,500"),
        (r"3{,}5", "3.5"),
        (r"\\frac{1}{2}", r"\frac{1}{2}"),
        ("**42**.", "42"),
        (r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}", r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}"),
        (r"90^{\circ}", "90°"),
        (r"\mathrm{e}^x", "e^x"),
        (r"\mathbf{even}", r"\text{even}"),
    ],
)
def test_mathematics_gets_one_spelling(text, spelling):
    assert tidy(text) == spelling


@pytest.mark.parametrize(
    "text",
    [r"\frac{1}{2}", "x^2+3x-1", r"\sqrt{2}\pi", r"\log_2 8", r"\int_0^1 x dx", "(n+1)!", "a_{n}"],
)
def test_mathematics_may_be_parsed(text):
    assert unreadable(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "lambda x: x",
        "print(1)",
        "f'(x)'",
        "a; b # c",
        r"\input{x}",
        r"\write18{ls}",
        "x" * 3000,
        "(" * 30 + ")" * 30,
        r"\frac{1}{2",
        "3 4",
        "9^{9^{9}}",
        "10^{10000}",
        "(10^9)!",
        "(4!)!",
        "figure",
        "\u0000",
        '"x"',
    ],
)
def test_what_is_no_small_mathematics_may_not_be_parsed(text):
    assert unreadable(text) is not None


@given(st.text(max_size=300))
def test_no_text_makes_tidying_fail(text):
    assert unreadable(tidy(text)) != ""


@pytest.mark.parametrize(
    "mark", ["{", "}", "(", "\\", "$", "^(", r"\sqrt(", r"\frac", "1 ", "**", r"\text{", "_", "*"]
)
def test_long_texts_take_no_time(mark):
    start = time.process_time()

    unreadable(tidy(mark * (4_000 // len(mark))))

    assert time.process_time() - start < 1


def test_only_separators_outside_brackets_split():
    parts = split_top("(1, 2), [3, 4], 5", re.compile(r",\s*"))

    assert parts == ["(1, 2)", "[3, 4]", "5"]
