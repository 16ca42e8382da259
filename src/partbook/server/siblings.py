"""Siblings: the processes that answer on one port, as far as they know of each other.

Whoever asks for metrics reaches one of them, by chance, and is told the sum of all. Each writes
what it has done into a file of its own, once a second and whenever it is asked itself, so no
counter ever goes back. The file of one that died stays: what it did was done. What it was doing
is over, so that is counted only of those that were heard of lately.
"""

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from partbook.server.metrics import Metrics

__all__ = ["Siblings"]

_TELL_S = 1.0
"""How often each writes its file."""

_HEARD_S = 5.0
"""Who has written its file so lately is alive."""


class Siblings:
    """What one process tells the others, and hears of them."""

    def __init__(self, folder: Path, name: str) -> None:
        """Join them.

        Args:
            folder: where the files are; on this machine.
            name: of this process; none has had it before.
        """
        self._folder = folder
        self._own = folder / f"{name}.json"

    @asynccontextmanager
    async def told(self, metrics: Metrics) -> AsyncIterator[None]:
        """Tell the others what this process does, as long as the block lasts."""
        telling = asyncio.create_task(self._keep_telling(metrics))
        try:
            yield
        finally:
            telling.cancel()
            await asyncio.wait([telling])

    async def _keep_telling(self, metrics: Metrics) -> None:
        while True:
            self.tell(metrics)
            await asyncio.sleep(_TELL_S)

    def tell(self, metrics: Metrics) -> None:
        """Write what this process has done so far."""
        new = self._own.with_suffix(".new")
        new.write_text(json.dumps({"at": time.time(), "metrics": metrics.to_dict()}))
        os.replace(new, self._own)  # whoever reads meanwhile sees all of the one or of the other

    def text(self, metrics: Metrics) -> str:
        """What all of them have done, this one included."""
        self.tell(metrics)
        since = time.time() - _HEARD_S
        total, alive = Metrics(), 0
        for path in sorted(self._folder.glob("*.json")):
            told = json.loads(path.read_text())
            is_alive = told["at"] >= since
            alive += is_alive
            total.add(told["metrics"] | ({} if is_alive else {"in_flight": 0}))
        return total.text(alive)
