"""Plays one run for `run` and `resume`: opens the pool, conducts, prints, and keeps the run."""

import asyncio
import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

import typer

from partbook.cli.asking import check_prices
from partbook.cli.opening import opened_pool
from partbook.cli.plain import clean, print_json
from partbook.cli.setup import Setup
from partbook.cli.spans import span_listener
from partbook.conduct import conduct
from partbook.errors import PartbookError, StoreError
from partbook.event import Event, OnEvent
from partbook.rounds import standing
from partbook.step_trace import StepTrace
from partbook.trace import Trace, TraceBuilder
from partbook.trace_json import trace_to_dict

if TYPE_CHECKING:
    from partbook.cli.live import LiveView
    from partbook.models.recorded import Recording
    from partbook.models.replayed import Replay
    from partbook.store import Journal, Store

__all__ = ["JsonOption", "Playing", "ShowOption", "is_answered", "is_visible", "print_end"]

ShowOption = Annotated[
    bool | None,
    typer.Option(
        "--show/--no-show",
        help="Show workflow and steps; otherwise only when printing to a terminal.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the trace as one JSON object.")]


def is_visible(show: bool | None, json: bool) -> bool:
    """Whether workflow and steps are shown."""
    return not json and (sys.stdout.isatty() if show is None else show)


@dataclass(frozen=True, slots=True)
class Playing:
    """One run that is about to be played, or to go on."""

    question: str
    setup: Setup
    store: "Store"
    journal: "Journal"
    visible: bool
    json: bool
    earlier: Trace | None = None
    so_far: TraceBuilder = field(default_factory=TraceBuilder)

    def play(self) -> bool:
        """Play it to its end and print that.

        Returns:
            Whether it was answered.

        Raises:
            PartbookError: something that the user can mend.
        """
        with ExitStack() as stack:
            spans = stack.enter_context(
                span_listener(
                    self.setup.choice.everybody(self.setup.config), self.setup.choice.name
                )
            )
            view = self._view()
            recording = self._recording()
            if recording is not None:
                stack.callback(recording.close)
            try:
                trace = self._run(recording, view, spans)
            except (KeyboardInterrupt, PartbookError):
                self._keep_what_there_is()
                raise
            if view is not None:
                view.show_end(trace)
            try:
                print_end(trace, json=self.json, visible=self.visible)
            finally:  # even where nobody reads what is printed any more
                self._keep(trace)
        return is_answered(trace)

    def _run(
        self, recording: "Recording | None", view: "LiveView | None", spans: OnEvent | None
    ) -> Trace:
        try:
            return asyncio.run(self._conducted(recording, self._on_event(view, spans)))
        finally:
            if view is not None:
                view.close()

    async def _conducted(self, recording: "Recording | None", on_event: OnEvent) -> Trace:
        setup = self.setup
        needed = setup.choice.needed(setup.config)
        replay = self._replay()
        async with (
            opened_pool(
                setup.config, needed, prices=setup.prices, recording=recording, replay=replay
            ) as pool,
            setup.choice.opened(
                pool, prices=setup.prices, recording=recording, replay=replay
            ) as proposer,
        ):
            check_prices(pool, needed, setup.limits, proposer)
            return await conduct(
                self.question,
                pool,
                proposer,
                limits=setup.limits,
                on_event=on_event,
                stream=self.visible,
                journal=self.journal.add,
                earlier=self.earlier,
                stop=setup.stop,
            )

    def _view(self) -> "LiveView | None":
        if not self.visible:
            return None
        from partbook.cli.live import LiveView

        return LiveView()

    def _recording(self) -> "Recording | None":
        setup = self.setup
        if setup.record is None:
            return None
        from partbook.models.recorded import Recording, described

        workers = described(setup.choice.everybody(setup.config).workers)
        return Recording.open(setup.record, setup.config.name, workers)

    def _replay(self) -> "Replay | None":
        if self.setup.replay is None:
            return None
        from partbook.models.replayed import Replay

        return Replay.open(self.setup.replay)

    def _on_event(self, view: "LiveView | None", spans: OnEvent | None) -> OnEvent:
        listeners: list[OnEvent] = (
            [self.so_far.add] if view is None else [self.so_far.add, view.add]
        )
        if spans is not None:
            listeners.append(spans)

        def on_event(event: Event) -> None:
            for listener in listeners:
                listener(event)

        return on_event

    def _keep(self, trace: Trace) -> None:
        from partbook.store import Tags

        try:
            self.store.save(trace, Tags(setup=self.setup.to_json()))
        except StoreError:
            print(
                f"run {trace.run_id} is still in its journal; once the store can be written, "
                f"`partbook resume {trace.run_id}` keeps it and asks nobody",
                file=sys.stderr,
            )
            raise
        self.journal.discard()

    def _keep_what_there_is(self) -> None:
        """The run was cut short: keep it as far as it came, and say how it goes on."""
        if self.so_far.started is None:
            return
        trace = self.so_far.build()
        try:
            self._keep(trace)
        except StoreError:
            # What was paid for is not in the store; then it is at least on the screen.
            print_end(trace, json=self.json, visible=False)
            return
        print(
            f"run {trace.run_id} is kept as far as it came; `partbook resume {trace.run_id}` "
            "goes on",
            file=sys.stderr,
        )


def print_end(trace: Trace, *, json: bool, visible: bool) -> None:
    """Print how a run ended: the trace, or the answer and what is to be said about it."""
    if json:
        print_json(trace_to_dict(trace))
    elif not visible:
        if trace.answer is not None:
            print(clean(trace.answer))
        if trace.status != "answered" or trace.detail:
            print(f"{trace.status}: {clean(trace.detail)}", file=sys.stderr)
    if not visible and _is_answer_cut_off(trace):
        print(
            "the answer was cut off at its token limit; raise the worker's `max_tokens`, or "
            'let it go on with `on_truncated = "continue"`',
            file=sys.stderr,
        )


def is_answered(trace: Trace) -> bool:
    """Whether there is an answer that the last worker stands by."""
    last = _last_step(trace)
    failed = last is not None and last.finish_reason == "error"
    return trace.status == "answered" and not failed


def _is_answer_cut_off(trace: Trace) -> bool:
    last = _last_step(trace)
    return last is not None and last.answer is not None and last.finish_reason == "length"


def _last_step(trace: Trace) -> StepTrace | None:
    """The step whose answer is the run's; None: no round came to its end."""
    found = standing(trace, len(trace.rounds))
    return None if found is None else trace.rounds[found.round].steps[-1]
