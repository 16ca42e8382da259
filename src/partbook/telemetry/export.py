"""Sends spans over OTLP/HTTP, as the standard `OTEL_...` variables of the environment say.

Endpoint, headers, certificates, compression and resource attributes are read by the OpenTelemetry
SDK itself; headers may hold a key, and nothing here looks at them. A collector that is down never
fails a run: spans are sent from a thread, and what could not be sent is counted.
"""

import os
from collections.abc import Sequence
from importlib.metadata import version

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import Tracer

from partbook.telemetry.semconv import SCHEMA_URL

__all__ = ["SpanSender"]

EXPORT_TIMEOUT_S = 3.0
"""How long sending may take where `OTEL_EXPORTER_OTLP_TIMEOUT` does not say: a command that is over
is not to wait for its spectators."""


class SpanSender:
    """Makes spans and sends them; to be closed."""

    def __init__(self, exporter: SpanExporter | None = None) -> None:
        """Open it.

        Args:
            exporter: where spans go; None: to the endpoint that the environment names.
        """
        self._counting = _Counting(exporter or OTLPSpanExporter(timeout=_timeout_s()))
        named = os.environ.get("OTEL_SERVICE_NAME") or "partbook"
        resource = Resource.create({"service.name": named, "service.version": version("partbook")})
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(self._counting))

    @property
    def tracer(self) -> Tracer:
        """Makes the spans."""
        return self._provider.get_tracer("partbook", version("partbook"), SCHEMA_URL)

    def close(self) -> int:
        """Send what is left; returns how many spans could not be sent."""
        self._provider.shutdown()
        return self._counting.lost


class _Counting(SpanExporter):
    """An exporter that keeps count of what it could not send."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter
        self.lost = 0

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result = self._exporter.export(spans)
        if result is not SpanExportResult.SUCCESS:
            self.lost += len(spans)
        return result

    def shutdown(self) -> None:
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return self._exporter.force_flush(timeout_millis)


def _timeout_s() -> float | None:
    names = ("OTEL_EXPORTER_OTLP_TIMEOUT", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT")
    return None if any(name in os.environ for name in names) else EXPORT_TIMEOUT_S
