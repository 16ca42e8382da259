import json
import random
import re

from partbook.lab import lab_pool, lab_problem, perform
from partbook.lab.phrases import PHRASES
from partbook.parse import parse
from partbook.train.demonstration import Habits, again, demonstration, drill
from partbook.train.disguise import respelled, reworded

POOL = lab_pool(0, ["gus", "cy", "val", "dee", "bo", "tim", "ada", "zed"])


def texts(habits, count=200, difficulty=3):
    rng = random.Random(0)
    for seed in range(count):
        problem = lab_problem(seed, difficulty)
        yield problem, demonstration(problem, POOL, rng, habits)


HELD_OUT = re.compile(
    "|".join(
        re.sub(r"{\w+}", ".+", phrase)
        for phrases in PHRASES.values()
        for phrase in (*phrases.validation, *phrases.test)
    )
)


def test_every_demonstration_is_a_valid_workflow():
    for _, text in texts(Habits()):
        assert 1 <= len(parse(text, len(POOL)).steps) <= 5


def test_all_numbers_of_steps_and_many_shapes_are_shown():
    plans = [parse(text, len(POOL)) for d in (1, 2, 3, 4) for _, text in texts(Habits(), 100, d)]

    assert {len(plan.steps) for plan in plans} == {1, 2, 3, 4, 5}
    assert len({tuple(step.access for step in plan.steps) for plan in plans}) > 30


def test_a_line_of_reasons_names_skills_and_cards_before_the_lists():
    problem = lab_problem(0, 2)
    habits = Habits(believed=1.0, whole=0, merged=0, checked=0, misread=0)

    text = demonstration(problem, POOL, random.Random(0), habits)

    assert text.startswith(
        "dates by notes, dates, number bases (3), letters by words, counting, sorting (4).\n"
        "model_id = [3, 4]\n"
    )


def test_believed_cards_are_better_than_chance_and_far_from_the_best():
    def accuracy(believed):
        plain = Habits(believed, whole=0, merged=0, checked=0, misread=0)
        right = [
            problem.is_right(perform(parse(text, 8), problem.question, POOL).answer)
            for problem, text in texts(plain, 300, 2)
        ]
        return sum(right) / len(right)

    loose, blind = accuracy(0.4), accuracy(0.0)

    assert blind < 0.2 < loose < 0.5


def test_the_same_draws_give_the_same_demonstration():
    problem = lab_problem(5, 4)

    assert demonstration(problem, POOL, random.Random(3)) == demonstration(
        problem, POOL, random.Random(3)
    )


def test_a_drill_is_nothing_but_clauses_of_its_question():
    prompt, text = drill(lab_problem(3, 4), random.Random(0))

    clauses = json.loads(text)
    assert len(clauses) == 4
    assert all(clause in prompt for clause in clauses)


def test_made_up_values_stand_alike_in_question_and_parts_and_never_twice():
    problem = lab_problem(0, 4)

    first, second = (respelled(problem, random.Random(seed)) for seed in (1, 2))

    for made in (first, second):
        assert all(part.subtask.lower() in made.question.lower() for part in made.parts)
    assert len({problem.question, first.question, second.question}) == 3
    assert len(first.question.split()) == len(problem.question.split())


def test_reworded_clauses_stand_alike_in_question_and_parts_and_are_no_held_out_phrase():
    for seed in range(200):
        problem = lab_problem(seed, 3)

        other = reworded(problem, random.Random(seed))

        assert all(part.subtask in other.question for part in other.parts)
        assert [part.skill for part in other.parts] == [part.skill for part in problem.parts]
        assert not any(HELD_OUT.fullmatch(part.subtask) for part in other.parts)


def test_rewording_draws_the_verbs_that_only_carry_and_keeps_the_words_that_matter():
    problem = lab_problem(0, 2)

    said = {reworded(problem, random.Random(seed)).parts[0].subtask for seed in range(60)}

    assert len(said) > 20
    assert all({"weekday", "2026-10-01"} <= set(clause.split()) for clause in said)


def test_second_rounds_keep_check_or_begin_anew_a_third_each():
    rng, kept, checked = random.Random(0), 0, 0
    problem = lab_problem(0, 1)
    for _ in range(300):
        text = again(problem, POOL, rng, Habits())
        if text == "model_id = []\nsubtasks = []\naccess_list = []":
            kept += 1
            continue
        steps = parse(text, len(POOL), later=True).steps
        if steps[0].before:
            assert (len(steps), steps[0].subtask) == (1, "Check the earlier answer.")
            checked += 1

    assert 80 < kept < 120
    assert 80 < checked < 120
