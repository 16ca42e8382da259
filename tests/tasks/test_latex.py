import pytest

from partbook.tasks.latex import mend_latex


@pytest.mark.parametrize(
    ("read", "meant"),
    [
        ("\frac{m}{n}", r"\frac{m}{n}"),
        ("\triangle ABC and \times", r"\triangle ABC and \times"),
        ("\beta, \vec{x}, \angle", r"\beta, \vec{x}, \angle"),
        ("a\rightarrow b, \rho", r"a\rightarrow b, \rho"),
        ("a \neq b", r"a \neq b"),
    ],
)
def test_a_lost_backslash_is_put_back(read, meant):
    assert mend_latex(read) == meant


@pytest.mark.parametrize(
    "text", ["two\nlines", "a\tb", "a\ttall tree", "end\r\nnext", r"\frac{1}{2}", "\nequal parts"]
)
def test_marks_that_texts_use_stay(text):
    assert mend_latex(text) == text
