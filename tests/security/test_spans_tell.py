"""Spans hold no word of a run unless that is asked for, and then of each call what it heard."""

import pytest

pytest.importorskip("opentelemetry.sdk", reason="needs pip install 'partbook[otel]'")

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from partbook.budget import Limits
from partbook.conduct import conduct
from partbook.telemetry.spans import SpanListener
from partbook.workflow import Step, Workflow
from tests.security.tellers import Drawn, Troupe, secrets_in

FIRST = Workflow((Step(0, "TASK-0-0"), Step(1, "TASK-0-1"), Step(2, "TASK-0-2", (1,))))
SECOND = Workflow((Step(2, "TASK-1-0"), Step(1, "TASK-1-1", (0,), True)))


async def spans_of(troupe: Troupe, *, content: bool) -> list[ReadableSpan]:
    exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    pool = troupe.pool("turns", "tagged", "plain")
    specs = [worker.spec for worker in pool.workers]
    listener = SpanListener(provider.get_tracer("test"), specs, content=content)
    await conduct(
        "Is it SECRET-9-9?",
        pool,
        Drawn((FIRST, SECOND)),
        limits=Limits(rounds=2),
        on_event=listener.add,
    )
    listener.close()
    return list(exporter.get_finished_spans())


async def test_no_span_holds_a_word_of_what_was_said():
    troupe = Troupe(trouble={"0-0": "fallback", "0-2": "cut"})

    spans = await spans_of(troupe, content=False)

    everything = "".join(span.to_json() for span in spans)
    assert len(troupe.heard) == len([span for span in spans if span.name.startswith("chat")]) == 7
    for word in ("SECRET", "TASK", "PRIVATE", "it failed"):
        assert word not in everything


async def test_where_words_are_asked_for_a_call_has_those_that_its_worker_heard():
    troupe = Troupe()

    spans = await spans_of(troupe, content=True)

    told = [
        secrets_in(str(span.attributes["gen_ai.input.messages"]))
        for span in sorted(spans, key=lambda span: span.end_time)
        if span.name.startswith("chat")
    ]
    assert sorted(map(sorted, told)) == sorted(sorted(call.secrets) for call in troupe.heard)
    assert {"0-0"} not in [secrets & {"0-0"} for secrets in told[:3]]
