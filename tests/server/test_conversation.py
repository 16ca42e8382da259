"""How a history becomes one question."""

from partbook.message import Message
from partbook.server.conversation import BRIEF_CHARS, Conversation

HISTORY = (
    Message("system", "Answer in French."),
    Message("user", "Remember the word: heron"),
    Message("assistant", "The word is heron."),
    Message("user", "Which word was it?"),
)


def test_a_single_message_is_the_question_word_for_word():
    alone = Conversation((Message("user", " What is 6*7? "),))

    assert (alone.question, alone.brief) == (" What is 6*7? ", " What is 6*7? ")


def test_all_turns_are_in_the_question_in_order():
    question = Conversation(HISTORY).question

    assert question == (
        "This is a conversation between a user and an assistant.\n\n"
        "User: Remember the word: heron\n\n"
        "Assistant: The word is heron.\n\n"
        "The user now says:\n\n"
        "Which word was it?"
    )


def test_the_system_prompt_is_no_part_of_the_question():
    conversation = Conversation(HISTORY)

    assert "French" not in conversation.question
    assert conversation.system == "Answer in French."
    assert conversation.background.endswith("Answer in French.")


def test_a_conversation_that_ends_with_the_assistant_goes_on():
    question = Conversation(HISTORY[:3]).question

    assert question.endswith(
        "Assistant: The word is heron.\n\nThe assistant is to go on from there."
    )


def test_a_system_prompt_alone_is_the_question():
    assert Conversation(HISTORY[:1]).question == "Answer in French."


def test_the_brief_begins_with_the_last_user_message():
    assert Conversation(HISTORY).brief == (
        "Which word was it?\n\n"
        "What came before, shortened:\n"
        "Instructions: Answer in French.\n"
        "User: Remember the word: heron\n"
        "Assistant: The word is heron."
    )


def test_the_brief_is_bounded():
    long = tuple(Message("user" if i % 2 else "assistant", "x" * 100_000) for i in range(100))

    brief = Conversation((Message("system", "s" * 100_000), *long)).brief

    assert len(brief) < BRIEF_CHARS * 1.2
