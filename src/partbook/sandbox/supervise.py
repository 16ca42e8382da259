"""Feeds a started program, reads it within bounds, and ends it at a limit.

How it was started and how it is killed is left to `bubblewrap.py` and `container.py`.
"""

import asyncio
import contextlib
import os
import time
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from partbook.sandbox.descriptor import Piped, readable, writable
from partbook.sandbox.limits import LimitHit, SandboxLimits
from partbook.sandbox.usage import TreeUsage

__all__ = ["Outcome", "supervise"]

_LOOK_S = 0.1
"""How often the use of memory and CPU is looked at."""
_PIECE_BYTES = 64 * 1024
"""Read or written at once."""


class Outcome(NamedTuple):
    """What was seen of a program from outside."""

    status: int
    """Of the process that was started here, which is not the program itself."""
    stdout: bytes
    stderr: bytes
    limit: LimitHit | None
    seconds: float


class _Reins:
    """Ends a program once, and remembers for which limit."""

    def __init__(self, kill: Callable[[], Awaitable[None]]) -> None:
        self.limit: LimitHit | None = None
        self._kill = kill

    async def stop(self, limit: LimitHit) -> None:
        if self.limit is None:
            self.limit = limit
            await self._kill()


async def supervise(
    process: Piped,
    stdin: bytes,
    limits: SandboxLimits,
    kill: Callable[[], Awaitable[None]],
    usage: Callable[[], TreeUsage],
) -> Outcome:
    """Stay with a program until it has ended, whoever ends it.

    Args:
        process: is waited for and closed.
        stdin: what the program may read.
        limits: at which it is ended.
        kill: ends the program and everything it started; called at most twice.
        usage: what it uses at the moment.
    """
    reins = _Reins(kill)
    start = time.monotonic()
    try:
        async with asyncio.TaskGroup() as group:
            feed = group.create_task(_feed(process, stdin))
            out = group.create_task(_head(process.stdout, limits.output_bytes, reins))
            err = group.create_task(_head(process.stderr, limits.output_bytes, reins))
            watch = group.create_task(_watch(limits, usage, reins))
            status = await process.wait()
            feed.cancel()
            watch.cancel()
    finally:
        if process.status is None:
            await kill()
            await process.wait()
        process.close()
    seconds = time.monotonic() - start
    return Outcome(status, out.result(), err.result(), reins.limit, seconds)


async def _feed(process: Piped, data: bytes) -> None:
    rest = memoryview(data)
    # A program need not read what it is given.
    with contextlib.suppress(BrokenPipeError):
        while rest:
            await writable(process.stdin)
            rest = rest[os.write(process.stdin, rest[:_PIECE_BYTES]) :]
    process.close_stdin()


async def _head(number: int, size: int, reins: _Reins) -> bytes:
    head = bytearray()
    while True:
        await readable(number)
        piece = os.read(number, _PIECE_BYTES)
        if not piece:
            return bytes(head[:size])
        head += piece[: size - len(head) + 1]
        if len(head) > size:
            await reins.stop("output")
            del head[size:]


async def _watch(limits: SandboxLimits, usage: Callable[[], TreeUsage], reins: _Reins) -> None:
    end = time.monotonic() + limits.wall_s
    while (left_s := end - time.monotonic()) > 0:
        await asyncio.sleep(min(left_s, _LOOK_S))
        used = usage()
        if used.memory_bytes > limits.memory_bytes:
            return await reins.stop("memory")
        if used.cpu_s > limits.cpu_s:
            return await reins.stop("cpu")
    await reins.stop("wall")
