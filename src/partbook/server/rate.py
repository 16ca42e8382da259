"""Rate: at most so many requests a minute, as a bucket that fills evenly."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from partbook.server.refusal import Refusal

__all__ = ["Rate"]


@dataclass(slots=True)
class Rate:
    """A bucket of `per_minute` requests; a request that finds it empty is refused."""

    per_minute: int
    clock: Callable[[], float] = time.monotonic
    _left: float = field(init=False)
    _at: float = field(init=False)

    def __post_init__(self) -> None:
        self._left = float(self.per_minute)
        self._at = self.clock()

    def take(self) -> None:
        """Take one request.

        Raises:
            Refusal: there is none left; it says when there will be.
        """
        self._fill()
        if self._left < 1:
            raise Refusal(
                f"this key may make {self.per_minute} requests a minute",
                status=429,
                kind="rate_limit_error",
                code="rate_limit_exceeded",
                retry_after_s=(1 - self._left) * 60 / self.per_minute,
            )
        self._left -= 1

    def headers(self) -> dict[str, str]:
        """What is left, under OpenAI's names."""
        self._fill()
        missing = self.per_minute - self._left
        return {
            "x-ratelimit-limit-requests": str(self.per_minute),
            "x-ratelimit-remaining-requests": str(int(self._left)),
            "x-ratelimit-reset-requests": f"{math.ceil(missing * 60 / self.per_minute)}s",
        }

    def _fill(self) -> None:
        now = self.clock()
        self._left = min(
            float(self.per_minute), self._left + (now - self._at) * self.per_minute / 60
        )
        self._at = now
