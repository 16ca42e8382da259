"""SpanListener: makes spans of the events of one run: request → round → plan or step → call.

Nothing here looks at the run itself, so a run is not slower for being watched, and the spans say
what the trace says. Texts (questions, prompts, answers, and error messages, which may quote them)
are on a span only where that was asked for.

Times are those of the run's clock: events that carry none happened a while after the last one that
did, and that while is measured. A run that is resumed makes spans of what it had done before, too.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, set_span_in_context

from partbook.event import (
    AnswerChecked,
    Event,
    Planned,
    Proposed,
    RoundFinished,
    RoundStarted,
    RoundUnanswered,
    RunFinished,
    RunStarted,
    StepFinished,
    StepRetried,
    StepStarted,
)
from partbook.message import Message
from partbook.pool import WorkerSpec
from partbook.telemetry import semconv as names
from partbook.telemetry.attributes import Attributes, asked_of, outcome, spoken
from partbook.workflow import Workflow

__all__ = ["SpanListener"]


@dataclass(slots=True)
class _Step:
    """A step that has begun."""

    span: Span
    worker: str
    messages: Sequence[Message]
    call_at_s: float
    """When its present call began."""
    calls: int = 0


class SpanListener:
    """Listens to the events of one run; `add` is its `OnEvent`."""

    def __init__(
        self,
        tracer: Tracer,
        specs: Iterable[WorkerSpec],
        conductor: str = "",
        *,
        content: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Get ready for one run.

        Args:
            tracer: makes the spans.
            specs: the pool's workers.
            conductor: name of the worker whose model conducts; empty for a fixed workflow.
            content: whether questions, prompts, answers and error messages are on the spans.
            clock: seconds from any moment on.
        """
        self._tracer = tracer
        self._specs = {spec.name: spec for spec in specs}
        self._conductor = conductor
        self._content = content
        self._clock = clock
        self._epoch_s = 0.0
        """When the run began."""
        self._seen = (0.0, 0.0)
        """The run's time of the last event that carried one, and what the clock said then."""
        self._request: Span | None = None
        self._rounds: dict[int, Span] = {}
        self._plans: dict[int, Span] = {}
        self._proposals: dict[int, int] = {}
        self._workflows: dict[int, Workflow] = {}
        self._steps: dict[tuple[int, int], _Step] = {}

    def add(self, event: Event) -> None:
        """Take the next event."""
        match event:
            case StepStarted():
                self._step_started(event)
            case StepRetried():
                self._step_retried(event)
            case StepFinished():
                self._step_finished(event)
            case RunStarted():
                self._run_started(event)
            case RoundStarted():
                self._round_started(event)
            case Proposed():
                self._proposed(event)
            case Planned():
                self._planned(event)
            case RoundFinished():
                self._end(self._rounds.pop(event.round, None), self._now_s())
            case RoundUnanswered():
                why = None if event.reason == "kept" else event.reason
                for spans in (self._plans, self._rounds):
                    self._end(spans.pop(event.round, None), self._now_s(), why, event.detail)
            case AnswerChecked() if event.calls:
                self._checked(event)
            case RunFinished():
                self._run_finished(event)
            case _:
                pass

    def close(self) -> None:
        """End what is still open: the run never said that it was over."""
        if self._request is not None:
            self._run_finished(RunFinished("stopped", self._now_s(), "interrupted"))

    def _run_started(self, event: RunStarted) -> None:
        self._epoch_s = event.at
        self._see(0.0)
        attributes: Attributes = {
            names.OPERATION: names.INVOKE_WORKFLOW,
            names.GENAI_WORKFLOW_NAME: event.pool,
            names.RUN_ID: event.run_id,
            names.POOL: event.pool,
        }
        if self._content:
            attributes[names.INPUT_MESSAGES] = spoken([Message("user", event.question)])
        self._request = self._start(f"{names.INVOKE_WORKFLOW} {event.pool}", None, 0.0, attributes)

    def _round_started(self, event: RoundStarted) -> None:
        now_s = self._now_s()
        whole = self._steps.get(event.parent) if event.parent else None
        parent = self._request if whole is None else whole.span
        self._rounds[event.round] = span = self._start(
            "round", parent, now_s, {names.ROUND: event.round}
        )
        if self._conductor:
            what: Attributes = {names.OPERATION: names.PLAN, names.AGENT_NAME: self._conductor}
            name = f"{names.PLAN} {self._conductor}"
            self._plans[event.round] = self._start(name, span, now_s, what)

    def _proposed(self, event: Proposed) -> None:
        if not event.calls:
            return
        now_s = self._now_s()
        attempt = self._proposals.get(event.round, 0)
        self._proposals[event.round] = attempt + 1
        parent = self._plans.get(event.round) or self._rounds.get(event.round)
        attributes = outcome(event.usage, event.cost_usd, event.model)
        attributes[names.ATTEMPT] = attempt
        if self._content and event.text:
            attributes[names.OUTPUT_MESSAGES] = spoken([Message("assistant", event.text)])
        began_s = max(now_s - event.seconds, 0.0)
        call = self._call(self._conductor, parent, began_s, attributes)
        self._end(call, now_s, event.fault, event.error)

    def _checked(self, event: AnswerChecked) -> None:
        began_s = max(self._now_s() - event.seconds, 0.0)
        attributes = outcome(event.usage, event.cost_usd, event.model)
        call = self._call(event.worker, self._request, began_s, attributes)
        self._end(call, self._now_s(), event.fault, event.error)

    def _planned(self, event: Planned) -> None:
        self._workflows[event.round] = event.workflow
        attributes: Attributes = {
            names.SOURCE: event.source,
            names.WORKFLOW_STEPS: len(event.workflow.steps),
        }
        if event.name:
            attributes[names.WORKFLOW_NAME] = event.name
        if event.round in self._rounds:
            self._rounds[event.round].set_attributes(attributes)
        self._end(self._plans.pop(event.round, None), self._now_s())

    def _step_started(self, event: StepStarted) -> None:
        self._see(event.at_s)
        attributes: Attributes = {
            names.OPERATION: names.INVOKE_AGENT,
            names.AGENT_NAME: event.worker,
            names.STEP: event.step,
        }
        if workflow := self._workflows.get(event.round):
            attributes[names.ACCESS] = list(workflow.steps[event.step].access)
        name = f"{names.INVOKE_AGENT} {event.worker}"
        span = self._start(name, self._rounds.get(event.round), event.at_s, attributes)
        self._steps[event.round, event.step] = _Step(span, event.worker, event.messages, event.at_s)

    def _step_retried(self, event: StepRetried) -> None:
        if (step := self._steps.get((event.round, event.step))) is None:
            return
        now_s = self._now_s()
        if event.calls:
            cut = event.kind == "truncated"  # it answered, if not to the end
            attributes = outcome(event.usage, event.cost_usd, "", "length" if cut else None)
            call = self._call_of(step, event.worker, attributes)
            self._end(call, now_s, None if cut else event.kind, event.error)
        step.call_at_s = now_s + event.wait_s

    def _step_finished(self, event: StepFinished) -> None:
        self._see(event.at_s)
        if (step := self._steps.pop((event.round, event.step), None)) is None:
            return
        failed = event.error is not None
        kind = (event.fault or "limit") if failed else None
        if event.calls:
            attributes = outcome(event.usage, event.cost_usd, event.model, event.finish_reason)
            if self._content:
                heard = step.messages if event.messages is None else event.messages
                attributes[names.INPUT_MESSAGES] = spoken(heard)
                if event.answer is not None:
                    said = spoken([Message("assistant", event.answer)], event.finish_reason)
                    attributes[names.OUTPUT_MESSAGES] = said
            call = self._call_of(step, event.answered_by or self._last_asked(step), attributes)
            self._end(call, event.at_s, kind, event.error)
        if event.answered_by and event.answered_by != step.worker:
            step.span.set_attribute(names.ANSWERED_BY, event.answered_by)
        if event.cached:
            step.span.set_attribute(names.CACHED, True)
        self._end(step.span, event.at_s, kind, event.error)

    def _run_finished(self, event: RunFinished) -> None:
        self._see(event.seconds)
        reason = None if event.status == "answered" else event.reason or event.status
        for step in self._steps.values():
            self._end(step.span, event.seconds, "cancelled")
        for span in (*self._plans.values(), *self._rounds.values()):
            self._end(span, event.seconds, reason)
        if self._request is not None:
            self._request.set_attribute(names.STATUS, event.status)
            self._end(self._request, event.seconds, reason, event.detail)
        self._request = None
        for open_spans in (self._steps, self._plans, self._rounds):
            open_spans.clear()

    def _last_asked(self, step: _Step) -> str:
        """The worker of a step's last call, where none answered: the last of its fallbacks."""
        spec = self._specs.get(step.worker)
        known = [] if spec is None else [name for name in spec.fallbacks if name in self._specs]
        return known[-1] if known else step.worker

    def _call_of(self, step: _Step, worker: str, attributes: Attributes) -> Span:
        attributes[names.ATTEMPT] = step.calls
        step.calls += 1
        return self._call(worker, step.span, step.call_at_s, attributes)

    def _call(
        self, worker: str, parent: Span | None, began_s: float, attributes: Attributes
    ) -> Span:
        spec = self._specs.get(worker)
        if spec is not None and spec.is_tool:
            attributes |= {names.OPERATION: names.EXECUTE_TOOL, names.TOOL_NAME: worker}
            name, kind = f"{names.EXECUTE_TOOL} {worker}", SpanKind.INTERNAL
            return self._start(name, parent, began_s, attributes, kind)
        attributes[names.OPERATION] = names.CHAT
        if spec is None:
            return self._start(names.CHAT, parent, began_s, attributes, SpanKind.CLIENT)
        attributes |= asked_of(spec)
        kind = SpanKind.CLIENT if spec.kind == "http" else SpanKind.INTERNAL
        return self._start(f"{names.CHAT} {spec.model}", parent, began_s, attributes, kind)

    def _start(
        self,
        name: str,
        parent: Span | None,
        at_s: float,
        attributes: Attributes,
        kind: SpanKind = SpanKind.INTERNAL,
    ) -> Span:
        context = None if parent is None else set_span_in_context(parent)
        return self._tracer.start_span(
            name, context, kind, attributes, start_time=self._nanoseconds(at_s)
        )

    def _end(
        self, span: Span | None, at_s: float, kind: str | None = None, words: str | None = None
    ) -> None:
        if span is None:
            return
        if kind is not None:
            span.set_attribute(names.ERROR_TYPE, kind)
            span.set_status(Status(StatusCode.ERROR, words if self._content else None))
        span.end(self._nanoseconds(at_s))

    def _see(self, at_s: float) -> None:
        self._seen = (at_s, self._clock())

    def _now_s(self) -> float:
        at_s, then = self._seen
        return at_s + self._clock() - then

    def _nanoseconds(self, at_s: float) -> int:
        return int((self._epoch_s + at_s) * 1e9)
