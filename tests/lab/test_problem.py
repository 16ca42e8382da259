import itertools
from collections import Counter

import pytest

from partbook.errors import ConfigError
from partbook.lab.carrying import carry_out, perfect
from partbook.lab.operations import SKILLS
from partbook.lab.problem import lab_problem, lab_problems
from partbook.lab.reading import mentions
from partbook.lab.values import SPLITS

EACH = {split: lab_problems(300, split) for split in SPLITS}
ALL = [problem for problems in EACH.values() for problem in problems]


def test_a_seed_always_gives_the_same_problem():
    assert lab_problem(7, 3, "test") == lab_problem(7, 3, "test")
    assert lab_problem(7, 3, "test") != lab_problem(8, 3, "test")
    assert lab_problem(0, 2).question == (
        "Please find which weekday 2026-10-01 is. Finally remove the vowels from the result."
    )


def test_difficulty_is_the_number_of_different_skills():
    for problem in ALL:
        assert len({part.skill for part in problem.parts}) == problem.difficulty
    assert Counter(problem.difficulty for problem in ALL) == {1: 225, 2: 225, 3: 225, 4: 225}


def test_every_skill_is_needed_often():
    needed = Counter(part.skill for problem in ALL for part in problem.parts)

    assert set(needed) == set(SKILLS)
    assert min(needed.values()) > sum(needed.values()) / 20


def test_the_splits_share_no_question():
    questions = [{problem.question for problem in EACH[split]} for split in SPLITS]

    assert all(not a & b for a, b in itertools.combinations(questions, 2))


def test_every_part_is_understood_alone_and_leads_to_the_answer():
    for problem in ALL:
        values = []
        for part in problem.parts:
            asked = mentions(part.subtask)
            assert [mention.operation.name for mention in asked] == [part.operation]
            seen = [values[j] for j in part.reads]
            values.append(carry_out(asked, seen, problem.question, perfect).value)
        assert values[-1] == problem.answer


def test_a_question_is_short_plain_text():
    for problem in ALL:
        assert problem.question.isascii()
        assert len(problem.question) <= 300


def test_two_branches_meet_in_some_hard_problems():
    joined = [p.difficulty for p in ALL if any(len(part.reads) == 2 for part in p.parts)]

    assert len(joined) > 50
    assert set(joined) == {3, 4}


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("I think so. Answer: Nretnal", True),
        ("**Answer:** nretnal.", True),
        ("The answer is 'nretnal'", True),
        ("nretnal", True),
        ("Answer: plum. Answer: nretnal", True),
        ("Answer: nretnal. Answer: plum", False),
        ("Answer: nretnals", False),
        ("the word nretnal", False),
        ("", False),
    ],
)
def test_a_text_is_right_where_its_last_answer_is(text, verdict):
    problem = lab_problem(0, 1)
    problem = type(problem)("x", "train", "Reverse the word lantern.", "nretnal", problem.parts)

    assert problem.is_right(text) is verdict


@pytest.mark.parametrize(("difficulty", "split"), [(0, "train"), (5, "train"), (1, "exam")])
def test_an_unknown_difficulty_or_split_is_refused(difficulty, split):
    with pytest.raises(ConfigError, match="difficulty 1 to 4"):
        lab_problem(0, difficulty, split)
