"""The headers of replies in the OpenAPI document; those of requests are in `openapi_chat.py`."""

from partbook.server.openapi_schema import Schema, choice, text

__all__ = ["ERROR_HEADERS", "REPLY_HEADERS"]

REPLY_HEADERS: dict[str, Schema] = {
    "x-request-id": text(),
    "x-partbook-run-id": text("Not with a stream."),
    "x-partbook-calls": text("Not with a stream."),
    "x-partbook-cost-usd": text("US dollars or `unknown`; not with a stream."),
    "x-partbook-plan": choice("new", "kept", "one-worker", "caller"),
    "x-partbook-warning": text("Fields that were passed over, and what is not known."),
    "x-ratelimit-limit-requests": text("Where the key has a rate."),
    "x-ratelimit-remaining-requests": text("Where the key has a rate."),
    "x-ratelimit-reset-requests": text("Where the key has a rate."),
}

ERROR_HEADERS: dict[int, dict[str, Schema]] = {
    401: {"WWW-Authenticate": text()},
    402: {"Retry-After": text("Seconds, where the budget of a key is spent.")},
    405: {"Allow": text()},
    429: {"Retry-After": text("Seconds.")},
    503: {"Retry-After": text("Seconds.")},
}
"""By status."""
