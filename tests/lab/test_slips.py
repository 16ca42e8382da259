from partbook.lab.carrying import Task, carry_out, perfect
from partbook.lab.operations import OPERATIONS
from partbook.lab.problem import lab_problems
from partbook.lab.reading import mentions
from partbook.lab.slips import end_of, slip


def tasks_of(question):
    tasks = []

    def hand(task):
        tasks.append(task)
        return perfect(task)

    carry_out(mentions(question), (), question, hand)
    return tasks


def test_a_slip_is_wrong_and_leads_to_a_wrong_end():
    for problem in lab_problems(200, "train"):
        for task in tasks_of(problem.question):
            for pick in (0, 5, 17):
                wrong = slip(task, task.result(), problem.question, pick)
                assert wrong != task.result()
                assert end_of(problem.question, task, wrong) != problem.answer


def test_slips_look_right():
    (task,) = tasks_of("Find the weekday of 2024-03-05.")
    slips = {slip(task, "tuesday", "", pick) for pick in range(20)}

    assert slips == {"monday", "wednesday", "thursday", "friday", "saturday", "sunday"}


def test_a_slip_in_a_look_up_takes_the_neighbour():
    question = "Notes: Mara has 17 pens, Ivo has 24 pens. Find how many pens Ivo has."
    (task,) = tasks_of(question)

    assert slip(task, "24", question, 0) == "17"


def test_the_end_of_a_question_follows_a_forced_value():
    question = "Reverse the word plum, then write it twice."
    task = Task(mentions(question)[0].operation, (), ("plum",))

    assert end_of(question) == "mulpmulp"
    assert end_of(question, task, "pl") == "plpl"
    assert end_of("Good morning!") is None


def test_a_slip_from_a_date_that_does_not_exist_is_a_date():
    task = Task(OPERATIONS["birthday"], ("ada",), ("ada was born on 2026-13-01",))

    assert slip(task, "2026-13-01", "", 0) == "2000-01-01"
