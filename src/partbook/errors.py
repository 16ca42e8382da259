"""The error types, one per border that a failure can cross: the class says where, the message what.

    PartbookError
    ├── ConfigError      a file, flag or environment is wrong; the user can mend it
    ├── WorkflowError    a workflow breaks a rule of the format
    │   └── ParseError   the Conductor's text holds no workflow; carries the text
    ├── WorkerError      a worker could not be reached or answered nothing usable
    ├── BudgetError      a limit on calls, tokens, money or seconds was reached
    └── StoreError       a run could not be written or read

Constructors store and do nothing else. A message names what was expected, what was found and
where; the command line prints it after `error:` and exits with status 2.
"""

from typing import Literal

from partbook.message import Usage

__all__ = [
    "BudgetError",
    "ConfigError",
    "FaultKind",
    "LimitName",
    "ParseError",
    "PartbookError",
    "StoreError",
    "WorkerError",
    "WorkflowError",
]

LimitName = Literal["usd", "calls", "tokens", "timeout"]
"""The limits a request can have; also the typed reason of a run that one of them stopped."""

FaultKind = Literal[
    "connection",
    "timeout",
    "rate_limit",
    "overloaded",
    "server",
    "broken_stream",
    "empty",
    "quota",
    "auth",
    "not_found",
    "unavailable",
    "refused",
    "context",
    "filter",
    "truncated",
    "reasoning_exhausted",
    "unknown",
]
"""What kind of thing went wrong with a worker. How each is reacted to stands in `retry.REACTIONS`;
what each means, in docs/faults.md."""


class PartbookError(Exception):
    """Anything that went wrong and that this package has a sentence for."""


class ConfigError(PartbookError):
    """A file, flag or environment is wrong, or something that must be installed is missing."""


class WorkflowError(PartbookError):
    """A workflow breaks a rule of the format."""


class ParseError(WorkflowError):
    """The Conductor's text holds no workflow.

    The message is written so that it can be sent back to the model that wrote the text.
    """

    def __init__(self, message: str, *, reason: str, text: str = "") -> None:
        super().__init__(message)
        self.reason = reason
        """A short name of the kind of fault, for counting: `truncated`, `unknown_worker`, ..."""
        self.text = text
        """What the Conductor wrote."""


class WorkerError(PartbookError):
    """A worker could not be reached, or answered nothing usable.

    It is an infrastructure failure: never the policy's fault, never reward 0.
    """

    def __init__(
        self,
        message: str,
        *,
        usage: Usage | None = None,
        status: int | None = None,
        kind: FaultKind = "unknown",
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.usage = usage
        """What the failed call cost in tokens; None where that is unknown."""
        self.status = status
        """The HTTP status, where there was one."""
        self.kind = kind
        """What went wrong; `unavailable` says that no call was made."""
        self.retry_after_s = retry_after_s
        """How long the provider asks to wait, in seconds; None where it does not say."""


class BudgetError(PartbookError):
    """A limit was reached before a call was made."""

    def __init__(self, message: str, *, limit: LimitName) -> None:
        super().__init__(message)
        self.limit = limit


class StoreError(PartbookError):
    """A run could not be written to the store or read from it."""
