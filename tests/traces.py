"""Traces and events for tests: one that went well, and any that could have been."""

from dataclasses import replace
from decimal import Decimal
from typing import get_args

from hypothesis import strategies as st

from partbook.errors import FaultKind
from partbook.event import (
    Event,
    Planned,
    Proposed,
    RoundFinished,
    RoundStarted,
    RunFinished,
    RunStarted,
    StepFinished,
    StepRetried,
    StepStarted,
)
from partbook.message import Message, Usage
from partbook.price import Price, Tier
from partbook.step_trace import StepTrace
from partbook.trace import RoundTrace, Trace, TraceBuilder
from partbook.workflow import MAX_STEPS, Step, Workflow

WORKFLOW = Workflow(
    (
        Step(0, "Write a program that adds the digits of 2**100"),
        Step(1, "Reason it out"),
        Step(2, "Compare both answers and give the right one", (0, 1)),
    )
)
WORKERS = ("coder", "thinker", "checker")
QUESTION = "What is the sum of the digits of 2**100?"


def events(run_id: str = "run-1", at: float = 1_764_000_000.0) -> list[Event]:
    """A run of three steps that ends with an answer; the second step ends before the first."""
    asked = (Message("user", QUESTION),)
    return [
        RunStarted(run_id, QUESTION, "demo", WORKERS, at),
        RoundStarted(0),
        Proposed(0, "model_id = [0, 1, 2]", "c-7b", Usage(800, 120), Decimal("0.0002"), 0.5, None),
        Planned(0, WORKFLOW, "conductor"),
        StepStarted(0, 0, "coder", asked, 0.5),
        StepStarted(0, 1, "thinker", asked, 0.5),
        StepFinished(
            0, 1, 1.5, "116", None, "m-1", Usage(60, 40, 10, 5), Decimal("0.0003"), "stop"
        ),
        StepFinished(0, 0, 1.75, "115", None, "m-0", Usage(50, 30), Decimal("0.0001"), "stop"),
        StepStarted(0, 2, "checker", (*asked, Message("assistant", "115")), 1.75),
        StepFinished(0, 2, 2.5, "115", None, "m-2", Usage(90, 10), Decimal("0.0004"), "stop"),
        RoundFinished(0, "115"),
        RunFinished("answered", 2.5),
    ]


def a_trace(run_id: str = "run-1", at: float = 1_764_000_000.0) -> Trace:
    """The trace of `events`."""
    builder = TraceBuilder()
    for event in events(run_id, at):
        builder.add(event)
    return builder.build()


# Half of a surrogate pair can stand in what a model writes, and UTF-8 cannot hold it.
TEXTS = st.text(st.characters(codec="utf-8") | st.just("\ud83d"), max_size=20)
_COUNTS = st.integers(0, 10**9)
_SECONDS = st.integers(0, 10**10).map(lambda us: us / 1_000_000)
_COSTS = st.none() | st.decimals(0, 1000, places=9)
_USAGES = st.none() | st.builds(
    Usage, _COUNTS, _COUNTS, _COUNTS, _COUNTS, _COUNTS, _COUNTS, st.booleans()
)
_USD = st.decimals(0, 1000, places=9)
_FLAT = st.builds(Price, _USD, _USD, st.none() | _USD, st.none() | _USD, st.none() | _USD)
_TIERED = st.builds(
    lambda flat, start, tier: replace(flat, tiers=(Tier(start, tier),)), _FLAT, _COUNTS, _FLAT
)
_PRICES = st.none() | _FLAT | _TIERED
_MESSAGES = st.builds(Message, st.sampled_from(["system", "user", "assistant"]), TEXTS)


@st.composite
def workflows(
    draw: st.DrawFn, workers: int = len(WORKERS), texts: st.SearchStrategy[str] = TEXTS
) -> Workflow:
    """Any workflow of a first round for a pool of this size."""
    steps = []
    for i in range(draw(st.integers(1, MAX_STEPS))):
        access = draw(st.sets(st.integers(0, i - 1))) if i else set()
        subtask = draw(texts.filter(str.strip))
        steps.append(Step(draw(st.integers(0, workers - 1)), subtask, tuple(sorted(access))))
    return Workflow(tuple(steps))


def _attempts(round_index: int, step: int) -> st.SearchStrategy[StepRetried]:
    return st.builds(
        StepRetried,
        round=st.just(round_index),
        step=st.just(step),
        attempt=st.integers(0, 9),
        worker=TEXTS,
        error=TEXTS,
        kind=st.sampled_from(get_args(FaultKind)),
        wait_s=_SECONDS,
        usage=_USAGES,
        cost_usd=_COSTS,
        kept_chars=st.integers(0, 10**6),
        calls=st.integers(0, 1),
        price=st.none(),
    )


@st.composite
def _step_traces(draw: st.DrawFn, workflow: Workflow, index: int) -> tuple[StepTrace, ...]:
    started = draw(st.sets(st.sampled_from(range(len(workflow.steps)))))
    return tuple(
        StepTrace(
            step=i,
            worker=WORKERS[workflow.steps[i].worker],
            messages=tuple(draw(st.lists(_MESSAGES, max_size=3))),
            started_s=draw(_SECONDS),
            finished_s=draw(st.none() | _SECONDS),
            answer=draw(st.none() | TEXTS),
            error=draw(st.none() | TEXTS),
            model=draw(TEXTS),
            usage=draw(_USAGES),
            cost_usd=draw(_COSTS),
            finish_reason=draw(st.sampled_from([None, "stop", "length", "filter", "error"])),
            calls=draw(st.integers(0, 9)),
            attempts=tuple(draw(st.lists(_attempts(index, i), max_size=2))),
            answered_by=draw(TEXTS),
            notes=tuple(draw(st.lists(TEXTS, max_size=2))),
            price=draw(_PRICES),
            cached=draw(st.booleans()),
            fault=draw(st.sampled_from([None, *get_args(FaultKind)])),
        )
        for i in sorted(started)
    )


@st.composite
def _rounds(draw: st.DrawFn, index: int) -> RoundTrace:
    proposal = st.builds(
        Proposed,
        st.just(index),
        TEXTS,
        TEXTS,
        _USAGES,
        _COSTS,
        _SECONDS,
        st.none() | TEXTS,
        price=_PRICES,
    )
    proposals = tuple(draw(st.lists(proposal, max_size=2)))
    workflow = draw(st.none() | workflows())
    if workflow is None:
        return RoundTrace(proposals)
    return RoundTrace(
        proposals,
        workflow,
        draw(st.sampled_from(["conductor", "retry", "fallback", "fixed"])),
        draw(TEXTS),
        draw(_step_traces(workflow, index)),
        draw(st.none() | TEXTS),
    )


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    """Any trace."""
    rounds = tuple(draw(_rounds(i)) for i in range(draw(st.integers(0, 2))))
    reasons = ["usd", "calls", "tokens", "timeout", "interrupted", "setup", "worker", "workflow"]
    return Trace(
        run_id=draw(st.text("0123456789abcdef-", min_size=1, max_size=40)),
        question=draw(TEXTS),
        pool=draw(TEXTS),
        workers=WORKERS,
        started_at=draw(_SECONDS),
        seconds=draw(_SECONDS),
        status=draw(st.sampled_from(["answered", "stopped", "failed"])),
        rounds=rounds,
        reason=draw(st.sampled_from([None, *reasons])),
        detail=draw(TEXTS),
    )
