"""The side of a child of `killable`: limits, then one question after another.

A module that may be run in a child calls `serve` with the function that answers. The limits are set
once the module is loaded, so they bound the questions and not the imports.
"""

import json
import math
import os
import resource
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial

__all__ = ["CPU_S", "serve"]

CPU_S = 2
"""Processor time for one question, rounded up to a whole second by the kernel; an ordinary check
takes a hundredth of it."""
_MEMORY_BYTES = 1 << 30
"""Memory for one question, above what the module itself takes."""


def serve(answer: Callable[[object, Callable[[object], None]], object]) -> None:
    """Be a child: read questions from standard input, one JSON value a line, until it is closed.

    `answer` gets a question and a function with which it can say how far it came, should it be
    killed. Files cannot be written, and each question has its limits of time and memory.
    """
    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # a stray print must not enter the conversation

    def write(kind: str, value: object) -> None:
        channel.write(json.dumps({kind: value}).encode() + b"\n")
        channel.flush()

    _limit(resource.RLIMIT_AS, _memory_bytes() + _MEMORY_BYTES)
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_CORE, 0)
    channel.write(b"ready\n")
    channel.flush()
    for line in sys.stdin.buffer:
        used = resource.getrusage(resource.RUSAGE_SELF)
        soft = math.ceil(used.ru_utime + used.ru_stime) + CPU_S
        resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.getrlimit(resource.RLIMIT_CPU)[1]))
        try:
            write("answer", answer(json.loads(line), partial(write, "said")))
        except MemoryError:
            write("failed", "the check needs too much memory")
        except RecursionError:
            write("failed", "the check is nested too deep")


def _limit(kind: int, size: int) -> None:
    with suppress(ValueError, OSError):  # not every system has every limit
        resource.setrlimit(kind, (size, size))


def _memory_bytes() -> int:
    """The address space in use; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0
