import time

import pytest

from partbook.lab.pool import PROFILES, lab_pool
from partbook.lab.problem import lab_problems
from partbook.lab.worker import LabWorker, Profile, heard, stated_value
from partbook.message import Completion, Message, Sampling, Usage
from partbook.pool import WorkerSpec
from partbook.prompt import worker_messages

SURE = LabWorker(Profile("sure", {}, 1.0))
HOPELESS = LabWorker(Profile("hopeless", {}, 0.0))
CHECKER = LabWorker(Profile("checker", {}, 0.0, keeps=1.0, repairs=1.0))
SPOILER = LabWorker(Profile("spoiler", {}, 0.0, keeps=0.0))
QUESTION = "Reverse the word lantern, then count the letters in it."


def says(value):
    return f"I worked it out. Answer: {value}"


@pytest.mark.parametrize(
    ("subtask", "read", "answer"),
    [
        ("Reverse the word lantern.", (), says("nretnal")),
        ("Count the letters in it.", (("reverse", says("nretnal")),), says("7")),
        ("Answer the question.", (), says("7")),
        # The subtask counts, not the question.
        ("Reverse the word plum.", (), says("mulp")),
        # What it may not read, it cannot use.
        ("Count the letters in it.", (), "I see no word that I could work on."),
        ("Count the letters in it.", (("x", "No idea."),), "I see no word that I could work on."),
        ("Do your best.", (), "I do not understand what is to be done."),
    ],
)
def test_a_worker_does_what_its_subtask_says_on_what_it_can_read(subtask, read, answer):
    assert SURE.answer(QUESTION, subtask, read) == answer


def test_notes_are_looked_up_in_the_question_or_in_the_subtask():
    question = "Notes: Mara has 17 pens. Find how many pens Mara has."

    assert SURE.answer(question, "look up the pens of Mara") == says("17")
    assert SURE.answer(question, "Mara has 24 pens. Look up the pens of Mara.") == says("24")


def test_a_worker_that_cannot_do_it_is_wrong_in_earnest():
    answer = HOPELESS.answer(QUESTION, "Reverse the word lantern.")

    assert answer.startswith("I worked it out. Answer: ")
    assert stated_value(answer) not in (None, "nretnal")


def test_the_same_call_gives_the_same_answer_and_another_seed_another_try():
    worker = LabWorker(Profile("w", {}, 0.5))

    tries = [
        worker.answer(QUESTION, "Answer the question.", coin=worker.coin(n)) for n in range(40)
    ]

    assert tries[0] == worker.answer(QUESTION, "Answer the question.")
    assert 1 < sum(stated_value(text) == "7" for text in tries) < 25
    assert tries == [
        worker.answer(QUESTION, "Answer the question.", coin=worker.coin(n)) for n in range(40)
    ]


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
def test_a_worker_is_as_reliable_as_its_profile_says(profile):
    worker = LabWorker(profile)
    problems = lab_problems(400, "train", seed=3, difficulties=(1,))

    right = sum(
        problem.is_right(
            worker.answer(problem.question, "Answer the question.", (), worker.coin(n))
        )
        for problem in problems
        for n in range(5)
    )

    expected = sum(profile.reliability(problem.parts[0].skill) for problem in problems) * 5
    assert abs(right - expected) / 2000 < 0.045


REVERSED = ("Reverse the word lantern.", says("nretnal"))
COUNTED = ("Count the letters in it.", says("7"))


@pytest.mark.parametrize(
    ("worker", "read", "value"),
    [
        (CHECKER, [REVERSED], "nretnal"),
        (CHECKER, [("Reverse the word lantern.", says("lantern"))], "nretnal"),
        (CHECKER, [("Reverse the word lantern.", "No idea.")], "nretnal"),
        (CHECKER, [REVERSED, ("Count the letters in it.", says("9"))], "7"),
        # It cannot judge what it cannot see the beginnings of.
        (CHECKER, [("Count the letters in it.", says("9"))], "9"),
        # Nor more than one operation at a time.
        (CHECKER, [(QUESTION, says("9"))], "9"),
        # A wrong beginning is not its concern: the count of what it sees is right.
        (CHECKER, [(REVERSED[0], says("plum")), (COUNTED[0], says("4"))], "4"),
        (HOPELESS, [("Reverse the word lantern.", says("lantern"))], "lantern"),
    ],
)
def test_a_check_looks_at_the_newest_answer(worker, read, value):
    answer = worker.answer(QUESTION, "Check the earlier answer.", read)

    assert stated_value(answer) == value


def test_a_worker_that_keeps_nothing_spoils_what_it_checks():
    answer = SPOILER.answer(QUESTION, "Check the earlier answer.", [REVERSED])

    assert stated_value(answer) not in (None, "nretnal")


def test_a_check_of_nothing_says_so():
    assert CHECKER.answer(QUESTION, "Check the earlier answer.") == (
        "I do not understand what is to be done."
    )
    assert CHECKER.answer(QUESTION, "Check it.", [("Write a poem.", "No.")]) == (
        "I see no answer that I could check."
    )


READ = [("reverse the word lantern", says("nretnal")), ("count it", says("7"))]


@pytest.mark.parametrize("context", ["turns", "tagged", "plain"])
@pytest.mark.parametrize("read", [[], READ[:1], READ])
def test_what_a_worker_is_shown_is_understood_in_every_form(context, read):
    spec = WorkerSpec("w", "http", context=context, instructions="Be brief.")
    messages = worker_messages(QUESTION, "count the letters in it", read, spec)

    question, seen, subtask = heard(messages)

    assert (question, list(seen), subtask) == (QUESTION, read, "count the letters in it")


def test_a_single_message_is_question_and_subtask():
    assert heard([Message("system", "x"), Message("user", "y")]) == ("y", (), "y")
    assert heard([Message("system", "x")]) == ("", (), "")


async def test_a_worker_is_a_chat_model_whose_tokens_are_words():
    pieces = []

    completion = await SURE.chat(
        [Message("user", "Reverse the word plum.")], Sampling(), pieces.append
    )

    assert completion == Completion("I worked it out. Answer: mulp", Usage(4, 6), "sure")
    assert "".join(pieces) == completion.text


async def test_limits_and_stops_cut_an_answer_short():
    messages = [Message("user", "Reverse the word plum.")]

    limited = await SURE.chat(messages, Sampling(max_tokens=3))
    stopped = await SURE.chat(messages, Sampling(stop=("Answer",)))

    assert (limited.text, limited.finish_reason) == ("I worked it ", "length")
    assert (stopped.text, stopped.finish_reason) == ("I worked it out. ", "stop")


async def test_workers_answer_thousands_of_calls_a_second():
    pool = lab_pool()
    problems = lab_problems(400, "test")
    calls = [
        worker_messages(problem.question, part.subtask, (), pool[0].spec)
        for problem in problems
        for part in problem.parts
    ]

    begun = time.process_time()
    for n, messages in enumerate(calls):
        await pool[n % len(pool)].model.chat(messages, Sampling(seed=n))
    seconds = time.process_time() - begun

    assert len(calls) / seconds > 2000
