"""The words that models are shown: the Conductor's prompt, and a worker's part of the score.

The texts themselves are in `prompts/`, so that they can be read and compared as texts. A worker
sees the question, its own subtask, and the answers that its access list names: nothing else.
"""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from string import Template

from partbook.message import Message
from partbook.pool import AgentPool, WorkerSpec

__all__ = ["conductor_messages", "retry_messages", "worker_messages"]


@cache
def _text(name: str) -> str:
    return files("partbook.prompts").joinpath(name).read_text(encoding="utf-8").strip()


@cache
def _template(name: str) -> Template:
    return Template(_text(name))


def conductor_messages(
    question: str, pool: AgentPool, max_steps: int, *, show_names: bool = False
) -> tuple[Message, ...]:
    """The Conductor's prompt (arXiv:2512.04388, section 3.1 and appendix E).

    Args:
        question: what the user asks.
        pool: the workers, numbered as they stand.
        max_steps: the most steps that the workflow may have.
        show_names: whether workers are shown by name; hidden, they are ordinals with a card, so
            that the Conductor does not follow a reputation.
    """
    workers = "\n".join(
        f"{i}: {spec.name + ', ' if show_names else ''}{spec.card or 'a language model'}"
        for i, spec in enumerate(worker.spec for worker in pool.workers)
    )
    task = _template("conductor.txt").substitute(
        max_steps=max_steps, examples=_text("examples.txt"), question=question, workers=workers
    )
    return (Message("user", task),)


def retry_messages(messages: Sequence[Message], text: str, error: str) -> tuple[Message, ...]:
    """The stricter second try: what the Conductor wrote, and what is wrong with it."""
    complaint = _template("retry.txt").substitute(error=error)
    return (*messages, Message("assistant", text or "(nothing)"), Message("user", complaint))


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
    # The question opens the first turn: many chat templates forbid two user turns in a row.
    tasks = [*(earlier for earlier, _ in read), subtask]
    tasks[0] = _template("turn.txt").substitute(question=question, subtask=tasks[0])
    turns: list[Message] = []
    for task, (_, answer) in zip(tasks, read, strict=False):
        turns += [Message("user", task), Message("assistant", answer)]
    return [*turns, Message("user", tasks[-1])]


def _tagged(question: str, subtask: str, read: Sequence[tuple[str, str]]) -> str:
    earlier = "\n".join(
        f'<earlier_step number="{n}">\n<subtask>{task}</subtask>\n<answer>\n{answer}\n</answer>\n'
        "</earlier_step>"
        for n, (task, answer) in enumerate(read)
    )
    return _template("tagged.txt").substitute(question=question, earlier=earlier, subtask=subtask)
