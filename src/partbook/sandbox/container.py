"""Runs a program in a container, where there is no bubblewrap but a docker or podman that answers.

The engine may be on another machine, so no file is mounted: a short launcher in the container
reads the program's files from standard input, writes a mark that nobody could guess to standard
error, and becomes the program, which reads the rest of the same input. Without the mark it was the
engine that failed. Memory and processes are bounded by the engine, time and output from here.
"""

import asyncio
import functools
import json
import secrets
import shutil
import subprocess

from partbook.errors import ConfigError, WorkerError
from partbook.sandbox.descriptor import Piped
from partbook.sandbox.limits import SandboxLimits, SandboxResult
from partbook.sandbox.program import FLAGS, Program
from partbook.sandbox.supervise import supervise
from partbook.sandbox.usage import TreeUsage

__all__ = ["IMAGE", "container_argv", "container_input", "find_engine", "run_in_container"]

IMAGE = "python:3-slim"
ENGINES = ("docker", "podman")
_ANSWER_S = 20.0
"""Longest wait for the engine to answer a question or to end a container."""

LAUNCHER = """\
import json, os, sys
def take(size):
    parts = []
    while size:
        part = os.read(0, min(size, 65536))
        if not part:
            os._exit(125)
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
for name, size in json.loads(take(int(take(8), 16))):
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    with open(name, "wb") as file:
        file.write(take(size))
    os.chmod(name, 0o444)
os.write(2, sys.argv[1].encode())
os.execv(sys.executable, [sys.executable, *sys.argv[2:]])
"""


def container_argv(
    engine: str, name: str, mark: str, entry: str, limits: SandboxLimits
) -> list[str]:
    """The whole command line."""
    argv = [engine, "run", "--rm", "--interactive", "--name", name, "--pull", "never"]
    argv += ["--network", "none", "--read-only", "--user", "65534:65534", "--cap-drop", "ALL"]
    argv += ["--security-opt", "no-new-privileges", "--pids-limit", str(limits.processes)]
    argv += ["--memory", str(limits.memory_bytes), "--memory-swap", str(limits.memory_bytes)]
    argv += ["--ulimit", "core=0", "--ulimit", f"fsize={limits.file_bytes}"]
    argv += ["--ulimit", f"cpu={int(limits.cpu_s) + 2}"]
    argv += ["--tmpfs", f"/tmp:rw,size={limits.file_bytes},mode=1777", "--workdir", "/tmp"]
    argv += ["--env", "HOME=/tmp", "--env", "LANG=C.UTF-8", IMAGE]
    return [*argv, "python", "-I", "-c", LAUNCHER, mark, *FLAGS, entry]


def container_input(program: Program) -> bytes:
    """What the launcher reads, and then the program's own standard input."""
    index = json.dumps([[name, len(content)] for name, content in program.files.items()]).encode()
    return b"".join((b"%08x" % len(index), index, *program.files.values(), program.stdin))


@functools.cache
def find_engine() -> str:
    """Path of the first engine that answers and has the image.

    Raises:
        ConfigError: there is none; the message says what to do.
    """
    found = "no docker or podman is installed"
    for name in ENGINES:
        engine = shutil.which(name)
        if engine is None:
            continue
        if not _succeeds(engine, "version"):
            found = f"{name} is installed but its engine does not answer"
        elif not _succeeds(engine, "image", "inspect", IMAGE):
            found = f"{name} has no image {IMAGE}; fetch it with `{name} pull {IMAGE}`"
        else:
            return engine
    raise ConfigError(found)


def _succeeds(*argv: str) -> bool:
    try:
        ran = subprocess.run(argv, capture_output=True, timeout=_ANSWER_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return ran.returncode == 0


async def run_in_container(engine: str, program: Program, limits: SandboxLimits) -> SandboxResult:
    """Run it; whatever happens, its container is removed.

    Raises:
        WorkerError: the engine failed, not the program.
    """
    name, mark = f"partbook-{secrets.token_hex(8)}", secrets.token_hex(16)
    try:
        process = Piped(container_argv(engine, name, mark, program.entry, limits))
    except OSError as error:
        raise WorkerError(f"{engine} could not be started: {error}") from error

    async def kill() -> None:
        # Ending the command line client alone would leave the container running.
        await asyncio.to_thread(_succeeds, engine, "rm", "--force", name)
        process.kill()

    outcome = await supervise(
        process, container_input(program), limits, kill, lambda: TreeUsage(0, 0)
    )
    stderr = outcome.stderr.decode(errors="replace")
    if not stderr.startswith(mark):
        raise WorkerError(f"{engine} did not start the program: {stderr[-500:].strip()}")
    return SandboxResult(
        exit_status=None if outcome.limit else outcome.status,
        stdout=outcome.stdout.decode(errors="replace"),
        stderr=stderr.removeprefix(mark),
        limit=outcome.limit,
        seconds=outcome.seconds,
    )
