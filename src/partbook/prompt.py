"""The words that models are shown: the Conductor's prompt, and a worker's part of the score.

The texts themselves are in `prompts/`, so that they can be read and compared as texts. A worker
sees the question, its own subtask, and the answers that its access list names: nothing else.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from partbook.errors import ConfigError
from partbook.message import Message
from partbook.pool import AgentPool, WorkerSpec

__all__ = [
    "STYLES",
    "PromptStyle",
    "Turn",
    "bare_prompt",
    "check_subtask",
    "conductor_messages",
    "inner_question",
    "prompt_style",
    "retry_messages",
    "worker_messages",
]

PromptStyle = Literal["paper", "bare", "cards"]
"""How a Conductor is asked: in the style in which it was trained, else in the paper's.

`paper`: instructions, examples and the pool, as every language model can follow them.
`bare`: the cards with their numbers and the question, as text that the model goes on with; for
nets that were trained from scratch. `cards`: the same text as one message of a chat."""

STYLES: tuple[PromptStyle, ...] = ("paper", "bare", "cards")


@dataclass(frozen=True, slots=True)
class Turn:
    """A round that is over, as the Conductor looks back at it in the next one."""

    text: str
    """What it wrote, or the workflow that was played in its place."""
    answer: str | None
    """The answer that stands; None: there is none yet."""
    remarks: tuple[str, ...] = ()
    """What else it is told, a sentence each."""
    is_renumbered: bool = False
    """Whether a worker has left since, so that the others have other numbers."""


@cache
def _text(name: str) -> str:
    return files("partbook.prompts").joinpath(name).read_text(encoding="utf-8").strip()


def prompt_style(name: str) -> PromptStyle:
    """The style of this name.

    Raises:
        ConfigError: there is none.
    """
    for style in STYLES:
        if style == name:
            return style
    raise ConfigError(f"the prompt style must be one of {', '.join(STYLES)}; found {name!r}")


def bare_prompt(question: str, pool: AgentPool, answer: str | None = None) -> str:
    """The cards, each with its number, and the question; the completion follows directly.

    The number stands behind its card, so that a policy that names a card goes on to its number by
    copying. In a later round the answer so far stands below the question.
    """
    cards = "".join(f"{_card(worker.spec)} ({i})\n" for i, worker in enumerate(pool.workers))
    so_far = "" if answer is None else f"Answer so far: {answer}\n"
    return f"{cards}Question: {question}\n{so_far}"


def conductor_messages(
    question: str,
    pool: AgentPool,
    max_steps: int,
    *,
    show_names: bool = False,
    style: PromptStyle = "paper",
    turns: Sequence[Turn] = (),
) -> tuple[Message, ...]:
    """The Conductor's prompt (arXiv:2512.04388, section 3.1 and appendix E).

    A later round goes on with the same chat (Figure 14): what the Conductor wrote, what came of it,
    and the choice to write a new workflow or to keep the answer. Where a worker left, the chat
    begins anew with those who are there, because the numbers are others.

    Args:
        question: what the user asks.
        pool: the workers, numbered as they stand.
        max_steps: the most steps that the workflow may have.
        show_names: whether workers are shown by name; hidden, they are ordinals with a card, so
            that the Conductor does not follow a reputation.
        style: `bare` and `cards` give one message; it shows no names and no number of steps.
        turns: the rounds before this one.
    """
    if style != "paper":
        # In the chat template of the model; that of a `bare` one is the text alone.
        so_far = turns[-1].answer if turns else None
        return (Message("user", bare_prompt(question, pool, so_far)),)
    workers = "\n".join(
        f"{i}: {spec.name + ', ' if show_names else ''}{_card(spec)}"
        for i, spec in enumerate(worker.spec for worker in pool.workers)
    )
    task = _text("conductor.txt").format(
        max_steps=max_steps, examples=_text("examples.txt"), question=question, workers=workers
    )
    fresh = max((i + 1 for i, turn in enumerate(turns) if turn.is_renumbered), default=0)
    if fresh:
        task = f"{task}\n\n{_again(turns[fresh - 1], max_steps)}"
    messages = [Message("user", task)]
    for turn in turns[fresh:]:
        messages.append(Message("assistant", turn.text))
        messages.append(Message("user", _again(turn, max_steps)))
    return tuple(messages)


def _again(turn: Turn, max_steps: int) -> str:
    """How the Conductor is asked for the round after this one."""
    remarks = "".join(f"{remark}\n" for remark in turn.remarks)
    if turn.answer is None:
        return _text("again_failed.txt").format(remarks=remarks, max_steps=max_steps)
    text = _text("again.txt")
    return text.format(answer=turn.answer, remarks=remarks, max_steps=max_steps)


def _card(spec: WorkerSpec) -> str:
    return spec.card or "a language model"


def retry_messages(messages: Sequence[Message], text: str, error: str) -> tuple[Message, ...]:
    """The stricter second try: what the Conductor wrote, and what is wrong with it."""
    complaint = _text("retry.txt").format(error=error)
    return (*messages, Message("assistant", text or "(nothing)"), Message("user", complaint))


def check_subtask() -> str:
    """What a checker is to do with the answer of a round, which it reads as an earlier step."""
    return _text("check.txt")


def inner_question(question: str, subtask: str, read: Sequence[tuple[str, str]]) -> str:
    """The question of a Conductor that carries out a step: all that the step's worker may see."""
    return _tagged(question, subtask, read)


def worker_messages(
    question: str, subtask: str, read: Sequence[tuple[str, str]], spec: WorkerSpec
) -> tuple[Message, ...]:
    """What a worker sees, in the form that its spec asks for.

    Args:
        question: the user's question; every worker gets it.
        subtask: what this worker is to do.
        read: (subtask, answer) of the earlier steps that its access list names, in order.
        spec: its own instructions and examples, and `context`:
            `turns`: earlier steps are past turns of a chat (the paper's text);
            `tagged`: one message in which they are tagged (the paper's published code);
            `plain`: question, earlier steps and subtask word for word, a message each (tools).
    """
    if spec.context == "plain":
        return _plain(question, subtask, read)
    opening = [Message("system", spec.instructions)] if spec.instructions else []
    for example in spec.examples:
        opening += [Message("user", example.user), Message("assistant", example.assistant)]
    if spec.context == "tagged":
        return (*opening, Message("user", _tagged(question, subtask, read)))
    return (*opening, *_turns(question, subtask, read))


def _plain(question: str, subtask: str, read: Sequence[tuple[str, str]]) -> tuple[Message, ...]:
    past: list[Message] = []
    for earlier, answer in read:
        past += [Message("user", earlier), Message("assistant", answer)]
    return (Message("user", question), *past, Message("user", subtask))


def _turns(question: str, subtask: str, read: Sequence[tuple[str, str]]) -> list[Message]:
    turns: list[Message] = []
    for earlier, answer in read:
        turns += (Message("user", earlier), Message("assistant", answer))
    turns.append(Message("user", subtask))
    # The question opens the first turn: many chat templates forbid two user turns in a row.
    first = _text("turn.txt").format(question=question, subtask=turns[0].text)
    turns[0] = Message("user", first)
    return turns


def _tagged(question: str, subtask: str, read: Sequence[tuple[str, str]]) -> str:
    earlier = "\n".join(
        f'<earlier_step number="{n}">\n<subtask>{task}</subtask>\n<answer>\n{answer}\n</answer>\n'
        "</earlier_step>"
        for n, (task, answer) in enumerate(read)
    )
    return _text("tagged.txt").format(question=question, earlier=earlier, subtask=subtask)
