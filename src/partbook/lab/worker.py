"""LabWorker: a scripted worker that really reads what it is given and really computes.

It does what its subtask says, on what the subtask writes out or on the answers that it may read;
it turns to the question only for the notes in it, for a subtask that hands over the question as a
whole, and for nothing else. Whether it slips at an operation is a coin whose side is fixed by
world, worker, question, operation and attempt; so the same call gives the same answer, and
another sampling seed is another attempt.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from partbook.lab.carrying import Outcome, Task, carry_out, taken_inputs
from partbook.lab.operations import Skill
from partbook.lab.reading import (
    MAX_TEXT,
    Mention,
    asks_for_check,
    asks_for_everything,
    mentions,
)
from partbook.lab.slips import slip
from partbook.lab.values import fraction
from partbook.message import Completion, FinishReason, Message, Sampling, Usage
from partbook.model import OnText

__all__ = ["Coin", "LabWorker", "Profile", "Read", "heard", "stated_value", "words"]

Read = Sequence[tuple[str, str]]
"""(subtask, answer) of the earlier steps that a worker may read, in order."""

Coin = Callable[[str, float], bool]
"""Whether something goes well: (what, with which probability) -> it does."""

_STATED = re.compile(r"\banswer\**\s*(?:is|:)[\s*'\"]*([\w-]{1,80})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Profile:
    """What a worker is really like."""

    name: str
    skills: Mapping[Skill, float]
    """Probability, 0 to 1, that it does one operation right."""
    elsewhere: float
    """The same for all other skills."""
    keeps: float = 1.0
    """Probability that it leaves a right answer alone when it is told to check it."""
    repairs: float = 0.0
    """Probability that it mends a wrong answer when it is told to check it."""
    manner: str = "I worked it out."
    """The sentence before its answer."""

    def reliability(self, skill: Skill) -> float:
        """Probability that it does an operation of this skill right."""
        return self.skills.get(skill, self.elsewhere)


@dataclass(frozen=True, slots=True)
class LabWorker:
    """A ChatModel that follows its profile."""

    profile: Profile
    world: int = 0
    """Seed of the world: which coins fall on which side."""

    def answer(self, question: str, subtask: str, read: Read = (), coin: Coin | None = None) -> str:
        """Do the subtask.

        Args:
            question: the user's question.
            subtask: what this worker is to do.
            read: earlier subtasks and answers that it may read, in order.
            coin: decides what goes well; None: the world's own, at attempt 0.

        Returns:
            A short sentence and "Answer: ...", or only a sentence where it cannot do it.
        """
        coin = coin or self.coin(0)
        question, subtask = question[:MAX_TEXT], subtask[:MAX_TEXT]
        if asks_for_check(subtask) and read:
            outcome = self._check(question, read, coin)
        else:
            asked = _asked(subtask, question)
            # Notes in the subtask itself come first: that is where it was told to look.
            outcome = carry_out(
                asked, _values(read), f"{subtask}\n{question}", self._hand(question, coin)
            )
        if outcome.value is None:
            return outcome.problem
        return f"{self.profile.manner} Answer: {outcome.value}"

    def coin(self, attempt: int) -> Coin:
        """The coin of this world at one attempt."""

        def fall(what: str, probability: float) -> bool:
            return fraction(f"{self.world}|{attempt}|{what}") < probability

        return fall

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        """Answer as a ChatModel; `sampling.seed` is the attempt, tokens are words."""
        question, read, subtask = heard(messages)
        text = self.answer(question, subtask, read, self.coin(sampling.seed or 0))
        text, reason = _cut(text, sampling)
        if on_text is not None:
            for piece in re.findall(r"\S+\s*", text):
                on_text(piece)
        usage = Usage(sum(words(message.text) for message in messages), words(text))
        return Completion(text, usage, self.profile.name, reason)

    def _hand(self, question: str, coin: Coin) -> Callable[[Task], str | None]:
        def hand(task: Task) -> str | None:
            right = task.result()
            what = self._what(question, task)
            if right is None or coin(what, self.profile.reliability(task.operation.skill)):
                return right
            return slip(task, right, question, _pick(what))

        return hand

    def _check(self, question: str, read: Read, coin: Coin) -> Outcome:
        """Look at the newest answer; one that cannot be judged is passed on as it stands.

        It judges single operations, and only where it can see what they were done on.
        """
        *before, (subtask, answer) = read
        value = stated_value(answer)
        asked = _asked(subtask[:MAX_TEXT], question)
        if len(asked) != 1 or asks_for_check(subtask):
            return Outcome(value, "I see no answer that I could check.")
        notes = f"{subtask}\n{question}"
        inputs = taken_inputs(asked[0], _values(before), (), notes)
        task = None if inputs is None else Task(asked[0].operation, asked[0].given, inputs)
        right = None if task is None else task.result()
        if task is None or right is None:
            return Outcome(value, "I see no answer that I could check.")
        what = f"check {self._what(question, task)}"
        if value != right:
            return Outcome(
                right if coin(f"{what} mend", self.profile.repairs) else value,
                "The earlier answer is of no use.",
            )
        if coin(f"{what} keep", self.profile.keeps):
            return Outcome(value)
        return Outcome(slip(task, right, question, _pick(what)))

    def _what(self, question: str, task: Task) -> str:
        # The notes are part of the question; as an input they would only make the key longer.
        inputs = () if task.operation.reads_notes else task.inputs
        return "|".join((self.profile.name, question, task.operation.name, *task.given, *inputs))


def heard(messages: Sequence[Message]) -> tuple[str, Read, str]:
    """Take apart what a worker was shown: (question, earlier steps, own subtask).

    Understands the three forms of `prompt.worker_messages`; in an ordinary chat the first user
    message is the question, and the only one is the subtask too. System messages are not read.
    """
    turns = [message for message in messages if message.role != "system"]
    if not turns:
        return "", (), ""
    read: list[tuple[str, str]] = []
    waiting: list[str] = []
    for turn in turns:
        if turn.role == "assistant":
            read.append((waiting[-1] if waiting else "", turn.text))
        else:
            waiting.append(turn.text)
    question, subtask = turns[0].text, turns[-1].text
    tagged = re.fullmatch(_TAGGED, question, re.DOTALL) if len(turns) == 1 else None
    if tagged:
        steps = re.findall(_STEP, tagged["earlier"], re.DOTALL)
        return tagged["question"].strip(), tuple(steps), tagged["subtask"].strip()
    head, mark, first = question.rpartition("\n\nYour part: ")
    if mark:
        read[:1] = [(first, answer) for _, answer in read[:1]]
        return head, tuple(read), first if len(turns) == 1 else subtask
    return question, tuple(read), subtask


_TAGGED = (
    r".*?<question>(?P<question>.*?)</question>(?P<earlier>.*)"
    r"<your_part>(?P<subtask>.*?)</your_part>\s*"
)

_STEP = r"<subtask>(.*?)</subtask>\s*<answer>\s*(.*?)\s*</answer>"


def stated_value(text: str) -> str | None:
    """The value after the last "Answer:" of a text, in lower case; None where there is none.

    >>> stated_value("I worked it out. Answer: Plum.")
    'plum'
    """
    found = _STATED.findall(text[-MAX_TEXT:])
    return found[-1].lower() if found else None


def words(text: str) -> int:
    """The lab's tokens: what stands between white space."""
    return len(text.split())


def _asked(subtask: str, question: str) -> Sequence[Mention]:
    asked = mentions(subtask)
    return mentions(question) if not asked and asks_for_everything(subtask) else asked


def _values(read: Read) -> list[str]:
    stated = (stated_value(answer) for _, answer in read)
    return [value for value in stated if value is not None]


def _pick(what: str) -> int:
    return int(fraction(f"slip {what}") * 1000)


def _cut(text: str, sampling: Sampling) -> tuple[str, FinishReason]:
    for stop in sampling.stop:
        if stop:
            text = text.partition(stop)[0]
    pieces = re.findall(r"\S+\s*", text)
    if len(pieces) > sampling.max_tokens:
        return "".join(pieces[: sampling.max_tokens]), "length"
    return text, "stop"
