r"""Each table is one kind of fault that public judges of mathematics were found to have."""

import asyncio
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partbook.tasks.judges.killable import Killable
from partbook.tasks.judges.maths import MathsJudge


def judged(reference, text):
    return asyncio.run(MathsJudge(reference).judge(text)).outcome


def boxed(answer):
    return rf"So it is \boxed{{{answer}}}."


LAST_BOX = [
    ("96", r"Not \boxed{90}, since six were missed: \boxed{96}.", "right"),
    ("90", r"Not \boxed{90}, since six were missed: \boxed{96}.", "wrong"),
    ("7", r"\boxed{3}" "\n\nA check shows a slip.\n\n" r"\boxed{7}", "right"),
    ("3", r"\boxed{3}" "\n\nA check shows a slip.\n\n" r"\boxed{7}", "wrong"),
    ("31", r"\boxed{30}. Wait, I forgot one. The answer is 31.", "right"),
    ("30", r"\boxed{30}. Wait, I forgot one. The answer is 31.", "wrong"),
    ("30", r"\boxed{30}. The answer is in lowest terms.", "right"),
    ("30", r"\boxed{30}. Wait, the answer is " + "9" * 450, "wrong"),
]
BOXES_IN_A_LIST = [
    ("3, 8", r"They are \boxed{3} and \boxed{8}.", "right"),
    ("8, 3", r"They are $\boxed{3}$, $\boxed{8}$.", "right"),
    ("(3, 8)", r"$x = \boxed{3}$, $y = \boxed{8}$", "right"),
    ("(3, 8)", r"$y = \boxed{3}$, $x = \boxed{8}$", "wrong"),
    ("1, 2, 3", r"\boxed{1}, \boxed{2}, and \boxed{3}", "right"),
    ("8", r"Either \boxed{3} or \boxed{8}.", "wrong"),
]
KINDS_OF_BOX = [
    ("71", r"\fbox{71}", "right"),
    ("71", r"$$\boxed{ 71 }$$", "right"),
    ("71", r"\boxed 71", "right"),
    ("71", r"\boxed{\boxed{71}}", "right"),
    (r"\frac{2}{7}", r"\boxed{\frac{2}{7}}}", "right"),
    (r"\{1, 2\}", r"\boxed{\{1, 2\}}", "right"),
]
CUT = [
    (r"\frac{2}{7}", r"It is \boxed{\frac{2}{7", "wrong"),
    ("27", r"It is \boxed{27", "wrong"),
    ("2", r"First \boxed{2}, and then \boxed{", "wrong"),
    ("2", r"It is 2, as \boxed", "wrong"),
    ("27", "<answer>27", "wrong"),
    ("27", r"<think>Surely \boxed{27}", "wrong"),
    ("27", r"<think>Surely \boxed{27}</think> Let me see.", "wrong"),
    ("27", r"Surely \boxed{26}</think> \boxed{27}", "right"),
]
EMPTY = [
    ("4", r"\boxed{}", "wrong"),
    ("4", r"\boxed{ }", "wrong"),
    ("4", "<answer></answer>", "wrong"),
    ("4", "", "wrong"),
    ("4", "   \n  ", "wrong"),
]
TAGS = [
    ("63", r"<answer>\boxed{63}</answer>", "right"),
    ("63", "<answer> 63 </answer>", "right"),
    (r"\frac{1}{9}", r"<answer>\frac{2}{18}</answer>", "right"),
    ("63", "<answer>The answer is 63.</answer>", "right"),
    ("63", "<answer>60</answer> no: <answer>63</answer>", "right"),
    ("60", "<answer>60</answer> no: <answer>63</answer>", "wrong"),
    ("63", r"\boxed{60} <answer>63</answer>", "right"),
]
PROSE = [
    ("15", "The answer is 15.", "right"),
    ("15", "**Final answer:** 15", "right"),
    ("15", "Answer:\n\n$15$", "right"),
    ("15", "So we are left with 15 apples.", "right"),
    ("15", "Hence x = 15.", "right"),
    ("15", "#### 15", "right"),
    ("15", "정답은 15입니다.", "right"),
    (r"\sqrt{3}", r"The answer is $\sqrt{3}$, which is irrational.", "right"),
    ("15", "It is 15 or 16.", "wrong"),
    ("15", "First 15.\nThen we go on to other matters.", "wrong"),
]
ALL_PARTS = [
    ("9 and 49", boxed("9"), "wrong"),
    ("9, 49", boxed("49"), "wrong"),
    ("9", boxed("9, 49"), "wrong"),
    ("9", boxed(r"9 \text{ or } 49"), "wrong"),
    ("9, 49, 81", boxed("9, 81"), "wrong"),
    ("9 and 49", boxed(r"49 \text{ and } 9"), "right"),
]
PERCENT = [
    (r"35\%", boxed(r"35 \text{ percent}"), "right"),
    (r"35\%", boxed(r"35\text{ per cent}"), "right"),
    ("0.35", boxed(r"35\%"), "right"),
    (r"35\%", boxed("0.35"), "right"),
    (r"35\%", boxed(r"\frac{7}{20}"), "right"),
    (r"35\%", boxed("35"), "right"),
    ("0.35", boxed("35"), "wrong"),
    ("0.35", boxed(r"0.35\%"), "wrong"),
    (r"0.35\%", boxed("0.35"), "wrong"),
]
FRACTIONS = [
    (r"\frac{3}{8}", boxed(r"\dfrac38"), "right"),
    (r"\frac{3}{8}", boxed(r"\tfrac{3}8"), "right"),
    (r"\frac{3}{8}", boxed("3/8"), "right"),
    (r"\frac{3}{8}", boxed("0.375"), "right"),
    (r"\frac{3}{8}", boxed(r"\frac{6}{16}"), "right"),
    (r"-\frac{3}{8}", boxed(r"\frac{-3}{8}"), "right"),
    (r"2\frac{1}{4}", boxed(r"\frac{9}{4}"), "right"),
    (r"2\frac{1}{4}", boxed("2.25"), "right"),
    (r"\frac{3}{8}", boxed(r"\frac{8}{3}"), "wrong"),
    (r"\frac{1}{7}", boxed("0.142857"), "right"),
    (r"\frac{1}{7}", boxed("0.14"), "wrong"),
]
ROOTS = [
    (r"\frac{\sqrt{5}}{5}", boxed(r"\frac{1}{\sqrt{5}}"), "right"),
    (r"\sqrt{72}", boxed(r"6\sqrt 2"), "right"),
    (r"\sqrt{2}+1", boxed(r"\frac{1}{\sqrt{2}-1}"), "right"),
    (r"\sqrt{2}", boxed("1.41421356"), "right"),
    (r"7\sqrt{3}", boxed(r"7\sqrt(3)"), "right"),
    ("7", boxed(r"7\sqrt(3)"), "wrong"),
    ("7", boxed(r"7\sqrt{3}"), "wrong"),
    (r"2\sqrt{3}", "2√3", "right"),
]
SMALL_AND_LARGE = [
    (r"\frac{1}{3^{50}}", boxed(r"\frac{1}{3^{51}}"), "wrong"),
    (r"\frac{1}{3^{50}}", boxed(r"3^{-50}"), "right"),
    (r"2^{-80}\sqrt{2}", boxed(r"2^{-81}\sqrt{2}"), "wrong"),
    (r"10^{-30}", boxed("0"), "wrong"),
    ("2^{90}", boxed("1237940039285380274899124224"), "right"),
    ("2^{90}", boxed("1237940039285380274899124225"), "wrong"),
    ("0.00002", boxed(r"2\times 10^{-5}"), "right"),
]
SIGNS = [
    (r"5-\frac{2}{e}", boxed(r"5+\frac{2}{e}"), "wrong"),
    (r"5-\frac{2}{e}", boxed(r"-\frac{2}{e}+5"), "right"),
    (r"\pi-1", boxed(r"\pi+1"), "wrong"),
    ("x-4", boxed("x+4"), "wrong"),
    (r"|x|", boxed("x"), "wrong"),
    ("-6", boxed("−6"), "right"),
    ("-6", boxed("6"), "wrong"),
]
PLUS_MINUS = [
    (r"\pm 4", boxed("4"), "wrong"),
    (r"\pm 4", boxed("-4"), "wrong"),
    ("4", boxed(r"\pm 4"), "wrong"),
    (r"\pm 4", boxed("-4, 4"), "right"),
    ("4, -4", boxed("±4"), "right"),
    (r"1 \pm \sqrt{5}", boxed(r"1-\sqrt{5}, 1+\sqrt{5}"), "right"),
    (r"1 \pm \sqrt{5}", boxed(r"1+\sqrt{5}"), "wrong"),
]
INTERVALS = [
    ("[1,6)", boxed("(1,6)"), "wrong"),
    ("[1,6)", boxed("[1,6]"), "wrong"),
    ("[1,6)", boxed("[1, 6)"), "right"),
    ("[1,6)", boxed(r"1 \le x < 6"), "right"),
    ("[1,6)", boxed(r"x \in [1,6)"), "right"),
    ("(1,6)", boxed("]1,6["), "right"),
    ("x > 2", boxed(r"(2, \infty)"), "right"),
    ("x > 2", boxed(r"[2, \infty)"), "wrong"),
    (r"\{x \mid x \ge 2\}", boxed(r"[2,\infty)"), "right"),
]
UNIONS = [
    (r"(-\infty,2)\cup(2,5]", boxed(r"(-\infty,5]"), "wrong"),
    (r"(-\infty,2)\cup(2,5]", boxed(r"(2,5]\cup(-\infty,2)"), "right"),
    (r"(-\infty,2)\cup(2,5]", boxed(r"(-\infty,2]\cup(2,5]"), "wrong"),
    (r"(-\infty,2)\cup(2,\infty)", boxed(r"x \ne 2"), "right"),
    (r"(-\infty,2)\cup(2,\infty)", boxed(r"\mathbb{R}\setminus\{2\}"), "right"),
    (r"(-\infty,2)\cup(2,\infty)", boxed(r"\mathbb{R}"), "wrong"),
    (r"(-\infty,-3)\cup(3,\infty)", boxed(r"x<-3 \text{ or } x>3"), "right"),
]
PAIRS_AND_SETS = [
    ("(5, 1)", boxed("(1, 5)"), "wrong"),
    (r"\left(5, \frac{\pi}{3}\right)", boxed(r"(5, \frac{2\pi}{3})"), "wrong"),
    (r"\left(5, \frac{\pi}{3}\right)", boxed(r"(r,\theta) = (5, \frac{\pi}{3})"), "right"),
    (r"\{5, 1, 9\}", boxed(r"\{9, 5, 1\}"), "right"),
    (r"\{5, 1, 9\}", boxed("9, 5, 1"), "right"),
    (r"\{5, 1, 9\}", boxed(r"\{5, 1\}"), "wrong"),
    ("(5, 1)", boxed(r"\{5, 1\}"), "wrong"),
    ("(5, 1)", boxed(r"\langle 5, 1 \rangle"), "right"),
    (r"\emptyset", boxed(r"\text{no solution}"), "right"),
]
MATRICES = [
    (
        r"\begin{pmatrix} 2 & 0 \\ 1 & 5 \end{pmatrix}",
        boxed(r"\begin{bmatrix}2&0\\1&5\end{bmatrix}"),
        "right",
    ),
    (
        r"\begin{pmatrix} 2 & 0 \\ 1 & 5 \end{pmatrix}",
        boxed(r"\begin{pmatrix}2&1\\0&5\end{pmatrix}"),
        "wrong",
    ),
    (
        r"\begin{pmatrix} 1/2 \\ -3 \end{pmatrix}",
        boxed(r"\begin{pmatrix} 0.5 \\ -3 \end{pmatrix}"),
        "right",
    ),
    (
        r"\begin{pmatrix} 1/2 \\ -3 \end{pmatrix}",
        boxed(r"\begin{pmatrix} 0.5 & -3 \end{pmatrix}"),
        "wrong",
    ),
]
SEPARATORS = [
    ("48,200", boxed("48200"), "right"),
    ("48200", boxed("48{,}200"), "right"),
    ("48200", boxed(r"48\,200"), "right"),
    ("1,048,576", boxed("2^{20}"), "right"),
    ("48200", boxed(r"\$48,200"), "right"),
    ("100, 200", boxed("100,200"), "right"),
    ("48,200", boxed("48, 201"), "wrong"),
    ("2.5", boxed("2{,}5"), "right"),
]
EQUATIONS = [
    ("3x+4y-7=0", boxed("5x-2y+1=0"), "wrong"),
    ("3x+4y-7=0", boxed("6x+8y-14=0"), "right"),
    ("3x+4y-7=0", boxed("3x+4y=7"), "right"),
    ("y=3x-2", boxed("3x-y-2=0"), "right"),
    ("y=3x-2", boxed("3x-2"), "right"),
    ("y=3x-2", boxed("y=3x+2"), "wrong"),
    ("0", boxed("5x-2y+1=0"), "wrong"),
    (r"2x+y\le 4", boxed(r"4 \ge y+2x"), "right"),
    (r"2x+y\le 4", boxed(r"2x+y \ge 4"), "wrong"),
    ("12", boxed("7+5=12"), "right"),
]
ASSIGNMENTS = [
    ("6 or -1", boxed(r"b=-1 \text{ or } b=6"), "right"),
    ("6, -1", boxed(r"x_1 = 6,\ x_2 = -1"), "right"),
    ("x=6", boxed("6"), "right"),
    ("6", boxed("x = 6"), "right"),
    ("6", boxed("6 = x"), "right"),
    ("x=6", boxed("y=6"), "wrong"),
    ("x=6, y=2", boxed("y=2, x=6"), "right"),
    ("x=6, y=2", boxed("x=2, y=6"), "wrong"),
    ("f(x)=x^2", boxed("x^2"), "right"),
]
UNITS = [
    (r"40\text{ cm}", boxed("40"), "right"),
    ("40", boxed(r"40\text{ cm}"), "right"),
    (r"40\text{ cm}", boxed(r"0.4\mathrm{~m}"), "right"),
    (r"40\text{ cm}", boxed(r"40\text{ m}"), "wrong"),
    (r"40\text{ cm}^2", boxed(r"40\text{ cm}"), "wrong"),
    (r"40\text{ square cm}", boxed(r"40\text{ cm}^2"), "right"),
    ("40", boxed(r"40\text{ marbles}"), "right"),
    (r"90^\circ", boxed("90"), "right"),
    (r"\$7.50", boxed("7.5"), "right"),
    (r"2\text{ hours}", boxed(r"120\text{ minutes}"), "right"),
    (r"9\pi\text{ cm}^2", boxed(r"9\pi"), "right"),
]
WORDS = [
    (r"\text{west}", boxed(r"\text{West}"), "right"),
    (r"\text{west}", boxed("west"), "right"),
    (r"\text{west}", boxed("east"), "wrong"),
    ("C", boxed(r"\text{(C)}"), "right"),
    ("C", boxed(r"\textbf{(C) } 40"), "right"),
    ("40", boxed(r"\textbf{(C) } 40"), "right"),
    ("C", boxed("D"), "wrong"),
    ("7", boxed(r"\text{I do not know}"), "wrong"),
]
ALGEBRA = [
    ("x^2-9", boxed("(x-3)(x+3)"), "right"),
    ("x^2-9", boxed("(x-3)^2"), "wrong"),
    (r"\sin^2 x + \cos^2 x", boxed("1"), "right"),
    (r"(-1)^n", boxed(r"\cos(n\pi)"), "right"),
    (r"\log_2 32", boxed("5"), "right"),
    ("2+5i", boxed("5i+2"), "right"),
    ("2+5i", boxed("5+2i"), "wrong"),
    (r"\binom{6}{2}", boxed("15"), "right"),
    (r"x^{2/3}", boxed(r"\sqrt[3]{x^2}"), "right"),
    (r"\sin 30^\circ", boxed(r"\frac{1}{2}"), "right"),
    (r"\sum_{n=1}^{4} n^2", boxed("30"), "right"),
]
KINDS = {
    "the last box wins": LAST_BOX,
    "boxes in one list are one answer": BOXES_IN_A_LIST,
    "every kind of box is read": KINDS_OF_BOX,
    "a text that was cut holds no answer": CUT,
    "an empty answer is never right": EMPTY,
    "answer tags are read": TAGS,
    "statements in prose are read": PROSE,
    "a part of the answer is not the answer": ALL_PARTS,
    "percent is a hundredth": PERCENT,
    "fractions are compared by value": FRACTIONS,
    "roots are compared by value": ROOTS,
    "tolerance is relative": SMALL_AND_LARGE,
    "signs count": SIGNS,
    "plus-minus is two values": PLUS_MINUS,
    "the ends of intervals count": INTERVALS,
    "unions keep their gaps": UNIONS,
    "pairs are ordered and sets are not": PAIRS_AND_SETS,
    "matrices are compared cell by cell": MATRICES,
    "grouping commas are no separators": SEPARATORS,
    "equations are compared as equations": EQUATIONS,
    "names of values are read": ASSIGNMENTS,
    "units may be left out and are converted": UNITS,
    "words are compared as words": WORDS,
    "expressions are compared by value": ALGEBRA,
}
CASES = [
    pytest.param(*case, id=f"{kind}-{i}")
    for kind, cases in KINDS.items()
    for i, case in enumerate(cases)
]


@pytest.mark.parametrize(("reference", "text", "outcome"), CASES)
def test_an_answer_is_right_exactly_if_it_is_equal(reference, text, outcome):
    assert judged(reference, text) == outcome


@pytest.mark.parametrize(
    "answer",
    [
        "9^{9^{9^{9}}}",
        "(((5!)!)!)!",
        "(10^9)!",
        "(" * 2000 + "4" + ")" * 2000,
        r"\frac{1}{1+" * 150 + "1" + "}" * 150,
        r"\int_0^1 x^{x^x} dx",
        "7^{7^{7}}x",
        "1" * 3900,
        r"\sum_{n=1}^{10000000} \frac{1}{n^2+n+1}",
        r"((9^{9999})^{9999})^{9999}",
    ],
)
def test_a_costly_answer_is_wrong_within_ten_seconds(answer):
    start = time.monotonic()

    outcome = judged("24", boxed(answer))

    assert outcome != "right"
    assert time.monotonic() - start < 10


@pytest.mark.parametrize(
    "text",
    [
        f"<answer>{'.' * 100_000}x</answer>",
        f"<answer>{'^(1)' * 40_000}</answer>",
        rf"\boxed{{1}}{' ' * 100_000}\boxed{{2}}",
    ],
    ids=["dots", "powers", "space between boxes"],
)
def test_a_long_text_takes_no_time(text):
    start = time.process_time()

    outcome = judged("24", text)

    assert outcome == "wrong"
    assert time.process_time() - start < 2


def test_a_costly_answer_that_looks_harmless_is_stopped_and_the_next_one_is_judged():
    verdict = asyncio.run(MathsJudge(r"\sqrt{2}").judge(boxed(r"\binom{10^9}{10^8}")))

    assert verdict.outcome != "right"
    assert judged(r"\sqrt{2}", boxed(r"\frac{2}{\sqrt{2}}")) == "right"


@pytest.mark.parametrize(
    "program",
    [
        "__import__('pathlib').Path('{file}').touch()",
        "open('{file}', 'w').close() or 0",
        'exec(\'open("{file}", "w")\')',
        "().__class__.__base__.__subclasses__()",
        r"\input{{{file}}}",
        r"\write18{{touch {file}}}",
        "lambda: open('{file}', 'w')",
    ],
)
@pytest.mark.parametrize("reference", ["0", r"\sqrt{2}"])
def test_no_program_in_an_answer_is_run(tmp_path, program, reference):
    file = tmp_path / "traces"

    outcome = judged(reference, boxed(program.format(file=file)))

    assert outcome == "wrong"
    assert not file.exists()


@pytest.mark.parametrize(
    "reference",
    ["as shown in the figure", "?", "", r"\frac{1}{", "depends on which of them you take", "!!!"],
)
@pytest.mark.parametrize("answer", ["12", "0", r"\frac{1}{", "as shown in the figure"])
def test_a_reference_that_cannot_be_read_is_not_judged(reference, answer):
    assert judged(reference, boxed(answer)) == "not judged"


def test_a_reference_that_only_the_checker_finds_unreadable_is_not_judged():
    assert judged(r"\frac{1}{2} + \cdot", boxed(r"\sqrt{2}")) == "not judged"


async def test_a_check_that_could_not_run_is_not_judged():
    nobody = Killable("no.such.module", processes=1)

    verdict = await MathsJudge(r"\sqrt{2}", nobody).judge(boxed(r"\sqrt{8}/2"))

    assert verdict.outcome == "not judged"
    assert verdict.answer == r"\sqrt{8}/2"
    nobody.close()


def test_a_judge_works_in_any_thread():
    outcomes = []

    def run():
        outcomes.append(judged(r"\frac{\sqrt{8}}{9}", boxed(r"\frac{2\sqrt{2}}{9}")))

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert outcomes == ["right", "right", "right"]


async def test_a_verdict_says_what_was_found_and_why():
    verdict = await MathsJudge("8").judge(r"Thus \boxed{9}.")

    assert verdict.answer == "9"
    assert verdict.reason == "the answer (in the last box) does not equal 8"


def children():
    listed = [path.read_text() for path in Path("/proc/self/task").glob("*/children")]
    return set(" ".join(listed).split())


def mebibytes(pid):
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 // 2**20


async def test_checkers_do_not_grow():
    before = children()
    own = Killable("partbook.tasks.judges.maths_worker", processes=1)

    async def round_of_checks():
        for n in range(2, 150):
            verdict = await MathsJudge(rf"{n}\sqrt{{{n}}}", own).judge(boxed(rf"\sqrt{{{n**3}}}"))
            assert verdict.outcome == "right"
        (child,) = children() - before
        return mebibytes(child)

    first = await round_of_checks()
    second = await round_of_checks()

    assert second - first < 10
    own.close()


WRAPPERS = [
    r"So \boxed{{{}}}.",
    "The answer is ${}$.",
    "<answer>{}</answer>",
    "**Answer:** ${}$",
    r"\[ \boxed{{ {} }} \]",
]
NUMBERS = st.integers(-(10**6), 10**6)
SMALL = st.integers(1, 50)
FORMS = st.one_of(
    NUMBERS.map(str),
    st.tuples(NUMBERS, SMALL).map(lambda p: rf"\frac{{{p[0]}}}{{{p[1]}}}"),
    st.tuples(NUMBERS, SMALL).map(lambda p: f"{p[0]}.{p[1]}"),
    SMALL.map(lambda n: rf"{n}\%"),
    st.tuples(NUMBERS, NUMBERS).map(lambda p: f"({p[0]}, {p[1]})"),
    st.tuples(NUMBERS, SMALL).map(lambda p: f"[{p[0]}, {p[0] + p[1]})"),
    st.tuples(NUMBERS, NUMBERS, NUMBERS).map(lambda p: rf"\{{{p[0]}, {p[1]}, {p[2]}\}}"),
    st.tuples(SMALL, SMALL).map(lambda p: rf"{p[0]}\sqrt{{{p[1]}}}"),
    st.tuples(SMALL, SMALL).map(lambda p: f"x^2+{p[0]}x-{p[1]}"),
    SMALL.map(lambda n: rf"\pm {n}"),
    st.tuples(SMALL, SMALL).map(lambda p: f"y={p[0]}x+{p[1]}"),
    st.tuples(NUMBERS, st.sampled_from(["cm", "kg", "hours", "dollars"])).map(
        lambda p: rf"{p[0]} \text{{ {p[1]}}}"
    ),
    st.tuples(SMALL, SMALL).map(
        lambda p: rf"\begin{{pmatrix}} {p[0]} & 0 \\ 1 & {p[1]} \end{{pmatrix}}"
    ),
)


@settings(max_examples=150, deadline=None)
@given(reference=FORMS, wrapper=st.sampled_from(WRAPPERS))
def test_a_reference_in_any_wrapper_is_right(reference, wrapper):
    assert judged(reference, wrapper.format(reference)) == "right"


@settings(max_examples=200, deadline=None)
@given(text=st.text(max_size=200))
def test_no_text_makes_the_judge_fail(text):
    assert judged("7919", text) == "wrong" or "7919" in text


MARKS = (
    r"\boxed{ } { } $ \frac \sqrt ( ) [ ] , = + - ^ _ 1 20 3.5 x \pm \cup \text{or} or % \pi < \le"
    r" answer is <answer> </answer> <think> </think> \infty & \\ ! : . | cm \begin{pmatrix}"
    r" \end{pmatrix} \{ \} \left( \right) and"
)
PIECES = st.lists(st.sampled_from(MARKS.split(" ")), max_size=25)


@settings(max_examples=200, deadline=None)
@given(pieces=PIECES)
def test_no_pieces_of_mathematics_make_the_judge_fail(pieces):
    assert judged("7919", " ".join(pieces)) == "wrong"
    assert judged("7919", boxed("".join(pieces))) == "wrong"
