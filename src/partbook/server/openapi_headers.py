"""The headers of requests and of replies in the OpenAPI document."""

from typing import get_args

from partbook.server.chat_request import MOST_CALLS, MOST_SECONDS, FollowUp
from partbook.server.openapi_chat import SPELT_AMOUNT
from partbook.server.openapi_schema import Schema, choice, integer, number, text

__all__ = ["ERROR_HEADERS", "REPLY_HEADERS", "REQUEST_HEADERS"]

_SWITCH: Schema = {"type": "string", "pattern": "^(?:[01]|[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$"}

REQUEST_HEADERS: dict[str, Schema] = {
    "x-partbook-max-usd": SPELT_AMOUNT,
    "x-partbook-max-calls": integer("", 0, MOST_CALLS),
    "x-partbook-timeout-s": number("", 0.001, MOST_SECONDS),
    "x-partbook-metadata": _SWITCH,
    "x-partbook-strict": _SWITCH,
    "x-partbook-follow-ups": choice(*get_args(FollowUp)),
}
"""Headers that say what the fields of the same name say; the body counts first."""

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
