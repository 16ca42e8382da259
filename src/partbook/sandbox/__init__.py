"""Runs a Python program of unknown intent, with limits, away from everything; or does not run it.

Under bubblewrap the program has its own user, process, mount, network, IPC and host name
namespaces, runs as an ordinary user also where Partbook is root, sees the system's libraries
and its interpreter read-only, and has one writable folder in memory, no network and an empty
environment. Memory, CPU, processes, files, output and time are bounded. Where there is no
bubblewrap, a container engine does the same; where there is neither, nothing is run.

What this does not protect against:

- faults of the kernel: the program talks to the same kernel as everything else, less the system
  calls in `seccomp.py`; on processors not listed there, to all of it;
- side channels: it shares processor, caches and disk with its neighbours and can measure them;
- load within the limits: each run may use every core for its seconds and all of its memory, and
  what all runs together may use is for the caller to bound;
- reading what every user may read below /usr and in the interpreter's folder;
- memory that grows faster than it is looked at: the sum over its processes is checked ten times a
  second, only each single process is held by the kernel;
- memory of the kernel's own: what it fills sockets and pipes with is bounded by its descriptors and
  processes alone;
- process limits on kernels older than 5.14, which count all programs of one user together;
- lies: what a program prints about itself proves nothing.
"""

import asyncio
import functools
import threading
from collections.abc import Mapping
from types import MappingProxyType

from partbook.errors import ConfigError
from partbook.sandbox.bubblewrap import check_bubblewrap
from partbook.sandbox.container import find_engine, run_in_container
from partbook.sandbox.launch import run_in_bubblewrap
from partbook.sandbox.limits import LimitHit, SandboxLimits, SandboxResult
from partbook.sandbox.program import Program

__all__ = ["LimitHit", "SandboxLimits", "SandboxResult", "run_program", "sandbox_available"]

_NO_FILES: Mapping[str, bytes] = MappingProxyType({})
_DEFAULT = SandboxLimits()
_searching = threading.Lock()


async def run_program(
    source: str,
    *,
    stdin: str = "",
    files: Mapping[str, bytes] = _NO_FILES,
    entry: str = "main.py",
    limits: SandboxLimits = _DEFAULT,
) -> SandboxResult:
    """Run a program and say what it did.

    Cancelling it ends the program and everything it started.

    Args:
        source: Python; it lies in the program's folder under the name `entry`.
        stdin: what it reads from a pipe.
        files: relative path to content; further files in its folder, which it can import and read
            but not change.
        entry: the program's own file name.
        limits: what it may use.

    Raises:
        ConfigError: this machine has no sandbox; the message says what to install.
        WorkerError: the sandbox failed, not the program: nothing is known about the program.
    """
    if entry in files:
        raise ValueError(f"{entry!r} is the program itself and cannot be one of its files")
    content = {**files, entry: source.encode("utf-8", "replace")}
    program = Program(content, entry, stdin.encode("utf-8", "replace"))
    engine = await asyncio.to_thread(_find)
    if engine is None:
        return await run_in_bubblewrap(program, limits)
    return await run_in_container(engine, program, limits)


def sandbox_available() -> None:
    """Make sure, by a trial the first time, that programs can be run.

    Raises:
        ConfigError: they cannot; the message says what to install.
        WorkerError: this machine is too busy to tell.
    """
    _find()


def _find() -> str | None:
    with _searching:
        return _engine()


@functools.cache
def _engine() -> str | None:
    # The container engine to use; None: bubblewrap. A failure is not remembered.
    try:
        check_bubblewrap()
    except ConfigError as missing:
        try:
            return find_engine()
        except ConfigError as also_missing:
            raise ConfigError(
                f"programs cannot be run safely, so they are not run: {missing}; "
                f"or use a container engine: {also_missing}"
            ) from None
    return None
