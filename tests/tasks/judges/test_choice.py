r"""Each table is one kind of fault that public judges of multiple choice were found to have."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partbook.errors import ConfigError
from partbook.tasks.judges.choice import ChoiceJudge, choose

ABCD = ("A", "B", "C", "D")
CELL = {"A": "Golgi body", "B": "chloroplast", "C": "cell wall", "D": "cell"}
FORMULAS = {
    "A": "E = [ m (v + u) / 2 ]",
    "B": "E = m v",
    "C": "E = [ m (v - u) / 2 ]",
    "D": "E = m",
}
NONE = {"A": "Mars", "B": "Venus", "C": "Both of these", "D": "None of the above"}
NUMBERS = {"A": "4", "B": "40", "C": "4.5", "D": "14"}
LETTERS_IN_TEXT = {"A": "vitamin C", "B": "vitamin D", "C": "iron", "D": "a mineral"}

MARKDOWN = [
    ("**Answer: B**", "B"),
    ("**Answer:** **B**", "B"),
    ("*Answer* - **(B)**", "B"),
    ("### Answer\n\n`B`", "B"),
    ("The answer is **B**.", "B"),
]
CASE = [("ANSWER: d", "D"), ("answer: (d)", "D"), ("The Answer Is d.", "D"), ("d", "D")]
LAST = [
    ("Answer: it depends on the medium.\nAnswer: C", "C"),
    ("Answer: A\nNo, the sign was wrong.\nAnswer: C", "C"),
    ("The answer is A. Checking again, the answer is C.", "C"),
    (r"\boxed{A} Hm. \boxed{C}", "C"),
    ("<answer>A</answer> <answer>C</answer>", "C"),
    (r"Answer: A. Then, after a correction, \boxed{C}", "C"),
    ("Answer: C\n\nOption A is what one gets without the factor.", "C"),
]
ARTICLES = [
    ("I would go for D, as a prism bends light.", "D"),
    ("Answer: A prism bends light.", None),
    ("The answer is a matter of definition.", None),
    ("I choose a path here.", None),
    ("Answer: I think so.", None),
]
OPTION_TEXTS = [
    ("The correct option is the chloroplast.", CELL, "B"),
    ("Answer: Chloroplast", CELL, "B"),
    (r"\boxed{\text{cell wall}}", CELL, "C"),
    ("It must be the cell wall.", CELL, "C"),
    ("Answer: cell", CELL, "D"),
    ("<answer>Golgi body</answer>", CELL, "A"),
    ("Mars and Venus both fail, so: none of the above", NONE, "D"),
    ("The answer is both of these.", NONE, "C"),
    ("The energy is E = [ m (v - u) / 2 ], as listed.", FORMULAS, "C"),
    ("Answer: vitamin C", LETTERS_IN_TEXT, "A"),
    ("Answer: C", LETTERS_IN_TEXT, "C"),
    ("Answer: 4.5", NUMBERS, "C"),
    ("The answer is 40.", NUMBERS, "B"),
    ("Answer: 4", NUMBERS, "A"),
    ("It is neither the chloroplast nor the cell wall.", CELL, None),
    ("I cannot say whether it is the chloroplast.", CELL, None),
    ("chloroplast or Golgi body", CELL, None),
    ("About 40 of them were seen, and some say 14.", NUMBERS, None),
]
BOXED = [
    (r"\boxed{D}", "D"),
    (r"\boxed{\text{D}}", "D"),
    (r"$\boxed{\textbf{(D)}}$", "D"),
    (r"\boxed{\mathrm{D}}", "D"),
    (r"\boxed{D. \text{the last}}", "D"),
    (r"The field is \boxed{A = \nabla D} here.\n\nAnswer: B".replace("\\n", "\n"), "B"),
    (r"The field is \boxed{\langle B \rangle}.", None),
    (r"The answer is \boxed, as I said.", None),
]
LANGUAGES = [
    ("정답: B", "B"),
    ("정답은 (B)입니다.", "B"),
    ("답: ②", "B"),
    ("答案：Ｂ", "B"),
    ("正确答案是B。", "B"),
    ("故选B。", "B"),
    ("答え：B", "B"),
    ("Respuesta: B", "B"),
    ("Die Antwort ist B.", "B"),
    ("La réponse est (B).", "B"),
]
SEVERAL = [
    ("Answer: AC", None),
    ("Answer: A or C", None),
    ("Answer: A, C", None),
    ("Answer: A/C", None),
    ("The answer is either B or D.", None),
    (r"\boxed{A, C}", None),
    (r"\boxed{AC}", None),
    ("Answer: [A/B/C/D]", None),
    ("Answer: B\nAnswer: B or C", None),
]
WITHIN_A_LINE = [
    ("Answer: B rather than C", "B"),
    ("Answer: B, not C", "B"),
    ("Answer: not C but B", "B"),
    ("Answer: C? No, B.", "B"),
    ("Answer: C, no wait, B", "B"),
    ("Answer: C -> B", "B"),
    ("Answer: B because A and C are wrong", "B"),
    ("Answer: B (not A, C, or D)", "B"),
    ("Answer: it cannot be C, so B", "B"),
    ("Answer: A and C are wrong, so B.", "B"),
    ("Answer: C or B, so B", "B"),
    ("I prefer B to C; the answer is B over C.", "B"),
    ("The answer is not C.", None),
]
REASONING = [
    ("<think>The answer is A, surely.</think>\nThe answer is D", "D"),
    ("<think>The answer is A, surely", None),
    ("<think>The answer is A</think>", None),
    ("The answer is A, surely.</think>D", "D"),
    (r"So we have \boxed{D", None),
    ("<answer>D", None),
]
NO_CHANCE = [
    ("I cannot tell; Data and Code are missing.", None),
    ("Dear All, Best wishes, C. Brown", None),
    ("A cat sat on the mat.", None),
    ("Option B looks odd.", None),
    ("If the answer is B, then the sum is even.", None),
    ("The wrong answer is B.", None),
    ("Is the answer B?", None),
    ("A) one\nB) two\nC) three\nD) four", None),
    ("", None),
    ("Answer:", None),
    ("Answer: E", None),
    ("none", None),
]
OTHER_FORMS = [
    ("B", "B"),
    ("(B)", "B"),
    ("B.", "B"),
    ("B) the second one", "B"),
    ("My choice: B", "B"),
    ("Option B is correct.", "B"),
    ("So, it must be B.", "B"),
    ('{"answer": "B"}', "B"),
    ("Answer (B)", "B"),
    ("The answer would be B, I think.", "B"),
    ("I'd go with B.", "B"),
    ("Let me see.\nB", "B"),
    ("B\n\nBecause the others are too small.", "B"),
]
KINDS = {
    "Markdown": MARKDOWN,
    "case": CASE,
    "the last statement": LAST,
    "articles": ARTICLES,
    "boxes": BOXED,
    "languages": LANGUAGES,
    "several letters": SEVERAL,
    "within a line": WITHIN_A_LINE,
    "reasoning": REASONING,
    "no chance credit": NO_CHANCE,
    "other forms": OTHER_FORMS,
}
CASES = [
    pytest.param(text, letter, id=f"{kind}-{i}")
    for kind, cases in KINDS.items()
    for i, (text, letter) in enumerate(cases)
]


@pytest.mark.parametrize(("text", "letter"), CASES)
def test_the_letter_that_is_stated_is_chosen(text, letter):
    assert choose(text, ABCD).letter == letter


@pytest.mark.parametrize(("text", "options", "letter"), OPTION_TEXTS)
def test_the_text_of_an_option_stands_for_its_letter(text, options, letter):
    assert choose(text, ABCD, options).letter == letter


@pytest.mark.parametrize(
    ("letters", "text", "letter"),
    [
        ("ABCDE", r"\boxed{\text{E}}", "E"),
        ("ABCDEFGHIJ", "Answer: J", "J"),
        ("ABCDEFGHIJ", "Answer: I think G", "G"),
        ("ABCDEFGHIJ", "I cannot say; Gas and Heat are missing.", None),
        ("AB", "Answer: C", None),
        ("1234", "Answer: 3", "3"),
        ("1234", "Answer: 3.5", None),
        ("abcd", "Answer: B", "b"),
    ],
)
def test_only_the_letters_of_the_question_count(letters, text, letter):
    assert choose(text, tuple(letters)).letter == letter


async def test_a_verdict_compares_with_the_reference():
    judge = ChoiceJudge("B", ABCD)

    right = await judge.judge("Answer: b")
    wrong = await judge.judge("Answer: C")
    nothing = await judge.judge("Answer: B or C")

    assert (right.outcome, right.answer) == ("right", "B")
    assert (wrong.outcome, wrong.answer) == ("wrong", "C")
    assert (nothing.outcome, nothing.answer) == ("wrong", None)
    assert nothing.reason == "it names several options (in its last statement of an answer)"


@pytest.mark.parametrize(
    ("reference", "letters", "options"),
    [("E", ABCD, {}), ("A", (), {}), ("A", ("AB", "C"), {}), ("A", ("A", "B"), {"C": "x"})],
)
def test_impossible_questions_are_refused(reference, letters, options):
    with pytest.raises(ConfigError):
        ChoiceJudge(reference, letters, options)


FORMS = [
    "Answer: {}",
    "The answer is ({}).",
    r"Thus \boxed{{{}}}.",
    "<answer>{}</answer>",
    "**{}**",
    "정답: {}",
    "I would choose {} here.",
    "It is settled: option {} is correct.",
    "The correct choice is therefore {}",
]


@given(
    st.sampled_from(ABCD),
    st.sampled_from(FORMS),
    st.text(st.characters(codec="ascii", exclude_characters="<\\"), max_size=80),
)
def test_a_stated_letter_is_chosen_whatever_stands_before_it(letter, form, before):
    text = f"{before}\nThat is what I found.\n{form.format(letter)}"

    assert choose(text, ABCD).letter == letter


@settings(max_examples=300)
@given(st.text(max_size=200))
def test_no_text_makes_the_judge_fail(text):
    assert choose(text, ABCD, CELL).letter in {None, *ABCD}


@given(st.text(st.characters(codec="ascii", exclude_characters="ABCDabcd"), max_size=200))
def test_a_letter_that_does_not_occur_is_not_chosen(text):
    assert choose(text, ABCD).letter is None


@given(
    st.lists(
        st.sampled_from(
            [
                "A",
                "B",
                "C",
                "D",
                "a",
                "b",
                "answer",
                "is",
                ":",
                "(",
                ")",
                ",",
                ".",
                "or",
                "not",
                "I",
                "\n",
                "\\boxed",
            ]
        )
    )
)
def test_no_pieces_of_statements_make_the_judge_fail(pieces):
    assert choose(" ".join(pieces), ABCD, CELL).letter in {None, *ABCD}


@pytest.mark.parametrize(
    "mark",
    [
        "<",
        '"',
        "so ",
        "Answer: (",
        "(A) ",
        "answer is therefore ",
        "A not ",
        "chloroplast ",
        "\n",
        "**",
    ],
)
def test_long_texts_take_no_time(mark):
    start = time.process_time()

    choose(mark * (200_000 // len(mark)), ABCD, CELL)

    assert time.process_time() - start < 2
