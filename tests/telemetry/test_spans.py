import json
from decimal import Decimal

import pytest

pytest.importorskip("opentelemetry.sdk", reason="needs pip install 'partbook[otel]'")

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

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
from partbook.message import Message, Sampling, Usage
from partbook.pool import WorkerSpec
from partbook.telemetry.attributes import asked_of
from partbook.telemetry.export import SpanSender
from partbook.telemetry.spans import SpanListener
from partbook.workflow import Step, Workflow

START = 1_700_000_000.0
SPECS = [
    WorkerSpec("big", "http", "gpt-5", "openai", sampling=Sampling(100, temperature=0.5)),
    WorkerSpec("own", "http", "mine", "https://models.example:8443/v1", fallbacks=("big",)),
    WorkerSpec("calc", "calculator"),
]
MESSAGES = (Message("user", "the question"),)
BEGIN: list[Event] = [
    RunStarted("r1", "the question", "team", ("big", "own", "calc"), START),
    RoundStarted(0),
]
ONE_STEP = Planned(0, Workflow((Step(1, "do it"),)), "fixed", "single")
END: list[Event] = [RoundFinished(0, "4"), RunFinished("answered", 9.0)]


def spans_of(events: list[Event], *, conductor: str = "", content: bool = False) -> dict[str, list]:
    """The spans by name, each list in the order in which they ended; the clock stands still."""
    exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("test")
    listener = SpanListener(tracer, SPECS, conductor, content=content, clock=lambda: 0.0)
    for event in events:
        listener.add(event)
    listener.close()
    found: dict[str, list[ReadableSpan]] = {}
    for span in exporter.get_finished_spans():
        found.setdefault(span.name, []).append(span)
    return found


def times(span: ReadableSpan) -> tuple[float, float]:
    """Seconds after the start of the run."""
    return (span.start_time / 1e9 - START, span.end_time / 1e9 - START)


def started(worker: str, at_s: float, step: int = 0) -> StepStarted:
    return StepStarted(0, step, worker, MESSAGES, at_s)


def finished(at_s: float, answered_by: str, step: int = 0, **more: object) -> StepFinished:
    fields: dict[str, object] = {
        "answer": "4",
        "error": None,
        "model": "m-1",
        "usage": Usage(10, 5, 4, 3),
        "cost_usd": Decimal("0.002"),
        "finish_reason": "stop",
    }
    return StepFinished(0, step, at_s, answered_by=answered_by, **(fields | more))


def failed(at_s: float, **more: object) -> StepFinished:
    nothing = {"answer": None, "error": "own: broken", "model": "", "finish_reason": None}
    return finished(at_s, "", **(nothing | {"usage": Usage(), "cost_usd": Decimal(0)} | more))


def test_a_call_says_who_was_asked_what_it_took_and_what_it_cost():
    events = [*BEGIN, ONE_STEP, started("big", 1.0), finished(3.0, "big"), *END]

    (call,) = spans_of(events)["chat gpt-5"]

    assert call.kind is SpanKind.CLIENT
    assert times(call) == pytest.approx((1.0, 3.0), abs=1e-6)
    assert dict(call.attributes) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-5",
        "gen_ai.request.max_tokens": 100,
        "gen_ai.request.temperature": 0.5,
        "gen_ai.response.model": "m-1",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 10,
        "gen_ai.usage.output_tokens": 5,
        "gen_ai.usage.cache_read.input_tokens": 4,
        "gen_ai.usage.reasoning.output_tokens": 3,
        "partbook.cost_usd": 0.002,
        "partbook.call.attempt": 0,
    }


def test_the_request_is_a_workflow_with_the_pools_name():
    (request,) = spans_of([*BEGIN, ONE_STEP, *END])["invoke_workflow team"]

    assert request.kind is SpanKind.INTERNAL
    assert dict(request.attributes) == {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.workflow.name": "team",
        "partbook.run.id": "r1",
        "partbook.pool": "team",
        "partbook.status": "answered",
    }


def test_spans_name_the_schema_that_their_attributes_follow():
    exporter = InMemorySpanExporter()
    sender = SpanSender(exporter)

    sender.tracer.start_span("any").end()
    assert sender.close() == 0

    (span,) = exporter.get_finished_spans()
    assert span.instrumentation_scope.schema_url == (
        "https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev"
    )


def test_what_a_worker_is_asked_with_is_on_its_calls_under_the_conventions_names():
    how = Sampling(100, 0.5, 0.9, 7, ("END",), "low")

    assert asked_of(WorkerSpec("w", "http", "m", "openai", sampling=how)) == {
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "m",
        "gen_ai.request.max_tokens": 100,
        "gen_ai.request.temperature": 0.5,
        "gen_ai.request.top_p": 0.9,
        "gen_ai.request.seed": 7,
        "gen_ai.request.stop_sequences": ("END",),
        "gen_ai.request.reasoning.level": "low",
    }


def test_unknown_usage_and_price_are_left_out_and_not_0():
    unknown = finished(3.0, "big", usage=None, cost_usd=None)

    (call,) = spans_of([*BEGIN, ONE_STEP, started("big", 1.0), unknown, *END])["chat gpt-5"]

    assert not [name for name in call.attributes if "usage" in name or "cost" in name]


def test_steps_are_children_of_their_round_and_the_round_of_the_request():
    events = [*BEGIN, ONE_STEP, started("own", 1.0), finished(3.0, "own"), *END]

    spans = spans_of(events)

    parents = {name: found[0].parent for name, found in spans.items()}
    ids = {name: found[0].context.span_id for name, found in spans.items()}
    assert parents["invoke_workflow team"] is None
    assert parents["round"].span_id == ids["invoke_workflow team"]
    assert parents["invoke_agent own"].span_id == ids["round"]
    assert parents["chat mine"].span_id == ids["invoke_agent own"]
    assert len({found[0].context.trace_id for found in spans.values()}) == 1


def test_a_retried_call_and_the_fallback_that_answered_are_calls_of_their_own():
    retried = StepRetried(0, 0, 0, "own", "503: the question?", "server", 0.5, None, None)
    events = [*BEGIN, ONE_STEP, started("own", 1.0), retried, finished(3.0, "big"), *END]

    spans = spans_of(events)

    (first,), (second,) = spans["chat mine"], spans["chat gpt-5"]
    assert first.status.status_code is StatusCode.ERROR
    assert first.attributes["error.type"] == "server"
    assert first.attributes["server.address"] == "models.example"
    assert first.attributes["server.port"] == 8443
    assert second.attributes["partbook.call.attempt"] == 1
    assert times(second) == pytest.approx((1.5, 3.0), abs=1e-6)
    (step,) = spans["invoke_agent own"]
    assert step.attributes["partbook.step.answered_by"] == "big"
    assert step.status.status_code is StatusCode.UNSET


def test_a_step_that_nobody_answered_failed_with_the_kind_of_fault():
    events = [*BEGIN, ONE_STEP, started("own", 1.0), failed(3.0, fault="auth")]
    end = RunFinished("failed", 3.0, "worker", "own: broken")

    spans = spans_of([*events, end])

    kinds = {name: found[0].attributes["error.type"] for name, found in spans.items()}
    assert kinds == {
        "chat gpt-5": "auth",  # the fallback was asked last
        "invoke_agent own": "auth",
        "round": "worker",
        "invoke_workflow team": "worker",
    }


def test_a_step_that_a_limit_forbade_made_no_call():
    events = [*BEGIN, ONE_STEP, started("big", 1.0), failed(1.0, calls=0)]

    spans = spans_of([*events, RunFinished("stopped", 1.0, "usd", "no money")])

    assert set(spans) == {"invoke_agent big", "round", "invoke_workflow team"}
    assert spans["invoke_agent big"][0].attributes["error.type"] == "limit"
    assert spans["round"][0].attributes["error.type"] == "usd"


def test_a_kept_answer_made_no_call():
    kept = finished(1.0, "big", calls=0, cached=True)

    spans = spans_of([*BEGIN, ONE_STEP, started("big", 1.0), kept, *END])

    assert "chat gpt-5" not in spans
    assert spans["invoke_agent big"][0].attributes["partbook.step.cached"] is True


def test_a_tool_is_executed_and_has_no_provider():
    events = [*BEGIN, ONE_STEP, started("calc", 1.0), finished(2.0, "calc"), *END]

    (call,) = spans_of(events)["execute_tool calc"]

    assert call.kind is SpanKind.INTERNAL
    assert call.attributes["gen_ai.tool.name"] == "calc"
    assert "gen_ai.provider.name" not in call.attributes


def test_the_conductors_calls_are_children_of_a_plan():
    usage, cost = Usage(50, 20), Decimal("0.01")
    events = [
        *BEGIN,
        Proposed(0, "no workflow", "m-1", usage, cost, 0.0, "it holds no workflow"),
        Proposed(0, "", "", None, None, 0.0, "500: no", fault="server"),
        Planned(0, Workflow((Step(0, "x"),)), "retry"),
    ]

    spans = spans_of([*events, *END], conductor="big")

    (plan,) = spans["plan big"]
    calls = spans["chat gpt-5"]
    assert [call.parent.span_id == plan.context.span_id for call in calls] == [True, True]
    # A text without a workflow is an answer; an error of the server is none.
    assert [call.status.status_code for call in calls] == [StatusCode.UNSET, StatusCode.ERROR]
    assert plan.parent.span_id == spans["round"][0].context.span_id
    assert spans["round"][0].attributes["partbook.workflow.source"] == "retry"


def test_a_run_that_never_said_that_it_is_over_is_ended_as_interrupted():
    spans = spans_of([*BEGIN, ONE_STEP, started("big", 1.0)])

    assert spans["invoke_agent big"][0].attributes["error.type"] == "cancelled"
    assert spans["invoke_workflow team"][0].attributes["error.type"] == "interrupted"


FULL: list[Event] = [
    *BEGIN,
    ONE_STEP,
    started("own", 1.0),
    StepRetried(0, 0, 0, "own", "refused: the question", "server", 0.5, None, None),
    finished(3.0, "big", answer="the answer"),
    started("own", 3.0, 0),
    failed(4.0, error="refused: the question", fault="auth"),
    RunFinished("failed", 4.0, "worker", "refused: the question"),
]


def written(spans: dict[str, list]) -> str:
    return " ".join(span.to_json() for found in spans.values() for span in found)


def test_nothing_that_was_said_is_on_a_span():
    text = written(spans_of(FULL))

    assert "the question" not in text
    assert "the answer" not in text


def test_what_was_said_is_on_the_spans_where_that_is_asked_for():
    spans = spans_of(FULL, content=True)

    call = spans["chat gpt-5"][0]
    assert json.loads(call.attributes["gen_ai.input.messages"]) == [
        {"role": "user", "parts": [{"type": "text", "content": "the question"}]}
    ]
    assert json.loads(call.attributes["gen_ai.output.messages"]) == [
        {
            "role": "assistant",
            "parts": [{"type": "text", "content": "the answer"}],
            "finish_reason": "stop",
        }
    ]
    assert spans["chat mine"][0].status.description == "refused: the question"
