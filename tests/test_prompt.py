import pytest

from partbook.message import Message
from partbook.pool import Example, WorkerSpec
from partbook.prompt import conductor_messages, retry_messages, worker_messages
from tests.fakes import Echo, pool_of

READ = [("count", "three"), ("double", "six")]


def spec(context: str, **more: object) -> WorkerSpec:
    return WorkerSpec(name="w", kind="http", context=context, **more)  # type: ignore[arg-type]


def test_turns_show_earlier_steps_as_past_turns_and_the_question_once():
    messages = worker_messages("How many?", "halve", READ, spec("turns"))

    assert messages == (
        Message("user", "How many?\n\nYour part: count"),
        Message("assistant", "three"),
        Message("user", "double"),
        Message("assistant", "six"),
        Message("user", "halve"),
    )


def test_turns_without_earlier_steps_are_one_message():
    assert worker_messages("How many?", "count", [], spec("turns")) == (
        Message("user", "How many?\n\nYour part: count"),
    )


def test_plain_gives_question_steps_and_subtask_word_for_word():
    messages = worker_messages("How many?", "halve", READ[:1], spec("plain"))

    assert messages == (
        Message("user", "How many?"),
        Message("user", "count"),
        Message("assistant", "three"),
        Message("user", "halve"),
    )


def test_tagged_is_one_message_that_holds_everything():
    (message,) = worker_messages("How many?", "halve", READ, spec("tagged"))

    for text in ("How many?", "count", "three", "double", "six", "halve"):
        assert text in message.text
    assert message.text.index("three") < message.text.index("six") < message.text.index("halve")


@pytest.mark.parametrize("context", ["turns", "tagged"])
def test_a_workers_own_instructions_and_examples_come_first(context):
    own = spec(context, instructions="Be brief.", examples=(Example("1+1", "2"),))

    messages = worker_messages("How many?", "count", [], own)

    assert messages[:3] == (
        Message("system", "Be brief."),
        Message("user", "1+1"),
        Message("assistant", "2"),
    )
    assert len(messages) == 4


def test_a_dollar_sign_or_brace_in_a_question_stays_as_it_is():
    question = "Is $question {x} worth $$5 or ${subtask}?"

    for context in ("turns", "tagged"):
        text = worker_messages(question, "say", [], spec(context))[-1].text
        assert question in text
    assert question in conductor_messages(question, pool_of(Echo("a")), 5)[0].text


def test_the_conductor_sees_numbers_and_cards_and_names_only_by_choice():
    pool = pool_of(Echo("a"), Echo("b"))

    hidden = conductor_messages("q", pool, 4)[0].text
    shown = conductor_messages("q", pool, 4, show_names=True)[0].text

    assert "0: a language model\n1: a language model" in hidden
    assert "w1" not in hidden
    assert "1: w1, a language model" in shown
    assert "1 to 4 steps" in hidden


def test_the_second_try_quotes_what_was_wrong():
    first = conductor_messages("q", pool_of(Echo("a")), 5)

    messages = retry_messages(first, "no lists", "no list `model_id` was found")

    assert messages[:2] == (*first, Message("assistant", "no lists"))
    assert "no list `model_id` was found" in messages[2].text
