"""What a run had done before it was cut short, brought back so that it can go on.

An answer that came is taken as it is, and its call is never made again. A call that was in flight
is: nobody knows whether the provider did the work, so it counts against every limit at its worst
case, and its price is unknown. Keeping what was done is left to `store/`, going on to `conduct.py`.
"""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import NamedTuple

from partbook.budget import Budget, worst_case
from partbook.event import (
    AnswerChecked,
    Event,
    Planned,
    Proposed,
    RoundFinished,
    RoundStarted,
    RoundUnanswered,
    StepRetried,
)
from partbook.message import Message, Usage
from partbook.pool import AgentPool, WorkerSpec
from partbook.price import FREE, Price
from partbook.prompt import worker_messages
from partbook.rounds import LOST, checker_messages, is_over, question_of, reads
from partbook.step_trace import StepTrace, step_events
from partbook.trace import Trace

__all__ = [
    "MOST_TO_GO_ON",
    "can_go_on",
    "count_earlier",
    "known_texts",
    "lost_text",
    "lost_tries",
    "recall",
    "settled",
]

MOST_TO_GO_ON = 256
"""Longest request to go on with an answer that was cut off (`perform.GO_ON`), in bytes."""

_OPEN_REASONS = ("interrupted", "setup", "worker")
"""Why a run stopped that may well succeed when it goes on. A limit that is reached is reached."""


def can_go_on(trace: Trace) -> bool:
    """Whether a run was cut short by something other than its own limits or its own answer."""
    return trace.status != "answered" and trace.reason in _OPEN_REASONS


def recall(earlier: Trace) -> Iterator[Event]:
    """The events that happened before, without those of the run as a whole."""
    for i, round_ in enumerate(earlier.rounds):
        yield RoundStarted(i, round_.parent)
        yield from round_.proposals
        if (planned := settled(earlier, i)) is not None:
            yield planned
        over = is_over(earlier, i)
        for step in round_.steps:
            events = step_events(i, step)
            # A failure is told as a try among others: the step is still open.
            is_told = over or step.answer is not None
            yield from events if is_told else events[: 1 + len(step.attempts)]
        # An open round says so itself once it goes on.
        if round_.unanswered is not None:
            yield RoundUnanswered(i, round_.unanswered, round_.detail)
        elif round_.answer is not None and i + 1 < len(earlier.rounds):
            yield RoundFinished(i, round_.answer)
        yield from round_.checks


def settled(earlier: Trace, round_index: int) -> Planned | None:
    """The workflow of a round, if it was settled before."""
    round_ = earlier.rounds[round_index]
    if round_.workflow is None or round_.source is None:
        return None
    return Planned(round_index, round_.workflow, round_.source, round_.workflow_name)


def lost_tries(earlier: Trace, pool: AgentPool) -> Iterator[StepRetried]:
    """A try for each step that began and has no answer: it failed, or was in flight at the end."""
    for i, step, spec in _open_steps(earlier, pool):
        if spec is None or spec.kind != "conductor":  # whose calls are those of its round
            yield _lost_try(i, step, spec)


def _open_steps(
    earlier: Trace, pool: AgentPool
) -> Iterator[tuple[int, StepTrace, WorkerSpec | None]]:
    """Steps without an answer that are about to be tried again, with their rounds."""
    specs = {worker.name: worker.spec for worker in pool.workers}
    for i, round_ in enumerate(earlier.rounds):
        if not is_over(earlier, i):
            for step in round_.steps:
                if step.answer is None:
                    yield i, step, specs.get(step.worker)


def lost_text(round_index: int, price: Price | None) -> Proposed:
    """A call of the Conductor that was in flight at the end."""
    cost = _lost_cost(price)
    return Proposed(round_index, "", "", None, cost, 0.0, LOST, fault="unknown", price=price)


def known_texts(earlier: Trace | None, round_index: int) -> list[Proposed]:
    """The Conductor's texts of a round, in order; calls that brought none are left out."""
    if earlier is None or round_index >= len(earlier.rounds):
        return []
    return [text for text in earlier.rounds[round_index].proposals if text.fault is None]


def count_earlier(earlier: Trace, pool: AgentPool, budget: Budget) -> None:
    """Put what was spent before into the budget, what is unknown at its worst case."""
    specs = {worker.name: worker.spec for worker in pool.workers}
    assumed = budget.limits.assumed_price
    # A step that the Conductor was about to carry out itself would have been no call.
    parents = {round_.parent for round_ in earlier.rounds}
    no_calls = sum(
        spec is not None and spec.kind == "conductor" and (i, step.step) not in parents
        for i, step, spec in _open_steps(earlier, pool)
    )
    budget.book(0, None, earlier.calls - no_calls)
    for i, round_ in enumerate(earlier.rounds):
        for text in round_.proposals:
            if text.usage is not None:
                budget.book(text.usage.total_tokens, _price_of(text, assumed))
        for check in round_.checks:
            if check.usage is not None:
                budget.book(check.usage.total_tokens, _price_of(check, assumed))
            elif check.worker in specs:
                spec = specs[check.worker]
                messages = checker_messages(earlier, i, spec)
                budget.book(*worst_case(messages, spec.sampling, spec.price or assumed))
        for step in round_.steps:
            for call in _calls(step):
                if call.usage is not None:
                    budget.book(call.usage.total_tokens, _price_of(call, assumed))
                    continue
                worst = [
                    _worst(earlier, i, step, specs[name], call.kept_chars, assumed)
                    for name in call.workers(specs)
                ]
                prices = [usd for _, usd in worst if usd is not None]
                budget.book(
                    max((tokens for tokens, _ in worst), default=0), max(prices, default=None)
                )


class _Call(NamedTuple):
    """A call of an earlier life."""

    worker: str
    usage: Usage | None
    cost_usd: Decimal | None
    price: Price | None
    kept_chars: int = 0
    """So long was the answer that it may have been asked to continue."""
    lost: bool = False
    """Whether it was in flight at the end, or is not known to be another: perhaps a fallback's."""

    def workers(self, specs: Mapping[str, WorkerSpec]) -> list[str]:
        """Who may have been asked. Tools cost nothing, a Conductor's calls are in a round."""
        spec = specs.get(self.worker)
        others = spec.fallbacks if self.lost and spec is not None else ()
        return [name for name in (self.worker, *others) if name in specs and specs[name].is_model]


def _calls(step: StepTrace) -> Iterator[_Call]:
    """Every call of a step that was made, or may have been."""
    kept_chars = 0
    for attempt in step.attempts:
        kept_chars = max(kept_chars, attempt.kept_chars)
        if attempt.calls:
            cost, price = attempt.cost_usd, attempt.price
            lost = attempt.kind == "unknown"
            yield _Call(attempt.worker, attempt.usage, cost, price, kept_chars, lost)
    if step.calls > sum(attempt.calls for attempt in step.attempts):
        worker = step.answered_by or step.worker
        lost = not step.answered_by
        yield _Call(worker, step.usage, step.cost_usd, step.price, kept_chars, lost)


def _price_of(call: _Call | Proposed | AnswerChecked, assumed: Price | None) -> Decimal | None:
    """What a call whose usage is known counts for."""
    if call.cost_usd is not None or call.usage is None:
        return call.cost_usd
    price = call.price or assumed
    return None if price is None else price.cost_usd(call.usage)


def _worst(
    earlier: Trace,
    round_index: int,
    step: StepTrace,
    spec: WorkerSpec,
    kept_chars: int,
    assumed: Price | None,
) -> tuple[int, Decimal | None]:
    """Most that a call of this worker for this step can have taken."""
    messages = _shown(earlier, round_index, step, spec)
    if kept_chars:
        so_far = Message("assistant", "\U0010ffff" * kept_chars)
        messages = (*messages, so_far, Message("user", "x" * MOST_TO_GO_ON))
    return worst_case(messages, spec.sampling, spec.price or assumed)


def _shown(
    earlier: Trace, round_index: int, step: StepTrace, spec: WorkerSpec
) -> tuple[Message, ...]:
    """What a worker was shown at first; a journal leaves it out until the step has ended."""
    workflow = earlier.rounds[round_index].workflow
    if workflow is None:
        return step.messages
    read = reads(earlier, round_index, step.step)
    question = question_of(earlier, round_index)
    return worker_messages(question, workflow.steps[step.step].subtask, read, spec)


def _lost_try(round_index: int, step: StepTrace, spec: WorkerSpec | None) -> StepRetried:
    failed = step.finished_s is not None
    tried = sum(attempt.calls for attempt in step.attempts)
    return StepRetried(
        round_index,
        step.step,
        len(step.attempts),
        step.worker,
        step.error or "" if failed else LOST,
        "unknown",
        0.0,
        step.usage,
        step.cost_usd if failed else _lost_cost(None if spec is None else spec.price),
        calls=step.calls - tried,
        price=step.price,
    )


def _lost_cost(price: Price | None) -> Decimal | None:
    return Decimal(0) if price == FREE else None
