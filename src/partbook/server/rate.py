"""Rate: at most so many requests a minute, as a bucket that fills evenly.

It is kept as one number, the moment at which the bucket is full again. Where several servers answer
a key, that number is in the store, and what is known of it here serves only to tell clients.
"""

import asyncio
import logging
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from partbook.errors import StoreError
from partbook.server.refusal import Refusal, not_now

__all__ = ["Rate", "Take"]

log = logging.getLogger(__name__)

_MINUTE_S = 60.0

_ROUNDING = 1e-6
"""Of a request: what a bucket may lack of it."""

Take = Callable[[int], tuple[bool, float]]
"""Takes one of so many a minute from the store, for all servers; may block. As `Counting.take`."""


@dataclass(slots=True)
class Rate:
    """A bucket of `per_minute` requests; a request that finds it empty is refused."""

    per_minute: int
    clock: Callable[[], float] = time.monotonic
    shared: Take | None = None
    """None: no other server answers this key."""
    _full_at: float = field(init=False)

    def __post_init__(self) -> None:
        self._full_at = self.clock()

    async def take(self) -> None:
        """Take one request.

        Raises:
            Refusal: there is none left, and it says when there will be; or the store that all
                servers count in cannot be asked.
        """
        if not await self._took():
            raise Refusal(
                f"this key may make {self.per_minute} requests a minute",
                status=429,
                kind="rate_limit_error",
                code="rate_limit_exceeded",
                retry_after_s=(1 - self._left()) * _MINUTE_S / self.per_minute,
            )

    async def _took(self) -> bool:
        if self.shared is not None:
            try:
                took, full_in_s = await asyncio.to_thread(self.shared, self.per_minute)
            except StoreError as err:
                log.error("a request cannot be counted: %s", err)
                told = "what this key may ask cannot be looked up"
                raise not_now(told, "account_unavailable") from err
            self._full_at = self.clock() + full_in_s
            return took
        if self._left() < 1 - _ROUNDING:
            return False
        self._full_at = max(self._full_at, self.clock()) + _MINUTE_S / self.per_minute
        return True

    def headers(self) -> dict[str, str]:
        """What is left, under OpenAI's names; of a shared rate, as it was last seen."""
        full_in_s = max(0.0, self._full_at - self.clock())
        return {
            "x-ratelimit-limit-requests": str(self.per_minute),
            "x-ratelimit-remaining-requests": str(int(self._left() + _ROUNDING)),
            "x-ratelimit-reset-requests": f"{math.ceil(full_in_s)}s",
        }

    def _left(self) -> float:
        """How many requests are in the bucket."""
        missing_s = max(0.0, self._full_at - self.clock())
        return self.per_minute * max(0.0, 1 - missing_s / _MINUTE_S)
