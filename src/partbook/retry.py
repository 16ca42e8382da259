"""Retrying: the one layer that asks a model again, and the table of how each fault is reacted to.

Everything about a reaction is data: `REACTIONS` has a row per kind of fault, and docs/faults.md
shows the same rows to people. Each try passes through whatever is wrapped, so a budget inside
reserves, counts and settles it on its own. The time that is left comes from outside; waiting and
randomness may.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from partbook.errors import FaultKind, WorkerError
from partbook.message import Completion, Message, Sampling
from partbook.model import ChatModel, OnText

__all__ = ["JITTER", "REACTIONS", "OnRetry", "Reaction", "RetryPolicy", "Retrying", "Sleep"]

OnRetry = Callable[[WorkerError, int, float], None]
"""Told of each try that is followed by another: what failed, its number from 0, the wait."""

Sleep = Callable[[float], Awaitable[None]]

JITTER = random.Random()
"""Jitter is to differ between processes, so it has no seed."""

Trips = Literal["no", "counts", "at once"]
"""What a fault does to a worker's circuit breaker."""


@dataclass(frozen=True, slots=True)
class Reaction:
    """What is done about one kind of fault, before fallback workers are asked."""

    retries: int | None
    """The same call is made again so often at most; None: as often as the worker's `retries`."""
    trips: Trips
    only_if_told: bool = False
    """Whether it is retried only where the provider says how long to wait."""


_AGAIN = Reaction(None, "counts")
_NEVER = Reaction(0, "no")

REACTIONS: Mapping[FaultKind, Reaction] = MappingProxyType(
    {
        "connection": _AGAIN,
        "timeout": Reaction(1, "counts"),
        "rate_limit": Reaction(None, "no"),
        "overloaded": _AGAIN,
        "server": _AGAIN,
        "broken_stream": _AGAIN,
        "empty": Reaction(None, "no"),
        "quota": Reaction(None, "no", only_if_told=True),
        "auth": Reaction(0, "at once"),
        "not_found": Reaction(0, "at once"),
        "unavailable": _NEVER,
        "refused": _NEVER,
        "context": _NEVER,
        "filter": _NEVER,
        "truncated": _NEVER,
        "reasoning_exhausted": _NEVER,
        "unknown": _NEVER,
    }
)
"""A fault of the worker may pass, so it is retried and counts against the worker; one of the call
would come again. A rate limit says that the worker is there, and to wait."""

_MOST_DOUBLINGS = 30


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long is waited before the next try: exponential back-off, capped, with jitter."""

    base_s: float = 0.5
    """Longest wait before the second try; it doubles with each further one."""
    cap_s: float = 30.0
    """Longest wait of our own choosing."""
    max_retry_after_s: float = 60.0
    """Where a provider asks for a longer wait, the worker is given up at once."""

    def wait_s(
        self, error: WorkerError, attempt: int, retries: int, rng: random.Random
    ) -> float | None:
        """How long to wait before the next try; None: there is none.

        Half of a wait of our own is fixed and half is drawn. A wait that the provider asks for is
        kept in full, and up to `base_s` is added, so that not all come back at the same moment.

        Args:
            error: what failed.
            attempt: number of the failed try, from 0.
            retries: tries after the first that the worker is granted.
            rng: source of the jitter.
        """
        reaction = REACTIONS[error.kind]
        granted = retries if reaction.retries is None else min(retries, reaction.retries)
        told_s = error.retry_after_s
        if attempt >= granted or (reaction.only_if_told and told_s is None):
            return None
        if told_s is not None:
            if told_s > self.max_retry_after_s:
                return None
            return told_s + rng.uniform(0, self.base_s)
        longest = min(self.cap_s, self.base_s * 2 ** min(attempt, _MOST_DOUBLINGS))
        return rng.uniform(longest / 2, longest)


_POLICY = RetryPolicy()


@dataclass(slots=True)
class Retrying:
    """A ChatModel that is asked again after faults that may pass."""

    model: ChatModel
    retries: int
    on_retry: OnRetry
    left_s: Callable[[], float]
    """Seconds until the run is cut off: a wait beyond that is not begun."""
    policy: RetryPolicy = _POLICY
    rng: random.Random = JITTER
    sleep: Sleep = asyncio.sleep

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        """Answer the last message.

        After each call of `on_retry`, all text that `on_text` got from this call is void.

        Raises:
            WorkerError: of the last try.
        """
        attempt = 0
        while True:
            try:
                return await self.model.chat(messages, sampling, on_text)
            except WorkerError as err:
                wait_s = self.policy.wait_s(err, attempt, self.retries, self.rng)
                if wait_s is None or wait_s >= self.left_s():
                    raise
                self.on_retry(err, attempt, wait_s)
            await self.sleep(wait_s)
            attempt += 1
