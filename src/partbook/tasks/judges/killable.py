"""Processes that answer one question at a time and are killed when it takes too much.

Some checks of hostile text cannot be stopped from inside: a big power in C, a regular expression
that backtracks. So they run in small child processes with limits of their own (`checker.py`), and
the kernel or the parent ends them. A child is `python -m MODULE`; it inherits no environment
variables, hence no keys, and does not import the program's main module again.

`Killable.ask` may be called from any thread and any event loop. Time counts as processor time, so a
busy machine is not held against the text: only the child itself can use its time up.
"""

import asyncio
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field

from partbook.tasks.judges.checker import CPU_S

__all__ = ["Answered", "Killable", "Spent", "Unavailable"]

_START_S = 60.0
"""A child that has not loaded its module by then is not coming."""
_EXIT_S = 5.0
"""What a child may take from its last word to its exit."""
_QUEUE_S = 120.0
"""A question that waited longer than this for a child is not asked any more."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The child's answer."""

    value: object


@dataclass(frozen=True, slots=True)
class Spent:
    """The question used up the child's time or memory, or broke it: its own fault."""

    reason: str
    heard: tuple[object, ...] = ()
    """What the child said before, without the answer."""


@dataclass(frozen=True, slots=True)
class Unavailable:
    """No opinion: no child could be had, or the machine was too busy to let it finish."""

    reason: str


Reply = Answered | Spent | Unavailable


@dataclass(slots=True)
class _Child:
    process: subprocess.Popen[bytes]
    asked: int = 0
    buffer: bytearray = field(default_factory=bytearray)

    def line(self, timeout_s: float) -> bytes | None:
        """The next line; empty at the end of the stream, None at the time limit."""
        assert self.process.stdout is not None
        until = time.monotonic() + timeout_s
        poll = select.poll()
        poll.register(self.process.stdout, select.POLLIN)
        while b"\n" not in self.buffer:
            if not poll.poll(1000 * max(0.0, until - time.monotonic())):
                return None
            chunk = os.read(self.process.stdout.fileno(), 65_536)
            if not chunk:
                return b""
            self.buffer += chunk
        line, _, rest = bytes(self.buffer).partition(b"\n")
        self.buffer = bytearray(rest)
        return line

    def kill(self) -> None:
        """Kill the process group; whoever talks with the child then ends it."""
        if self.process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)

    def end(self) -> int:
        """Kill the process group and reap the child; its exit status."""
        self.kill()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        return self.process.wait()


class Killable:
    """A few children that run the same module, started when they are first needed."""

    def __init__(
        self,
        module: str,
        *,
        processes: int = 2,
        wall_s: float = 6.0,
        recycle_after: int = 2_000,
    ) -> None:
        self._module = module
        self._processes = processes
        self._wall_s = wall_s
        self._recycle_after = recycle_after
        self._lock = threading.Lock()
        self._executor: ThreadPoolExecutor | None = None
        self._idle: deque[_Child] = deque()
        self._jobs: set[_Job] = set()
        self._owner = os.getpid()
        weakref.finalize(self, _end_all, self._idle)

    async def ask(self, question: object) -> Reply:
        """Ask a child; JSON goes in and comes out. Cancelling ends the child that is at work."""
        job = _Job(question, time.monotonic())
        try:
            return await asyncio.wrap_future(self._submit(job))
        finally:
            self._forget(job)  # still at work only where this was cancelled

    def close(self) -> None:
        """End the children, also those at work; a later `ask` starts new ones."""
        with self._lock:
            executor, self._executor = self._executor, None
            jobs = list(self._jobs)
        for job in jobs:
            self._forget(job)
        if executor is not None:
            executor.shutdown()
        _end_all(self._idle)

    def _forget(self, job: "_Job") -> None:
        with self._lock:
            self._jobs.discard(job)
            job.forgotten = True
            if job.child is not None:
                job.child.kill()

    def _submit(self, job: "_Job") -> "Future[Reply]":
        """Queue a job; there is one thread for each child, and it takes any child that is idle."""
        with self._lock:
            if self._owner != os.getpid():  # after a fork, threads and children are the parent's
                self._owner = os.getpid()
                self._executor = None
                self._idle.clear()
                self._jobs.clear()
            if self._executor is None:
                self._executor = ThreadPoolExecutor(self._processes, thread_name_prefix="killable")
            self._jobs.add(job)
            return self._executor.submit(self._ask, job)

    def _ask(self, job: "_Job") -> Reply:
        if job.forgotten:
            return Unavailable("the question was taken back")
        if time.monotonic() - job.asked_at > _QUEUE_S:
            return Unavailable(f"all {self._processes} checkers were busy for {_QUEUE_S:.0f} s")
        child = self._child()
        if isinstance(child, Unavailable):
            return child
        with self._lock:
            job.child = child
            if job.forgotten:
                child.kill()
        reply = _converse(child, job.question, self._wall_s)
        child.asked += 1
        with self._lock:  # from here on, forgetting the job does not kill the child
            job.child = None
            good = isinstance(reply, Answered) and not job.forgotten
            if good and child.asked < self._recycle_after:
                self._idle.append(child)
                return reply
        child.end()
        return reply

    def _child(self) -> "_Child | Unavailable":
        """An idle child that is still alive, or a new one."""
        while True:
            try:
                child = self._idle.pop()
            except IndexError:
                return _start(self._module)
            if child.process.poll() is None:
                return child
            child.end()


@dataclass(eq=False, slots=True)
class _Job:
    question: object
    asked_at: float
    """On the monotonic clock."""
    child: _Child | None = None
    """Who is at work on it."""
    forgotten: bool = False
    """Nobody waits for the answer any more."""


def _start(module: str) -> _Child | Unavailable:
    """Start a child with nothing but the import path, and wait until it has loaded its module."""
    try:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "LANG": "C.UTF-8"},
            start_new_session=True,  # Ctrl-C is for the parent; it ends its children itself
        )
    except OSError as error:
        return Unavailable(f"a checker could not be started: {error}")
    child = _Child(process)
    if child.line(_START_S) != b"ready":
        status = child.end()
        return Unavailable(f"a checker ({module}) did not start; its exit status was {status}")
    return child


def _converse(child: _Child, question: object, wall_s: float) -> Reply:
    """Put one question and read until the answer, the end of the child, or the time limit."""
    heard: list[object] = []
    until = time.monotonic() + wall_s
    try:
        assert child.process.stdin is not None
        child.process.stdin.write(json.dumps(question).encode() + b"\n")
        child.process.stdin.flush()
    except OSError as error:
        return Unavailable(f"a checker was gone before it was asked: {error}")
    while True:
        line = child.line(max(0.0, until - time.monotonic()))
        if line is None:
            return Unavailable(f"the machine was too busy to finish the check in {wall_s:.0f} s")
        if not line:
            with suppress(subprocess.TimeoutExpired):
                child.process.wait(_EXIT_S)  # it closes its end some time before it is gone
            return _why_ended(child.end(), tuple(heard))
        message = json.loads(line)
        if "answer" in message:
            return Answered(message["answer"])
        if "said" in message:
            heard.append(message["said"])
        else:
            return Spent(str(message["failed"]), tuple(heard))


def _why_ended(status: int, heard: tuple[object, ...]) -> Reply:
    if status == -signal.SIGXCPU:
        return Spent(f"the check took more than {CPU_S} s of processor time", heard)
    if status == -signal.SIGKILL:
        return Unavailable("a checker was killed from outside")
    return Spent(f"the check broke the checker; its exit status was {status}", heard)


def _end_all(children: deque[_Child]) -> None:
    while children:
        children.pop().end()
