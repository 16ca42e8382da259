"""Runs a program once for each case, with nothing known about what is right.

Each run is a process forked from this one, with real pipes for its streams: with standard input
for a whole program; with arguments for a function, whose result comes back as JSON. This process
measures time and cuts output. There is nothing to forge: whatever comes back is what the program
says, and it is compared elsewhere.
"""

import contextlib
import gc
import json
import os
import resource
import select
import signal
import sys
import time
import types
from typing import NamedTuple

from partbook.tasks.judges.inside.wire import receive

__all__ = ["main", "run"]

_RESULT = 9
"""The descriptor on which a function's result is written."""
_PIECE_BYTES = 1 << 20
"""Read or written at once; no pipe holds more."""
_LAST_BYTES = 4096
"""Of standard error that is kept: the end, where an exception is named."""


_STREAMS = (
    ("stdin", "r", "surrogateescape"),
    ("stdout", "w", "surrogateescape"),
    ("stderr", "w", "backslashreplace"),
)
"""As Python opens its standard streams in UTF-8 mode."""


class _Limits(NamedTuple):
    cpu_s: float
    wall_s: float


class _Case(NamedTuple):
    given: str
    most_bytes: int


def main() -> tuple[types.CodeType, str, str] | None:
    """Run all cases, one after another, up to one that fails.

    Returns:
        In the process of a case: the code, the function and its arguments, to be run outermost;
        None in this one.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # all others do not reach process 1
    out = os.dup(1)
    os.write(out, b'"ready"\n')
    told = receive(0)
    assert isinstance(told, dict)
    gc.freeze()  # or each child would copy what it looks at and never changes
    code = compile(told["program"], "main.py", "exec")
    limits = _Limits(told["cpu_s"], told["wall_s"])
    for _ in range(told["cases"]):
        row = receive(0)
        assert isinstance(row, dict)
        case = _Case(row["given"], row["most_bytes"])
        stdin, stdout, stderr = os.pipe(), os.pipe(), os.pipe()
        child = os.fork()
        if child == 0:
            _become(stdin[0], stdout[1], stderr[1], limits, told["function"])
            return code, told["function"], case.given
        for end in (stdin[0], stdout[1], stderr[1]):
            os.close(end)
        given = b"" if told["function"] else case.given.encode("utf-8", "replace")
        watched = _Watched(child, stdin[1], stdout[0], stderr[0])
        report = watched.until(time.monotonic() + limits.wall_s, given, case.most_bytes)
        _clean_up()
        os.write(out, json.dumps(report, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
        if report["status"] != 0 or report["stopped"]:
            break
    return None


class _Watched:
    """The process of one case."""

    def __init__(self, child: int, stdin: int, stdout: int, stderr: int) -> None:
        self._child = child
        self._ends = {"in": stdin, "out": stdout, "err": stderr}
        self._polled = {stdout, stderr}
        for number in self._ends.values():
            os.set_blocking(number, False)

    def until(self, end: float, given: bytes, most_bytes: int) -> dict[str, object]:
        """Feed it and read it until it is over, or has to be ended."""
        poll = select.poll()
        ended = os.pidfd_open(self._child)
        poll.register(ended, select.POLLIN)
        poll.register(self._ends["in"], select.POLLOUT)
        poll.register(self._ends["out"], select.POLLIN)
        poll.register(self._ends["err"], select.POLLIN)
        rest, stopped, over = memoryview(given), "", False
        kept = {"out": bytearray(), "err": bytearray()}
        while not over and not stopped:
            left_s = end - time.monotonic()
            ready = dict(poll.poll(max(0.0, left_s) * 1000))
            over = ended in ready
            if self._ends["in"] in ready:
                rest = self._feed(poll, rest)
            for name, text in kept.items():
                # What is in the pipe when it is over still belongs to it.
                if over or self._ends[name] in ready:
                    text += self._read(poll, name)
            del kept["err"][:-_LAST_BYTES]
            if len(kept["out"]) > most_bytes:
                stopped = "output"
            elif left_s <= 0:
                stopped = "wall"
        if stopped:
            os.kill(self._child, signal.SIGKILL)
        status = os.waitstatus_to_exitcode(os.waitpid(self._child, 0)[1])
        for number in (ended, *self._ends.values()):
            os.close(number)
        out, err = (
            kept["out"][:most_bytes].decode(errors="replace"),
            kept["err"].decode(errors="replace"),
        )
        return {"out": out, "err": err, "status": status, "stopped": stopped}

    def _feed(self, poll: select.poll, rest: memoryview) -> memoryview:
        try:
            rest = rest[os.write(self._ends["in"], rest[:_PIECE_BYTES]) :]
        except BlockingIOError:
            return rest
        except BrokenPipeError:
            rest = rest[:0]
        if not rest:
            poll.unregister(self._ends["in"])
            os.close(self._ends["in"])
            self._ends["in"] = os.open(os.devnull, os.O_RDONLY)
        return rest

    def _read(self, poll: select.poll, name: str) -> bytes:
        try:
            piece = os.read(self._ends[name], _PIECE_BYTES)
        except BlockingIOError:
            return b""
        if not piece and self._ends[name] in self._polled:
            poll.unregister(self._ends[name])
            self._polled.remove(self._ends[name])
        return piece


def _become(stdin: int, stdout: int, stderr: int, limits: _Limits, function: str) -> None:
    """Turn this process into one that looks like a freshly started program."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(stdin, 0)
    os.dup2(stderr, 2)
    os.dup2(nowhere if function else stdout, 1)
    if function:
        os.dup2(stdout, _RESULT)  # last: this number may be one of the above
    os.closerange(3, _RESULT)
    os.closerange(_RESULT + (1 if function else 0), resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    whole_s = max(1, round(limits.cpu_s))
    resource.setrlimit(resource.RLIMIT_CPU, (whole_s, whole_s + 1))
    for number, (name, mode, errors) in enumerate(_STREAMS):
        stream = open(number, mode, encoding="utf-8", errors=errors)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = ["main.py"]


def _clean_up() -> None:
    # Process 1 ends all others by this, whatever a case has left running.
    if os.getpid() == 1:
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)


def run(code: types.CodeType, function: str, given: str) -> None:
    """Run the program as a whole, or call its function and write the result."""
    name = "program" if function else "__main__"
    module = types.ModuleType(name)
    vars(module)["__file__"] = "main.py"
    sys.modules[name] = module
    exec(code, vars(module))
    if not function:
        return
    space = vars(module)
    if hasattr(space.get("Solution"), function):
        called = getattr(space["Solution"](), function)
    elif function in space:
        called = space[function]
    else:
        raise NameError(f"the program does not define {function!r}")
    result = json.dumps(called(*(json.loads(line) for line in given.split("\n") if line.strip())))
    rest = result.encode()
    while rest:
        rest = rest[os.write(_RESULT, rest) :]


if __name__ == "__main__":
    mine = main()
    if mine is not None:
        run(*mine)
