"""What a provider says when it fails, as one short line and an HTTP status.

Error bodies have about as many shapes as there are servers: OpenAI's `{"error": {"message"}}`,
a bare string, `detail`, a list, plain text, an HTML page. All are read here, all are hostile: what
goes into a message is bounded and printable.
"""

import json
import re
from collections.abc import Mapping

from partbook.errors import WorkerError
from partbook.message import Usage
from partbook.models.fault_kind import kind_of, told_retry_after_s

__all__ = ["decode_error", "one_line", "status_of", "words_of"]

MESSAGE_CHARS = 500
"""Longest text of a provider that goes into an error message."""

_DIGITS = re.compile("[45][0-9][0-9]")

_STATUS: Mapping[str, int] = {
    "invalid_request_error": 400,
    "context_length_exceeded": 400,
    "authentication_error": 401,
    "invalid_api_key": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "model_not_found": 404,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "insufficient_quota": 429,
    "resource_exhausted": 429,
    "api_error": 500,
    "server_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""Statuses of errors that arrive by name inside a reply of status 200."""


def decode_error(status: int, body: bytes, retry_after_s: float | None = None) -> WorkerError:
    """The error in a reply of any other status. Such a call costs nothing.

    Args:
        status: of the reply.
        body: of the reply.
        retry_after_s: what its headers ask to wait; None: the body may say.
    """
    text = body.decode("utf-8", "replace").strip()
    error: object = None
    try:
        error = json.loads(text)
        said = words_of(error)
    except (ValueError, RecursionError):
        said = "an HTML page" if text.startswith("<") else one_line(text)
    return WorkerError(
        f"{status}: {said or 'no message'}",
        usage=Usage(),
        status=status,
        kind=kind_of(status, error, said),
        retry_after_s=told_retry_after_s(error) if retry_after_s is None else retry_after_s,
    )


def words_of(value: object, depth: int = 4) -> str:
    """The provider's message, wherever its error object keeps it; empty if nowhere.

    Args:
        value: JSON of any shape.
        depth: how many lists and objects to look into.
    """
    if isinstance(value, str):
        return one_line(value)
    if isinstance(value, list) and value and depth:
        return words_of(value[0], depth - 1)
    if not isinstance(value, dict) or not depth:
        return ""
    for name in ("error", "message", "detail", "msg", "type", "code", "status"):
        if words := words_of(value.get(name), depth - 1):
            metadata = value.get("metadata")  # OpenRouter: what the provider behind it said
            raw = metadata.get("raw") if isinstance(metadata, dict) else None
            return one_line(f"{words}: {raw}") if isinstance(raw, str) and raw else words
    return ""


def status_of(error: object) -> int | None:
    """The HTTP status, 400 to 599, that an error object names by number or by word."""
    if not isinstance(error, dict):
        return None
    for name in ("code", "status", "type"):
        value = error.get(name)
        if isinstance(value, str):
            value = int(value) if _DIGITS.fullmatch(value) else _STATUS.get(value.lower())
        if isinstance(value, int) and 400 <= value <= 599:
            return value
    return None


def one_line(text: str) -> str:
    """One short line: no line breaks, no control characters that a terminal would obey."""
    text = text[: 4 * MESSAGE_CHARS]
    if not text.isprintable():
        text = "".join(char if char.isprintable() else " " for char in text)
    line = " ".join(text.split())
    return line if len(line) <= MESSAGE_CHARS else line[: MESSAGE_CHARS - 1] + "…"
