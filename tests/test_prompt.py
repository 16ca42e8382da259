import pytest

from partbook.message import Message
from partbook.pool import Example, WorkerSpec
from partbook.prompt import Turn, conductor_messages, retry_messages, worker_messages
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


def test_a_later_round_goes_on_with_the_same_chat():
    pool = pool_of(Echo("a"), Echo("b"))
    turns = (Turn("my lists", "42", ("A remark.",)), Turn("more lists", "43"))

    first = conductor_messages("q", pool, 4)
    later = conductor_messages("q", pool, 4, turns=turns)

    assert later[:2] == (*first, Message("assistant", "my lists"))
    assert [m.role for m in later] == ["user", "assistant", "user", "assistant", "user"]
    assert "<answer>\n42\n</answer>\nA remark.\n" in later[2].text
    assert "<answer>\n43\n</answer>" in later[4].text


def test_where_a_worker_left_the_chat_begins_anew_with_the_others():
    turns = (Turn("old lists", "41"), Turn("lists", "42", ("Somebody left.",), True))

    (message,) = conductor_messages("q", pool_of(Echo("a")), 4, turns=turns)

    assert "WORKERS\n0: a language model\n\n" in message.text
    assert "Somebody left." in message.text
    assert "lists\n" not in message.text.split("WORKERS")[1].replace("Python lists", "")


def test_without_an_answer_nothing_can_be_kept():
    messages = conductor_messages("q", pool_of(Echo("a")), 4, turns=(Turn("lists", None),))

    assert "there is no answer yet" in messages[-1].text
    assert "model_id = []" not in messages[-1].text


def test_braces_in_an_answer_stay_as_they_are():
    turn = Turn("lists", "{max_steps} {0} %s", ("{x}",))

    text = conductor_messages("q", pool_of(Echo("a")), 4, turns=(turn,))[-1].text

    assert "{max_steps} {0} %s" in text
    assert "{x}" in text


@pytest.mark.parametrize("style", ["bare", "cards"])
def test_a_policy_of_one_message_sees_the_answer_below_the_question(style):
    turns = (Turn("lists", "42"),)

    messages = conductor_messages("q", pool_of(Echo("a")), 4, style=style, turns=turns)

    assert messages == (Message("user", "a language model (0)\nQuestion: q\nAnswer so far: 42\n"),)
