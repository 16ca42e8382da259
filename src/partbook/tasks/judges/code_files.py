"""Runs one of the programs in `inside/` in the sandbox, and reads its report.

What goes in are frames on standard input, what comes out is one JSON value a line.
"""

import functools
import json
from collections.abc import Iterable, Mapping
from importlib import resources

from partbook.sandbox import SandboxLimits, SandboxResult, run_program

__all__ = ["NotRun", "reported", "run_inside"]

_INSIDE = "partbook.tasks.judges.inside"


class NotRun(Exception):
    """Nothing can be said about the program; the message says why."""


async def run_inside(
    name: str, frames: Iterable[Mapping[str, object]], limits: SandboxLimits
) -> tuple[SandboxResult, list[dict[str, object]]]:
    """Run `cases` or `tests`.

    Args:
        name: which of them.
        frames: what it reads.
        limits: of the whole run.

    Returns:
        What the sandbox saw, and the reports.

    Raises:
        NotRun: it did not even start to read.
        ConfigError: this machine has no sandbox.
        WorkerError: the sandbox failed.
    """
    source, files = _files(name)
    stdin = "".join(f"{len(body):08x}{body}" for body in map(json.dumps, frames))
    result = await run_program(source, stdin=stdin, files=files, limits=limits)
    first, *reports = result.stdout.split("\n")
    if first != '"ready"':
        raise NotRun(f"the tests could not be started: {_last_line(result) or result.limit}")
    return result, [found for line in reports if (found := reported(line)) is not None]


def reported(line: str) -> dict[str, object] | None:
    """The table in one line of a report; None where it was cut."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _last_line(result: SandboxResult) -> str:
    return result.stderr.strip().rpartition("\n")[2][:200]


@functools.cache
def _files(name: str) -> tuple[str, dict[str, bytes]]:
    parts = {part.name: part.read_bytes() for part in resources.files(_INSIDE).iterdir()
             if part.name.endswith(".py")}  # fmt: skip
    needed = ["wire.py"] if name == "cases" else [part for part in parts if part != "cases.py"]
    folder = _INSIDE.replace(".", "/")
    files = {f"{folder}/{part}": parts[part] for part in needed if part != f"{name}.py"}
    return parts[f"{name}.py"].decode(), files
