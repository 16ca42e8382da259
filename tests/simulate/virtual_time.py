"""An event loop whose clock jumps: what really runs in it waits for hours in no time.

It lets the simulator be held against the executor itself, to the last digit.
"""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


_TICK_S = 1e-12
"""A clock that stood still would never get over the rounding of a wait."""


class _Jumping(selectors.DefaultSelector):
    """Never waits: it moves the clock to where the wait would have ended."""

    now_s = 0.0

    def select(self, timeout=None):
        self.now_s += max(0.0, timeout or 0.0) + _TICK_S
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now_s


def run(work: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)
