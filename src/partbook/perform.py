"""Performs one step: its worker, asked again where that makes sense, and after it the fallbacks.

Three loops lie in each other. The innermost asks again after faults that may pass (`retry.py`). The
next lets a worker go on that was cut off, or shortens what it reads. The outermost asks the
fallback workers in turn. Every try that another one follows is told by a `StepRetried` with its own
usage and price, so that nothing that was paid for is lost, and the trace says who really answered.
"""

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from partbook.budget import Budgeted
from partbook.errors import BudgetError, FaultKind, PartbookError, WorkerError
from partbook.event import StepFinished, StepRetried, StepStarted, StepText
from partbook.message import Completion, FinishReason, Message, Usage
from partbook.pool import Worker, WorkerSpec
from partbook.prompt import worker_messages
from partbook.shorten import is_surely_too_long, room_for_answers, shortened
from partbook.stage import Stage, cost_of
from partbook.trace import Trace
from partbook.usable import Checked
from partbook.workflow import Step

__all__ = ["GO_ON", "MOST_CONTINUATIONS", "MOST_CUTS", "perform"]

GO_ON = (
    "Your answer was cut off at its length limit. Go on exactly where it stopped, in the middle of "
    "a word if need be. Repeat nothing and add no remark."
)
"""How a worker is asked to continue."""

MOST_CONTINUATIONS = 3
"""How often one answer is continued; what is still cut off then is marked."""

MOST_CUTS = 2
"""How often the earlier answers are shortened for one worker."""


def perform(
    stage: Stage, round_index: int, index: int, step: Step, read: Sequence[tuple[str, str]]
) -> Awaitable[str]:
    """Begin one step; to await it is to carry it out. Emits what happens.

    Args:
        stage: what the run shares.
        round_index: the step's round.
        index: the step's place in its workflow.
        step: what is to be done, and by whom.
        read: (subtask, answer) of the steps on its access list.

    Returns:
        The answer.

    Raises:
        WorkerError: neither the worker nor a fallback answered; the message says what each said.
        BudgetError: a limit forbade a call.
    """
    worker = stage.pool[step.worker]
    messages = worker_messages(stage.question, step.subtask, read, worker.spec)
    stage.emit(StepStarted(round_index, index, worker.name, messages, stage.clock()))
    performance = _Performance(stage, round_index, index, step.subtask, read, messages, worker.spec)
    if stage.earlier is not None:
        performance.attempts = _tries_before(stage.earlier, round_index, index)
    return performance.run(worker)


def _tries_before(earlier: Trace, round_index: int, index: int) -> int:
    """Tries of this step that were told before the run was cut short, the lost one included."""
    steps = earlier.rounds[round_index].steps if round_index < len(earlier.rounds) else ()
    return sum(len(step.attempts) + 1 for step in steps if step.step == index)


class _Answer(NamedTuple):
    """What a worker's calls came to; usage and calls are those of the last one."""

    text: str
    model: str
    usage: Usage | None
    finish_reason: FinishReason
    calls: int
    cached: bool


def _answer_of(completion: Completion) -> _Answer:
    return _Answer(
        completion.text,
        completion.model,
        completion.usage,
        completion.finish_reason,
        int(not completion.cached),
        completion.cached,
    )


@dataclass(slots=True)
class _Performance:
    """One step while it is performed."""

    stage: Stage
    round: int
    index: int
    subtask: str
    read: Sequence[tuple[str, str]]
    begun_with: tuple[Message, ...]
    """The messages that the step's own worker is shown first."""
    asked: WorkerSpec
    """Who is being asked."""
    shown: tuple[Message, ...] = ()
    """The messages of the last try."""
    kept_chars: int = 0
    """How long the answer is that the worker is asked to continue."""
    attempts: int = 0
    notes: tuple[str, ...] = ()

    async def run(self, worker: Worker) -> str:
        try:
            answer = await self._fitted(worker, first=True)
        except WorkerError as err:
            answer = await self._by_fallback(worker, err)
        except PartbookError as err:  # it forbade a call
            self._failed(err)
            raise
        self._end(answer)
        return answer.text

    async def _by_fallback(self, worker: Worker, failure: WorkerError) -> _Answer:
        """The answer of the first fallback that has one."""
        failures = [f"worker {worker.name!r}: {failure}"]
        for other in self.stage.fallbacks(worker.spec):
            self._retried(failure, 0.0)
            self.asked = other.spec
            try:
                answer = await self._fitted(other, first=False)
            except WorkerError as err:
                failures.append(f"worker {other.name!r}: {err}")
                failure = err
                continue
            except PartbookError as err:  # it forbade a call
                self._failed(err)
                raise
            self.notes += (f"answered by {other.name!r} in place of {worker.name!r}",)
            return answer
        last = WorkerError(
            "; in its place ".join(failures),
            usage=failure.usage,
            status=failure.status,
            kind=failure.kind,
            retry_after_s=failure.retry_after_s,
        )
        self._failed(last)
        raise last from failure

    # What only passes a call on is no coroutine of its own: each would wait as long as the call.

    def _fitted(self, worker: Worker, *, first: bool) -> Awaitable[_Answer]:
        """The worker's answer; what it reads is shortened where it may be and must be."""
        messages = self.begun_with if first else self._messages(worker.spec, self.read)
        if worker.spec.on_overflow == "shorten" and self.read:
            return self._shortened(worker, messages)
        return self._whole(worker, messages)

    async def _shortened(self, worker: Worker, messages: tuple[Message, ...]) -> _Answer:
        """The worker's answer; what it reads is shortened where it must be."""
        spec, read, cuts = worker.spec, self.read, MOST_CUTS
        window, limit = spec.context_window, spec.sampling.max_tokens
        if window is not None and is_surely_too_long(messages, window, limit):
            room = room_for_answers(messages, [answer for _, answer in read], window, limit)
            read = self._cut(spec, read, room)
            messages = self._messages(spec, read)
            cuts -= 1
        for _ in range(cuts):
            try:
                return await self._whole(worker, messages)
            except WorkerError as err:
                if err.kind != "context":
                    raise
                shorter = self._cut(spec, read, sum(len(answer) for _, answer in read) // 2)
                if shorter == read:
                    raise
                self._retried(err, 0.0)
            read = shorter
            messages = self._messages(spec, read)
        return await self._whole(worker, messages)

    async def _whole(self, worker: Worker, messages: tuple[Message, ...]) -> _Answer:
        """The worker's answer; where it was cut off, it is asked to go on if that is wanted."""
        self.shown = messages
        answer = _answer_of(await self._tried(worker, messages))
        if answer.finish_reason != "length" or worker.spec.on_truncated != "continue":
            return answer
        for _ in range(MOST_CONTINUATIONS):
            self._cut_off(answer)
            try:
                more = await self._tried(worker, _go_on(worker.spec, messages, answer.text), answer)
            except (WorkerError, BudgetError) as err:
                self.notes += (f"the answer was cut off and not continued: {err}",)
                asked = isinstance(err, WorkerError) and err.kind != "unavailable"
                usage = err.usage if isinstance(err, WorkerError) else Usage()
                return answer._replace(usage=usage, calls=int(asked))
            answer = _answer_of(more)._replace(text=answer.text + more.text)
            if answer.finish_reason != "length":
                return answer
        self.notes += (
            f"the answer is cut off although it was continued {MOST_CONTINUATIONS} times",
        )
        return answer

    def _tried(
        self, worker: Worker, messages: tuple[Message, ...], before: _Answer | None = None
    ) -> Awaitable[Completion]:
        """A completion; the call is made again after faults that may pass."""
        stage, spec = self.stage, worker.spec
        self.kept_chars = 0 if before is None else len(before.text)
        budgeted = Budgeted(worker.model, stage.budget, spec.price, spec.is_tool)
        retries = 0 if spec.is_tool else spec.retries  # a tool gives the same again
        model = stage.retrying(Checked(budgeted, spec), retries, self._on_retry)
        return model.chat(messages, spec.sampling, self._on_text if stage.stream else None)

    def _on_retry(self, err: WorkerError, _: int, wait_s: float) -> None:
        self._retried(err, wait_s, self.kept_chars)

    def _on_text(self, piece: str) -> None:
        self.stage.emit(StepText(self.round, self.index, piece))

    def _messages(self, spec: WorkerSpec, read: Sequence[tuple[str, str]]) -> tuple[Message, ...]:
        return worker_messages(self.stage.question, self.subtask, read, spec)

    def _cut(
        self, spec: WorkerSpec, read: Sequence[tuple[str, str]], room_chars: int
    ) -> Sequence[tuple[str, str]]:
        """Earlier steps with their answers shortened; the same where nothing can be cut."""
        answers = [answer for _, answer in read]
        cut = shortened(answers, room_chars)
        before, after = sum(map(len, answers)), sum(map(len, cut))
        if after >= before:
            return read
        self.notes += (
            f"earlier answers were shortened for {spec.name!r}: {after} of {before} characters",
        )
        return [(task, text) for (task, _), text in zip(read, cut, strict=True)]

    def _retried(
        self, err: WorkerError, wait_s: float, kept_chars: int = 0, calls: int | None = None
    ) -> None:
        spec = self.asked
        who = (self.round, self.index, self.attempts, spec.name)
        spent = (err.usage, cost_of(err.usage, spec.price))
        made = int(err.kind != "unavailable") if calls is None else calls
        self.stage.emit(
            StepRetried(*who, str(err), err.kind, wait_s, *spent, kept_chars, made, spec.price)
        )
        self.attempts += 1

    def _cut_off(self, answer: _Answer) -> None:
        """Tell that a truncated answer is about to be continued."""
        why = f"cut off at its limit of {self.asked.sampling.max_tokens} tokens; asked to go on"
        err = WorkerError(why, usage=answer.usage, kind="truncated")
        self._retried(err, 0.0, len(answer.text), answer.calls)

    def _failed(self, err: PartbookError) -> None:
        """Emit the end of a step without an answer."""
        usage: Usage | None = Usage()  # any error but a worker's forbade the call
        calls = 0
        if isinstance(err, WorkerError):
            usage, calls = err.usage, int(err.kind != "unavailable")
        fault = err.kind if isinstance(err, WorkerError) else None
        self._end(_Answer("", "", usage, "error", calls, False), str(err), fault)

    def _end(
        self, answer: _Answer, error: str | None = None, fault: FaultKind | None = None
    ) -> None:
        spec = self.asked
        answered = error is None
        self.stage.emit(
            StepFinished(
                self.round,
                self.index,
                self.stage.clock(),
                answer=answer.text if answered else None,
                error=error,
                model=answer.model,
                usage=answer.usage,
                cost_usd=cost_of(answer.usage, spec.price),
                finish_reason=answer.finish_reason if answered else None,
                calls=answer.calls,
                cached=answer.cached,
                answered_by=spec.name if answered else "",
                notes=self.notes,
                messages=None if self.shown is self.begun_with else self.shown,
                price=spec.price,
                fault=fault,
            )
        )


def _go_on(spec: WorkerSpec, messages: tuple[Message, ...], text: str) -> tuple[Message, ...]:
    if spec.kind == "local":  # a local model goes on with the assistant's last message by itself
        return (*messages, Message("assistant", text))
    return (*messages, Message("assistant", text), Message("user", GO_ON))
