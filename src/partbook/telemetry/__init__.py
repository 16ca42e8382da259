"""Telemetry: the events of a run as OpenTelemetry spans, sent over OTLP/HTTP.

`semconv` has the names, `spans` makes spans of events, `export` sends them. They need the extra
`partbook[otel]`; only `cli/spans.py` imports them.
"""
