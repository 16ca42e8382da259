"""Processes: several that answer on one port, and the parent that keeps them running.

Each has a listening socket of its own on the port, and Linux deals connections out among them. The
parent makes the sockets and keeps them: connections to a process that died wait in its socket for
the one that takes its place, and none is refused. The first process is started alone, so that what
cannot be opened is said once; later on, one that dies is started again, ever more slowly where it
dies at once.

How a process answers is left to `serving.py`, and what they count together to the store.
"""

import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from partbook.errors import ConfigError
from partbook.server.serving import listening

__all__ = ["Start", "keep_running", "shared_sockets"]

log = logging.getLogger(__name__)

_LONG_S = 10.0
"""Who has lived so long is started again at once."""

_LONGEST_PAUSE_S = 30.0

_MARGIN_S = 5.0
"""What a process may take to end beyond its grace."""

Start = Callable[[int, int], tuple[BaseProcess, Connection]]
"""Starts the process of a place, for the n-th time, and gives it with the end of a pipe through
which it says the lines of its greeting once it answers."""


@contextmanager
def shared_sockets(host: str, port: int, count: int) -> Iterator[list[socket.socket]]:
    """Sockets that listen on one port; port 0 is any free one.

    Raises:
        ConfigError: they cannot be had.
    """
    if sys.platform != "linux":
        raise ConfigError("--processes: only Linux deals connections out among processes")
    with ExitStack() as stack:
        if port != 0:
            listening(host, port).close()  # or another server's clients would be shared with it
        made: list[socket.socket] = []
        for _ in range(count):
            sock = listening(host, port, is_shared=True)
            made.append(stack.enter_context(sock))
            port = sock.getsockname()[1]
        yield made


def keep_running(
    start: Start,
    socks: Sequence[socket.socket],
    grace_s: float,
    on_ready: Callable[[Sequence[str]], None],
) -> int:
    """Run a process for each socket until SIGTERM or SIGINT; call it in the main thread.

    Args:
        start: starts one.
        socks: where they listen; closed here as soon as all is to end, or who comes then would
            wait for nobody.
        grace_s: how long their requests may go on after that.
        on_ready: told the greeting of the first, once all answer.

    Returns:
        The exit status: 0, or that of a process that could not begin.
    """
    with _signals() as (asked, woken):
        parent = _Parent(start, grace_s, asked, woken)
        try:
            greeting = parent.begin(len(socks))
            if greeting is not None:
                on_ready(greeting)
                parent.watch()
            return parent.status
        finally:
            for sock in socks:
                sock.close()
            parent.end()


@dataclass(slots=True)
class _Child:
    """A place, and the process that is in it."""

    index: int
    process: BaseProcess
    told: Connection
    started_at: float
    starts: int = 1
    pause_s: float = 1.0
    again_at: float | None = None
    """When it is started again; None: it runs."""


class _Parent:
    def __init__(
        self, start: Start, grace_s: float, asked: list[int], woken: socket.socket
    ) -> None:
        self.status = 0
        self._start = start
        self._grace_s = grace_s
        self._asked = asked
        self._woken = woken
        self._children: list[_Child] = []

    def begin(self, count: int) -> Sequence[str] | None:
        """Start them; the greeting of the first, or None where it is to end before."""
        first = self._greeting(self._add())
        others = [self._add() for _ in range(count - 1)] if first is not None else []
        if any(self._greeting(child) is None for child in others):
            return None
        return first

    def watch(self) -> None:
        """Start again who dies, until it is asked to end."""
        while not self._asked:
            self._wait([c.process.sentinel for c in self._children if c.again_at is None])
            for child in self._children:
                if child.again_at is None and not child.process.is_alive():
                    self._has_died(child)
                elif child.again_at is not None and time.monotonic() >= child.again_at:
                    self._again(child)

    def end(self) -> None:
        """End all of them: politely, then not."""
        until = time.monotonic() + self._grace_s + _MARGIN_S
        for child in self._children:
            child.again_at = None
            child.process.terminate()
        told = len(self._asked)
        while (running := self._running()) and time.monotonic() < until:
            self._wait([child.process.sentinel for child in running], until)
            if len(self._asked) > told:  # asked once more: they are not to wait
                told = len(self._asked)
                for child in running:
                    _send(child.process, signal.SIGINT)
        for child in self._children:
            child.process.kill()
            child.process.join()
            child.told.close()

    def _running(self) -> list[_Child]:
        return [child for child in self._children if child.process.is_alive()]

    def _add(self) -> _Child:
        index = len(self._children)
        process, told = self._start(index, 1)
        self._children.append(_Child(index, process, told, time.monotonic()))
        return self._children[-1]

    def _greeting(self, child: _Child) -> Sequence[str] | None:
        """Wait until it answers; None: it could not, or all is to end."""
        while not self._asked:
            self._wait([child.told, child.process.sentinel])
            if child.told.poll():
                try:
                    lines: list[str] = child.told.recv()
                except EOFError:
                    child.process.join()
                else:
                    return lines
            if not child.process.is_alive():
                self.status = max(child.process.exitcode or 1, 1)
                return None
        return None

    def _has_died(self, child: _Child) -> None:
        lived_s = time.monotonic() - child.started_at
        pause_s = 0.0 if lived_s >= _LONG_S else child.pause_s
        child.pause_s = 1.0 if lived_s >= _LONG_S else min(2 * pause_s, _LONGEST_PAUSE_S)
        child.again_at = time.monotonic() + pause_s
        child.told.close()
        log.error(
            "process %d ended with status %s, it is started again in %.0f s",
            child.index,
            child.process.exitcode,
            pause_s,
        )

    def _again(self, child: _Child) -> None:
        child.starts += 1
        child.process, child.told = self._start(child.index, child.starts)
        child.started_at, child.again_at = time.monotonic(), None

    def _wait(self, what: Sequence[Connection | int], until: float | None = None) -> None:
        """Wait until something is there, a signal comes, or something is due."""
        due = [c.again_at for c in self._children if c.again_at is not None]
        due += [] if until is None else [until]
        wait_s = max(0.0, min(due) - time.monotonic()) if due else None
        if self._woken in wait([*what, self._woken], wait_s):
            self._woken.recv(100)


def _send(process: BaseProcess, number: int) -> None:
    if process.pid is not None and process.is_alive():
        os.kill(process.pid, number)


@contextmanager
def _signals() -> Iterator[tuple[list[int], socket.socket]]:
    """The signals that ask for an end, as they come, and a socket that wakes up by each."""
    asked: list[int] = []
    woken, waking = socket.socketpair()
    with woken, waking:
        waking.setblocking(False)
        numbers = (signal.SIGINT, signal.SIGTERM)
        before = {each: signal.signal(each, lambda n, _: asked.append(n)) for each in numbers}
        fd = signal.set_wakeup_fd(waking.fileno())
        try:
            yield asked, woken
        finally:
            signal.set_wakeup_fd(fd)
            for each, handler in before.items():
                signal.signal(each, handler)
