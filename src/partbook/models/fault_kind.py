"""What kind of fault a provider's words mean, and how long it asks to wait.

Read from what is most telling to what is least: the words of its error (code, type, status), its
sentence, the HTTP status. All of it is hostile; nothing here raises.
"""

import math
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime

from partbook.errors import FaultKind

__all__ = ["kind_of", "retry_after_s", "told_retry_after_s"]

_MOST_NESTED = 4

_WORDS: Mapping[str, FaultKind] = {
    "context_length_exceeded": "context",
    "exceed_context_size_error": "context",
    "string_above_max_length": "context",
    "request_too_large": "context",
    "insufficient_quota": "quota",
    "billing_hard_limit_reached": "quota",
    "billing_error": "quota",
    "billing_not_active": "quota",
    "content_filter": "filter",
    "content_policy_violation": "filter",
    "responsibleaipolicyviolation": "filter",
    "invalid_api_key": "auth",
    "authentication_error": "auth",
    "permission_error": "auth",
    "permission_denied": "auth",
    "unauthenticated": "auth",
    "model_not_found": "not_found",
    "not_found_error": "not_found",
    "rate_limit_exceeded": "rate_limit",
    "rate_limit_error": "rate_limit",
    "overloaded_error": "overloaded",
    "unavailable": "overloaded",
}

_STATUSES: Mapping[int, FaultKind] = {
    401: "auth",
    402: "quota",
    403: "auth",
    404: "not_found",
    408: "server",
    409: "server",
    410: "not_found",
    413: "context",
    425: "server",
    429: "rate_limit",
    501: "refused",
    503: "overloaded",
    505: "refused",
    529: "overloaded",
}
"""What a status alone says; another of 500 and more is `server`, another below is `refused`."""

_CONTEXT = re.compile(
    r"context (?:length|window|size)|maximum context|max_model_len|too many tokens"
    r"|(?:prompt|input|request) (?:is )?too (?:long|large)"
    r"|(?:input|prompt) tokens? .{0,80}(?:exceed|maximum)|exceeds? .{0,40}\bcontext\b"
    r"|reduce the length",
    re.IGNORECASE,
)
_QUOTA = re.compile(
    r"insufficient (?:balance|credit|funds|quota)|exceeded your current quota"
    r"|(?:credit balance|credits?) .{0,40}(?:too low|exhausted|required)|billing",
    re.IGNORECASE,
)
_FILTER = re.compile(r"content (?:filter|policy|management policy)|moderation", re.IGNORECASE)


def kind_of(status: int | None, error: object, words: str) -> FaultKind:
    """The kind of a fault.

    Args:
        status: HTTP status; None: the error came inside a good reply and names none.
        error: its JSON, of any shape.
        words: the provider's sentence.
    """
    for word in _words_in(error, _MOST_NESTED):
        if kind := _WORDS.get(word.lower()):
            return kind
    if status in (None, 400, 413, 422, 500) and _CONTEXT.search(words):
        return "context"
    if status in (None, 400, 403, 429) and _QUOTA.search(words):
        return "quota"
    if status in (None, 400, 403) and _FILTER.search(words):
        return "filter"
    if status is None:
        return "server"
    return _STATUSES.get(status, "server" if status >= 500 else "refused")


def _words_in(error: object, depth: int) -> Iterator[str]:
    """The codes, types and statuses that an error names, outermost last."""
    if isinstance(error, list) and error and depth:
        yield from _words_in(error[0], depth - 1)
    if not isinstance(error, dict) or not depth:
        return
    for name in ("error", "innererror"):
        yield from _words_in(error.get(name), depth - 1)
    for name in ("code", "type", "status"):
        if isinstance(word := error.get(name), str):
            yield word


def retry_after_s(headers: Mapping[str, str], now: float) -> float | None:
    """How long a reply asks to wait, in seconds; None: it does not say, or nothing sensible.

    A date is measured against the server's own clock where it tells it, so that a wrong clock on
    either side does no harm. What is not above 0 is no wait.

    Args:
        headers: of the reply; names in any case, as the mapping has it.
        now: seconds since the epoch.
    """
    told_ms = _number(headers.get("Retry-After-Ms", ""))
    if told_ms is not None:
        return _sensible(told_ms / 1000)
    told = headers.get("Retry-After", "").strip()
    seconds = _number(told)
    if seconds is None and (until := _date(told)) is not None:
        sent = _date(headers.get("Date", ""))
        seconds = until.timestamp() - (now if sent is None else sent.timestamp())
    return _sensible(seconds)


def told_retry_after_s(error: object) -> float | None:
    """How long an error's JSON asks to wait, as Google's `RetryInfo` does: `"34s"`."""
    if isinstance(error, list) and error:
        error = error[0]
    if isinstance(error, dict) and isinstance(error.get("error"), dict):
        error = error["error"]
    details = error.get("details") if isinstance(error, dict) else None
    for detail in details if isinstance(details, list) else ():
        told = detail.get("retryDelay") if isinstance(detail, dict) else None
        if isinstance(told, str):
            return _sensible(_number(told.removesuffix("s")))
    return None


def _number(text: str) -> float | None:
    try:
        return float(text[:40])
    except ValueError:
        return None


def _date(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text[:80])
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return moment if moment.tzinfo is not None else None


def _sensible(seconds: float | None) -> float | None:
    if seconds is None or not math.isfinite(seconds) or seconds <= 0:
        return None
    return seconds
