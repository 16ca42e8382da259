"""The live view of a run: what is finished is printed for good, what is going on is below it.

On a terminal the running steps and the Conductor's text move in a region of their own, which
Rich redraws; elsewhere only what is finished is printed, as it finishes.
"""

import sys
from dataclasses import dataclass, field

from rich.console import Group, RenderableType
from rich.live import Live
from rich.padding import Padding
from rich.text import Text

from partbook.cli.drawing import (
    body,
    dim,
    drawn_check,
    drawn_ending,
    drawn_proposal,
    drawn_round,
    drawn_step,
    drawn_unanswered,
    source_of,
)
from partbook.cli.plain import clean, head, open_console
from partbook.cli.score import score
from partbook.event import (
    AnswerChecked,
    Event,
    Planned,
    ProposalText,
    Proposed,
    RoundStarted,
    RoundUnanswered,
    RunStarted,
    StepFinished,
    StepRetried,
    StepStarted,
    StepText,
)
from partbook.step_trace import step_trace
from partbook.trace import Trace
from partbook.workflow import Workflow

__all__ = ["LiveView"]

_TAIL_LINES = 6
"""How much of a running step's text stays in view."""

_TAIL_CHARS = 2000


@dataclass(slots=True)
class _Running:
    """A step whose worker is writing."""

    started: StepStarted
    text: str = ""
    """Its tail."""
    dropped_chars: int = 0
    """What came before the tail."""
    attempts: list[StepRetried] = field(default_factory=list)

    def add(self, piece: str) -> None:
        whole = self.text + piece
        self.text = whole[-_TAIL_CHARS:]
        self.dropped_chars += len(whole) - len(self.text)

    def restart(self, event: StepRetried) -> None:
        """Another try follows: only the text that it goes on with stays."""
        self.attempts.append(event)
        self.text = self.text[: max(0, event.kept_chars - self.dropped_chars)]
        self.dropped_chars = event.kept_chars - len(self.text)


class LiveView:
    """Prints a run while it happens.

    `add` takes its events; `close` comes before anything else prints.
    """

    def __init__(self) -> None:
        self._console = open_console()
        self._workers: tuple[str, ...] = ()
        self._workflows: dict[int, Workflow] = {}
        self._many = False
        """Whether there is more than one round."""
        self._proposal = ""
        self._running: dict[tuple[int, int], _Running] = {}
        """By round and step; a round that carries out a step runs beside it."""
        self._live = Live(console=self._console, transient=True, get_renderable=self._region)
        if sys.stdout.isatty():
            self._live.start()

    def add(self, event: Event) -> None:
        """Take the next event."""
        match event:
            case RunStarted():
                self._workers = event.workers
                self._print(dim(f"run {event.run_id}", f"pool {event.pool}"), body(event.question))
            case RoundStarted() if event.round:
                self._many = True
                self._print(drawn_round(event.round, event.parent), Text())
            case ProposalText():
                self._proposal = (self._proposal + event.text)[-_TAIL_CHARS:]
            case Proposed():
                self._proposal = ""
                self._print(*drawn_proposal(event))
            case Planned():
                self._workflows[event.round] = event.workflow
                self._print(source_of(event.source, event.name))
                self._print(score(event.workflow, self._workers), Text())
            case StepStarted():
                key = (event.round, event.step)
                before = self._running.get(key)  # of a run that goes on
                attempts = [] if before is None else before.attempts
                self._running[key] = _Running(event, attempts=attempts)
            case StepText():
                self._running[event.round, event.step].add(event.text)
            case StepRetried():
                self._running[event.round, event.step].restart(event)
            case StepFinished():
                self._print_step(self._running.pop((event.round, event.step)), event)
            case AnswerChecked():
                self._print(*drawn_check(event), Text())
            case RoundUnanswered():
                self._end_round(event)
            case _:
                pass

    def close(self) -> None:
        """Take the moving region away."""
        self._live.stop()

    def show_end(self, trace: Trace) -> None:
        """Print the answer, set apart, and what it took."""
        self._print(*drawn_ending(trace))

    def _print(self, *parts: RenderableType) -> None:
        self._console.print(Group(*parts))

    def _print_step(self, running: _Running, finished: StepFinished) -> None:
        if (workflow := self._workflows.get(finished.round)) is None:
            return
        done = step_trace(running.started, finished, running.attempts)
        self._print(*drawn_step(workflow.steps[finished.step], done, subtask=False), Text())

    def _end_round(self, event: RoundUnanswered) -> None:
        """Steps that were cut off with their round are over, too."""
        self._running = {key: one for key, one in self._running.items() if key[0] < event.round}
        self._print(*drawn_unanswered(event), Text())

    def _region(self) -> RenderableType:
        parts: list[RenderableType] = []
        if self._proposal:
            parts += [Text("Conductor", "bold"), _tail(self._proposal)]
        for (round_, i), running in sorted(self._running.items()):
            number = f"{round_}.{i}" if self._many else f"{i}"
            name = head(running.started.worker)
            parts += [
                Text.assemble((f"{number}  {name}", "bold"), ("  ...", "dim")),
                _tail(running.text),
            ]
        return Group(*parts)


def _tail(text: str) -> Padding:
    lines = clean(text).splitlines()[-_TAIL_LINES:]
    return Padding(Text("\n".join(lines), "dim"), (0, 0, 0, 3))
