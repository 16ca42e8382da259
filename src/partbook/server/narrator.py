"""Narrator: tells a run's events as the text of a reply: plan and steps, then the answer.

Plan and steps before the last are reasoning; the last step's text is the answer, piece by piece as
it arrives. Steps run at the same time, so each of the others is told as a whole when it is done.
What a client has read cannot be taken back: where a try that was already told turns out to be void,
the narrator says so, and the reply has to end in an error.
"""

from collections.abc import Callable

from partbook.event import (
    Event,
    Planned,
    RoundStarted,
    RunStarted,
    StepFinished,
    StepRetried,
    StepText,
)
from partbook.server.kept_plan import KEPT
from partbook.trace import Trace, TraceBuilder
from partbook.workflow import Workflow

__all__ = ["Narrator"]

_SOURCES = {
    "conductor": "by the Conductor",
    "retry": "by the Conductor, at its second try",
    "fallback": "the fallback, since the Conductor's text held no plan",
    "fixed": "fixed",
}

_KEPT = "kept from the turn before"


class Narrator:
    """Takes the events of one run."""

    def __init__(
        self,
        on_reasoning: Callable[[str], None],
        on_answer: Callable[[str], None] | None,
        on_broken: Callable[[], None],
        *,
        has_rounds: bool = False,
    ) -> None:
        """Begin.

        Args:
            on_reasoning: receives plan and steps.
            on_answer: receives the answer piece by piece; None: it is not wanted so.
            on_broken: is called when what was told turns out to be void.
            has_rounds: whether an answer may be followed by another round; each is then told among
                the steps.
        """
        self._on_reasoning = on_reasoning
        self._on_answer = on_answer
        self._on_broken = on_broken
        self._has_rounds = has_rounds
        self._builder = TraceBuilder()
        self._workers: tuple[str, ...] = ()
        self._round = 0
        self._last = -1
        self._told = ""

    def add(self, event: Event) -> None:
        """Take the next event."""
        self._builder.add(event)
        match event:
            case StepText() if self._is_answer(event) and self._on_answer is not None:
                self._told += event.text
                self._on_answer(event.text)
            case StepFinished() if event.answer is not None:
                self._finish(event)
            case StepRetried() if self._is_answer(event):
                self._retry(event)
            case Planned():
                self._plan(event)
            case RoundStarted() if event.parent is None:
                self._round = event.round
            case RunStarted():
                self._workers = event.workers
            case _:
                pass

    def _is_answer(self, event: StepText | StepFinished | StepRetried) -> bool:
        """Whether it is of the last step of the question's own round, and not of a part of it."""
        return (event.round, event.step) == (self._round, self._last)

    def so_far(self) -> Trace | None:
        """The trace of what has happened; None: nothing has."""
        return None if self._builder.started is None else self._builder.build()

    def _plan(self, event: Planned) -> None:
        if event.round == self._round:
            self._last = len(event.workflow.steps) - 1
        source = _KEPT if event.name == KEPT else _SOURCES[event.source]
        self._on_reasoning(_spelt(event.workflow, source, self._workers))

    def _finish(self, event: StepFinished) -> None:
        answer = event.answer or ""
        if not self._is_answer(event) or self._has_rounds:
            self._on_reasoning(f"\n[{event.step + 1} {event.answered_by}]\n{answer}\n")
        elif self._on_answer is not None and answer.startswith(self._told):
            rest = answer[len(self._told) :]  # all of it where the worker does not stream
            if rest:
                self._on_answer(rest)

    def _retry(self, event: StepRetried) -> None:
        if len(self._told) > event.kept_chars:
            self._on_broken()


def _spelt(workflow: Workflow, source: str, workers: tuple[str, ...]) -> str:
    lines = [f"Plan ({source}):"]
    for i, step in enumerate(workflow.steps):
        reads = ", ".join(str(j + 1) for j in step.access)
        lines.append(
            f"{i + 1}. {workers[step.worker]}: {step.subtask}"
            + (f" (reads {reads})" if reads else "")
        )
    return "\n".join(lines) + "\n"
