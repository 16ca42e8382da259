"""The events of a run that is over, made of its trace, so that it can be played again.

A trace does not say when a try failed, when the Conductor's text came, or when an answer was
checked, only how long the last two took; those times are set where they must lie between.
"""

from collections.abc import Iterator
from typing import Any

from partbook.event import (
    Event,
    Planned,
    RoundFinished,
    RoundStarted,
    RoundUnanswered,
    RunFinished,
    RunStarted,
    StepFinished,
    StepStarted,
)
from partbook.page.events_json import event_to_dict
from partbook.step_trace import StepTrace, step_events
from partbook.trace import RoundTrace, Trace

__all__ = ["events_of"]


def events_of(trace: Trace) -> list[dict[str, Any]]:
    """The events as JSON values, in the order of their times; texts of steps are whole."""
    begun = RunStarted(
        trace.run_id,
        trace.question,
        trace.pool,
        trace.workers,
        trace.started_at,
        trace.most_rounds,
    )
    timed: list[tuple[float, Event]] = [(0.0, begun)]
    end_s = 0.0
    for i, round_ in enumerate(trace.rounds):
        start_s = end_s if round_.parent is None else _parent_s(trace, round_.parent)
        events = list(_round(i, round_, start_s))
        timed += events
        if round_.parent is None:
            end_s = events[-1][0]
    timed.sort(key=lambda item: item[0])  # what happened at once stays in order
    finished = RunFinished(trace.status, trace.seconds, trace.reason, trace.detail)
    last_s = max(trace.seconds, timed[-1][0])
    return [event_to_dict(event, at_s) for at_s, event in [*timed, (last_s, finished)]]


def _parent_s(trace: Trace, parent: tuple[int, int]) -> float:
    """When a step began that a round carries out."""
    round_, step = parent
    steps = trace.rounds[round_].steps
    return next((known.started_s for known in steps if known.step == step), 0.0)


def _round(index: int, round_: RoundTrace, start_s: float) -> Iterator[tuple[float, Event]]:
    """The events of a round, the last of them its end."""
    first_s = min((step.started_s for step in round_.steps), default=float("inf"))
    at_s = min(start_s, first_s)
    yield at_s, RoundStarted(index, round_.parent)
    for proposal in round_.proposals:
        at_s = min(at_s + proposal.seconds, first_s)
        yield at_s, proposal
    if round_.workflow is not None and round_.source is not None:
        planned = Planned(index, round_.workflow, round_.source, round_.workflow_name)
        yield (at_s if first_s == float("inf") else first_s), planned
    for step in round_.steps:
        yield from _step(index, step)
        at_s = max(at_s, step.started_s, step.finished_s or 0.0)
    if round_.answer is not None:
        yield at_s, RoundFinished(index, round_.answer)
    for check in round_.checks:
        at_s += check.seconds
        yield at_s, check
    if round_.unanswered is not None:
        yield at_s, RoundUnanswered(index, round_.unanswered, round_.detail)


def _step(index: int, step: StepTrace) -> Iterator[tuple[float, Event]]:
    end_s = step.started_s if step.finished_s is None else step.finished_s
    each_s = (end_s - step.started_s) / (len(step.attempts) + 1)
    for number, event in enumerate(step_events(index, step)):
        match event:
            case StepStarted() | StepFinished():
                yield event.at_s, event
            case _:
                yield step.started_s + number * each_s, event
