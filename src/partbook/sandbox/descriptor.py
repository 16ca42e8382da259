"""Waiting for a file descriptor in the event loop, and a process whose pipes are read that way.

asyncio's own subprocesses are not used here: where one is cancelled while it starts, asyncio kills
it at once, and `launch.py` says why bwrap must not be killed at that moment.
"""

import asyncio
import os
import subprocess
from collections.abc import Sequence

__all__ = ["Piped", "readable", "writable"]


async def readable(number: int) -> None:
    """Wait until the descriptor can be read, or has ended."""
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()
    loop.add_reader(number, _once, ready)
    try:
        await ready
    finally:
        loop.remove_reader(number)


async def writable(number: int) -> None:
    """Wait until the descriptor can be written to, or nobody reads it."""
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()
    loop.add_writer(number, _once, ready)
    try:
        await ready
    finally:
        loop.remove_writer(number)


def _once(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)


class Piped:
    """A process with pipes for its three streams, none of which ever blocks.

    Raises:
        OSError: it cannot be started; nothing of it is left.
    """

    def __init__(self, argv: Sequence[str], pass_fds: Sequence[int] = ()) -> None:
        pipe = subprocess.PIPE
        self._popen = subprocess.Popen(
            argv, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, pass_fds=pass_fds
        )
        streams = (self._popen.stdin, self._popen.stdout, self._popen.stderr)
        self.stdin, self.stdout, self.stderr = (s.fileno() for s in streams if s is not None)
        """Descriptors of this side's ends."""
        for number in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(number, False)
        try:
            self._pidfd = os.pidfd_open(self._popen.pid)
        except OSError:
            self._popen.kill()
            self._popen.communicate()
            raise

    @property
    def status(self) -> int | None:
        """The exit status; None where it runs."""
        return self._popen.returncode

    async def wait(self) -> int:
        """Wait for its end and reap it."""
        if self._popen.returncode is None:
            await readable(self._pidfd)
        return self._popen.wait()

    def kill(self) -> None:
        """Kill this process alone."""
        self._popen.kill()

    def close_stdin(self) -> None:
        """Let it see the end of its input; may be called again."""
        if self._popen.stdin is not None:
            self._popen.stdin.close()

    def close(self) -> None:
        """Close this side's ends; it has ended."""
        for stream in (self._popen.stdin, self._popen.stdout, self._popen.stderr):
            if stream is not None:
                stream.close()
        os.close(self._pidfd)
