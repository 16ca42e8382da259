"""Conversation: what a client has sent, and how it becomes one question.

`conduct` answers a question, a client sends a history. The system prompt stays what it is: a system
message of the worker who answers. The turns become one text, which every worker is shown as the
question, so that all read the same and the trace holds it; a single user message is that question
word for word. The Conductor is shown a `brief`: the last user message first, and what came before
it cut to a bounded length, because a Conductor may be a small model with a small window, and writes
a plan and not the answer. The reasons stand in docs/adr.
"""

import json
from dataclasses import dataclass

from partbook.message import Message
from partbook.shorten import shortened

__all__ = ["BRIEF_CHARS", "Conversation"]

BRIEF_CHARS = 6000
"""About how long the Conductor's question may be, in characters: some 1500 tokens of English."""

_HEAD = "This is a conversation between a user and an assistant.\n\n"
_ASKS = "\n\nThe user now says:\n\n"
_GOES_ON = "\n\nThe assistant is to go on from there."

_NAMES = {"user": "User", "assistant": "Assistant", "system": "Instructions", "tool": "Tool"}

_BACKGROUND = (
    "The user's request comes with these instructions. They are for the final answer; to your part "
    "they are background:\n\n"
)


@dataclass(frozen=True, slots=True)
class Conversation:
    """The messages of a request; at least one of them is not blank."""

    messages: tuple[Message, ...]
    """As they came, oldest first."""

    @property
    def system(self) -> str:
        """All system messages, wherever they stand; empty where there is none."""
        return "\n\n".join(m.text for m in self.messages if m.role == "system" and m.text)

    @property
    def background(self) -> str:
        """The system messages as a worker is shown them whose answer is not the user's."""
        return _BACKGROUND + self.system if self.system else ""

    @property
    def question(self) -> str:
        """All turns as one text; a single one is the text itself."""
        turns = self._turns
        if not turns:
            return self.system
        *past, last = turns
        if last.role != "user":
            return _HEAD + _spelt(turns) + _GOES_ON
        return last.text if not past else _HEAD + _spelt(past) + _ASKS + last.text

    @property
    def brief(self) -> str:
        """The question as the Conductor is shown it, of bounded length."""
        users = [m for m in self.messages if m.role == "user" and m.text.strip()]
        if not users:
            return shortened([self.question], BRIEF_CHARS)[0]
        last = users[-1]
        question = shortened([last.text], BRIEF_CHARS * 2 // 3)[0]
        others = [m for m in self.messages if m is not last and m.text.strip()]
        if not others:
            return question
        # The latest turns matter most; of many, only so many are shown at all.
        shown = [m for m in others if m.role == "system"][:1]
        shown += [m for m in others if m.role != "system"][-_TURNS:]
        texts = shortened([m.text for m in shown], BRIEF_CHARS // 3)
        context = "\n".join(
            f"{_NAMES[m.role]}: {text}" for m, text in zip(shown, texts, strict=True)
        )
        return f"{question}\n\nWhat came before, shortened:\n{context}"

    @property
    def _turns(self) -> list[Message]:
        turns = (_told(m) for m in self.messages if m.role != "system")
        return [turn for turn in turns if turn.text.strip()]


_TURNS = 8
"""How many turns before the last user message the Conductor is shown."""


def _told(message: Message) -> Message:
    """A message with the calls that it asks for in words."""
    if not message.tool_calls:
        return message
    calls = [call["function"] for call in json.loads(message.tool_calls)]
    told = [f"(calls {call['name']} with {call['arguments']})" for call in calls]
    return Message(message.role, "\n".join([message.text, *told]).strip())


def _spelt(turns: list[Message]) -> str:
    return "\n\n".join(f"{_NAMES[turn.role]}: {turn.text}" for turn in turns)
