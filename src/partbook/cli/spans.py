"""Turns the events of a run into OpenTelemetry spans where the environment asks for them.

Without an endpoint in the environment, nothing of it is imported.
"""

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from partbook.config import PoolConfig
from partbook.event import OnEvent

__all__ = ["span_listener"]

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
"""Spans are sent where one of these is set, to the first of them."""

CONTENT = "PARTBOOK_OTEL_CONTENT"
"""Set to 1, questions, prompts, answers and error messages are on the spans, too."""


@contextmanager
def span_listener(config: PoolConfig, conductor: str) -> Iterator[OnEvent | None]:
    """A listener for the events of one run; None where nobody asks for spans.

    Args:
        config: the pool.
        conductor: name of the worker whose model conducts; empty for a fixed workflow.
    """
    endpoint = next((os.environ[name] for name in ENDPOINTS if os.environ.get(name)), "")
    if not endpoint or os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        yield None
        return
    if find_spec("opentelemetry") is None or find_spec("opentelemetry.exporter") is None:
        print("note: no spans are sent: pip install 'partbook[otel]'", file=sys.stderr)
        yield None
        return
    from partbook.telemetry.export import SpanSender
    from partbook.telemetry.spans import SpanListener

    # What it has to say about a collector that is down is said once, below.
    logging.getLogger("opentelemetry").addHandler(logging.NullHandler())
    sender = SpanSender()
    content = os.environ.get(CONTENT, "") == "1"
    listener = SpanListener(sender.tracer, config.workers, conductor, content=content)
    try:
        yield listener.add
    finally:
        listener.close()
        if lost := sender.close():
            print(f"note: {lost} spans could not be sent to the collector", file=sys.stderr)
