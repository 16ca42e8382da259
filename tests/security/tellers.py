"""Workers that give each answer a secret of its own, and what each of them may hear.

A subtask holds the mark `TASK-r-i` of its round and step, the answer to it `SECRET-r-i`, and a
worker's own instructions `PRIVATE-name`. A worker that repeats tells all secrets that it hears, so
a secret may go on along access lists, and nowhere else.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from hypothesis import strategies as st

from partbook.errors import FaultKind, WorkerError
from partbook.event import Planned
from partbook.message import Completion, Message, Sampling, Usage
from partbook.model import OnText
from partbook.pool import AgentPool, Worker, WorkerSpec
from partbook.price import FREE
from partbook.stage import Stage
from partbook.workflow import Step, Workflow

__all__ = [
    "TROUBLES",
    "Drawn",
    "Heard",
    "Teller",
    "Troupe",
    "marks",
    "may_know",
    "plans",
    "secrets_in",
]

FILLER = "so it is " * 60
"""Makes an answer long enough to be shortened."""

TROUBLES = ("", "retry", "fallback", "cut", "context", "empty")
"""What happens to the first try of a step."""

_KINDS: dict[str, FaultKind] = {"retry": "server", "fallback": "auth", "context": "context"}


class Heard(NamedTuple):
    """One call, as far as it matters."""

    worker: str
    mark: str
    """Of its subtask."""
    number: int
    """Which call for this subtask it is, from 0."""
    secrets: frozenset[str]
    tasks: frozenset[str]
    private: frozenset[str]


def secrets_in(text: str) -> frozenset[str]:
    """The marks of all secrets in a text."""
    return frozenset(re.findall(r"SECRET-(\d+-\d+)", text))


def marks(messages: Sequence[Message], what: str = "SECRET") -> frozenset[str]:
    """The marks of all secrets, or of something else, in messages."""
    text = "\n".join(message.text for message in messages)
    return frozenset(re.findall(rf"{what}-([\w-]+\w)", text))


@dataclass
class Troupe:
    """What all workers of a test share."""

    repeats: frozenset[str] = frozenset()
    """Marks of the subtasks whose answer repeats all that was heard."""
    trouble: dict[str, str] = field(default_factory=dict)
    """By mark."""
    heard: list[Heard] = field(default_factory=list)
    calls: Counter[str] = field(default_factory=Counter)

    def pool(self, *contexts: str, conductor: bool = False) -> AgentPool:
        """Workers w0, w1, ... who are each other's fallbacks, one for each way to be shown things.

        With a conductor, the last one is the Conductor itself.
        """
        names = [f"w{i}" for i in range(len(contexts))]
        workers = [
            Worker(
                WorkerSpec(
                    name=name,
                    kind="http",
                    price=FREE,
                    context=context,  # type: ignore[arg-type]
                    instructions="" if context == "plain" else f"PRIVATE-{name}.",
                    on_truncated="continue",
                    on_overflow="shorten",
                    fallbacks=tuple(other for other in names if other != name),
                ),
                Teller(self, name),
            )
            for name, context in zip(names, contexts, strict=True)
        ]
        if conductor:
            workers.append(Worker(WorkerSpec("itself", "conductor"), Teller(self, "itself")))
        return AgentPool("troupe", tuple(workers))


@dataclass
class Teller:
    """A worker with secrets."""

    troupe: Troupe
    name: str

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        troupe = self.troupe
        asked = [message.text for message in messages if message.role == "user"]
        mark = next(found[-1] for text in reversed(asked) if (found := _tasks(text)))
        number = troupe.calls[mark]
        troupe.calls[mark] += 1
        secrets = marks(messages)
        troupe.heard.append(
            Heard(
                self.name,
                mark,
                number,
                secrets,
                marks(messages, "TASK"),
                marks(messages, "PRIVATE"),
            )
        )
        trouble = "" if number else troupe.trouble.get(mark, "")
        if trouble in _KINDS:
            raise WorkerError("it failed", usage=Usage(), kind=_KINDS[trouble])
        if trouble == "empty":
            return Completion(" ", Usage(1, 1), self.name)
        told = sorted({mark} | (secrets if mark in troupe.repeats else set()))
        text = "".join(f"SECRET-{one} " for one in told) + FILLER
        if on_text is not None:
            on_text(text)
        finish = "length" if trouble == "cut" else "stop"
        return Completion(text, Usage(10, 5), self.name, finish)  # type: ignore[arg-type]


def _tasks(text: str) -> list[str]:
    return re.findall(r"TASK-(\d+-\d+)", text)


@dataclass(frozen=True)
class Drawn:
    """Proposes the given workflows, a round each, on whoever is left."""

    workflows: tuple[Workflow, ...]

    async def propose(self, stage: Stage, round_index: int) -> Planned | None:
        if round_index >= len(self.workflows):
            return None
        size = len(stage.pool)
        steps = tuple(
            Step(step.worker % size, step.subtask, step.access, step.before)
            for step in self.workflows[round_index].steps
        )
        return Planned(round_index, Workflow(steps), "conductor")

    def count_earlier(self, stage: Stage) -> None:
        """They cost nothing."""


def may_know(workflows: Sequence[Workflow], repeats: frozenset[str]) -> dict[str, frozenset[str]]:
    """The secrets that reach each subtask along access lists; every round has an answer."""
    found: dict[str, frozenset[str]] = {}
    for r, workflow in enumerate(workflows):
        for i, step in enumerate(workflow.steps):
            read = [f"{r}-{j}" for j in step.access]
            if step.before and r:
                read.append(f"{r - 1}-{len(workflows[r - 1].steps) - 1}")
            known: set[str] = set()
            for one in read:
                known |= {one} | (found[one] if one in repeats else frozenset())
            found[f"{r}-{i}"] = frozenset(known)
    return found


@st.composite
def plans(draw: st.DrawFn, most_rounds: int = 1) -> tuple[Workflow, ...]:
    """Workflows of up to 5 steps for three workers, one for each round."""
    workflows = []
    for r in range(draw(st.integers(1, most_rounds))):
        steps = []
        for i in range(draw(st.integers(1, 5))):
            access = draw(st.sets(st.integers(0, i - 1))) if i else set()
            # Who reads the round before reads every earlier step.
            before = r > 0 and draw(st.booleans())
            access = set(range(i)) if before else access
            worker = draw(st.integers(0, 2))
            steps.append(Step(worker, f"Do TASK-{r}-{i}.", tuple(sorted(access)), before))
        workflows.append(Workflow(tuple(steps)))
    return tuple(workflows)
