"""Refusal: why a request is not answered, with an honest HTTP status and OpenAI's error body.

A failed run is a trace and not an exception; `refusal_of` reads it. What the client can mend is a
4xx, what a worker did is a 502, what took too long a 504: a fault of a worker's key is never a 401,
and a refused request is never a 429.
"""

import math
from collections.abc import Mapping
from typing import Any

from partbook.errors import BudgetError, FaultKind, PartbookError, WorkerError
from partbook.trace import Trace

__all__ = ["Refusal", "bad_request", "not_now", "of_error", "refusal_of"]

DEFAULT_WAIT_S = 5.0
"""What `Retry-After` says where a worker is overloaded and does not say for how long."""


class Refusal(Exception):
    """A request that is not answered."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        kind: str,
        param: str | None = None,
        code: str | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        """`type` in the body."""
        self.param = param
        """The field of the request that is at fault; None: none is."""
        self.code = code
        self.retry_after_s = retry_after_s

    def body(self) -> dict[str, Any]:
        """As a client gets it, whole or in a frame of a stream."""
        return {
            "error": {
                "message": str(self),
                "type": self.kind,
                "param": self.param,
                "code": self.code,
            }
        }

    def headers(self) -> dict[str, str]:
        """What goes with it where the status can still be said."""
        headers = {"Cache-Control": "no-store"}
        if self.retry_after_s is not None:
            headers["Retry-After"] = str(max(1, math.ceil(self.retry_after_s)))
        if self.status == 401:
            headers["WWW-Authenticate"] = "Bearer"
        return headers


def bad_request(message: str, param: str | None, code: str | None = None) -> Refusal:
    """A request that its sender can mend."""
    return Refusal(message, status=400, kind="invalid_request_error", param=param, code=code)


def not_now(message: str, code: str, retry_after_s: float = 5) -> Refusal:
    """A request that the server itself cannot take at the moment."""
    return Refusal(
        message, status=503, kind="overloaded_error", code=code, retry_after_s=retry_after_s
    )


_FAULTS: Mapping[FaultKind, tuple[int, str, str]] = {
    "timeout": (504, "timeout_error", "worker_timeout"),
    "rate_limit": (429, "rate_limit_error", "worker_rate_limit"),
    "overloaded": (503, "overloaded_error", "worker_overloaded"),
    "unavailable": (503, "overloaded_error", "worker_unavailable"),
    "context": (400, "invalid_request_error", "context_length_exceeded"),
    "filter": (400, "invalid_request_error", "content_filter"),
}
"""Status, type and code of a worker's faults; all others are a bad gateway."""


def of_error(err: PartbookError, *, alone: bool = False) -> Refusal:
    """What an error of a call means to the client.

    Args:
        err: what ended the run.
        alone: whether the client's own messages went to the worker as they are; what the worker
            refuses is then the client's to mend.
    """
    if isinstance(err, BudgetError):
        return _limit(err.limit, str(err))
    if not isinstance(err, WorkerError):
        return bad_request(str(err), None)
    if alone and err.kind == "refused" and err.status in (400, 422):
        return bad_request(str(err), None, "worker_refused")
    status, kind, code = _FAULTS.get(err.kind, (502, "upstream_error", f"worker_{err.kind}"))
    wait_s = err.retry_after_s
    if wait_s is None and status in (429, 503):
        wait_s = DEFAULT_WAIT_S
    return Refusal(str(err), status=status, kind=kind, code=code, retry_after_s=wait_s)


def refusal_of(trace: Trace, failure: WorkerError | None) -> Refusal:
    """Why a run that is over has no answer.

    Args:
        trace: it was not answered.
        failure: the last failure of a worker that was seen; None: there was none.
    """
    match trace.reason:
        case "usd" | "calls" | "tokens" | "timeout":
            return _limit(trace.reason, trace.detail)
        case "worker":
            failure = failure or WorkerError(trace.detail)
            whole = WorkerError(
                trace.detail,
                status=failure.status,
                kind=failure.kind,
                retry_after_s=failure.retry_after_s,
            )
            return of_error(whole)
        case "workflow":
            return Refusal(trace.detail, status=502, kind="upstream_error", code="no_workflow")
    return Refusal(trace.detail or "the run was cut short", status=500, kind="server_error")


def _limit(limit: str, message: str) -> Refusal:
    if limit == "timeout":
        return Refusal(message, status=504, kind="timeout_error", code="timeout")
    return Refusal(message, status=402, kind="budget_error", code=f"limit_{limit}")
