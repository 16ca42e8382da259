"""Runs a program in the sandbox that bubblewrap makes, from its start to the end of all of it.

The order matters. bwrap first makes a child and only later binds the child's life to its own; were
bwrap killed in between, the child would stay. So the child is what is killed here, and bwrap sees
it end, and ends; and the program is let in only when the sandbox says that it is ready, so that
none can outlive Partbook, however Partbook ends. If Partbook is killed in the first milliseconds
of a start, what may stay is bwrap's child, asleep, with no program in it.
"""

import asyncio
import contextlib
import json
import os
import signal
from typing import NamedTuple

from partbook.errors import WorkerError
from partbook.sandbox.bubblewrap import (
    GO,
    HOME,
    START_S,
    bubblewrap_argv,
    last_words,
    open_descriptors,
)
from partbook.sandbox.descriptor import Piped, readable
from partbook.sandbox.host import find_host
from partbook.sandbox.limits import SandboxLimits, SandboxResult
from partbook.sandbox.program import Program
from partbook.sandbox.supervise import supervise
from partbook.sandbox.usage import TreeUsage, tree_usage

__all__ = ["run_in_bubblewrap"]

_REPORT_BYTES = 4096
"""More than bwrap ever reports."""


async def run_in_bubblewrap(program: Program, limits: SandboxLimits) -> SandboxResult:
    """Run it; whatever happens, nothing of it is left.

    Raises:
        ConfigError: bwrap is missing.
        WorkerError: the sandbox failed, not the program.
    """
    host = find_host()
    with contextlib.ExitStack() as cleanup:
        try:
            with open_descriptors(program) as (descriptors, report):
                report = os.dup(report)
                cleanup.callback(os.close, report)
                argv = bubblewrap_argv(host, program.entry, descriptors, limits)
                process = Piped(argv, descriptors.all)
        except OSError as error:
            raise WorkerError(f"the sandbox could not be started: {error}") from error
        first = await _first_report(process, report)
        child = _Child(process, _reported(first.text).get("child-pid"))
        cleanup.callback(child.close)
        try:
            if first.cancelled:
                raise asyncio.CancelledError
            await _ready(process)
        except BaseException:
            await child.kill()
            await process.wait()
            process.close()
            raise
        stdin = GO + program.stdin
        outcome = await supervise(process, stdin, limits, child.kill, child.usage)
        last = _reported(first.text + os.read(report, _REPORT_BYTES))
    if outcome.limit is None and "exit-code" not in last:
        raise WorkerError(f"the sandbox failed: {last_words(outcome.stderr)}")
    return SandboxResult(
        exit_status=None if outcome.limit else last["exit-code"],
        stdout=outcome.stdout.decode(errors="replace"),
        stderr=outcome.stderr.decode(errors="replace"),
        limit=outcome.limit,
        seconds=outcome.seconds,
    )


class _First(NamedTuple):
    text: bytes
    """Empty where bwrap ended before it had a child."""
    cancelled: bool
    """Whether somebody wanted this to end meanwhile."""


async def _first_report(process: Piped, report: int) -> _First:
    text, cancelled = b"", False
    end = asyncio.get_running_loop().time() + START_S
    while b"\n" not in text:
        try:
            async with asyncio.timeout_at(end):
                await readable(report)
        except asyncio.CancelledError:
            cancelled = True
            continue
        except TimeoutError:
            process.kill()
            await process.wait()
            process.close()
            raise (asyncio.CancelledError() if cancelled else _late()) from None
        piece = os.read(report, _REPORT_BYTES)
        if not piece:
            break
        text += piece
    return _First(text, cancelled)


async def _ready(process: Piped) -> None:
    try:
        async with asyncio.timeout(START_S):
            await readable(process.stdout)
    except TimeoutError:
        raise _late() from None
    # At the end of the stream, bwrap has failed and said why.
    if os.read(process.stdout, len(GO)) not in (GO, b""):
        raise WorkerError("the sandbox failed: something else printed before the program")


def _late() -> WorkerError:
    return WorkerError(f"the sandbox did not start within {START_S:g} s")


class _Child:
    """Process 1 of the sandbox, as seen from outside."""

    def __init__(self, process: Piped, pid: int | None) -> None:
        self._process = process
        self._pid = pid
        """None where bwrap failed before there was one."""
        self._pidfd: int | None = None
        """Means that very process, also when its number has gone to another one."""
        if pid is None:
            return
        with contextlib.suppress(OSError):  # it is over already
            self._pidfd = os.pidfd_open(pid)
            # Where the machine's memory runs out, the kernel is to end this process first.
            with open(f"/proc/{pid}/oom_score_adj", "w") as file:
                file.write("1000")

    async def kill(self) -> None:
        if self._pidfd is None:
            self._process.kill()
            return
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def usage(self) -> TreeUsage:
        return TreeUsage(0, 0) if self._pid is None else tree_usage(self._pid, HOME)

    def close(self) -> None:
        if self._pidfd is not None:
            os.close(self._pidfd)


def _reported(text: bytes) -> dict[str, int]:
    # One JSON object a line: the first has child-pid, the last exit-code, if the program started.
    found: dict[str, int] = {}
    for line in text.splitlines():
        with contextlib.suppress(json.JSONDecodeError):  # cut where bwrap was killed
            found.update(json.loads(line))
    return found
