"""The sandbox that bubblewrap makes: namespaces, no network, nothing of the host but libraries.

The program is process 1 of its own process namespace, so that the kernel ends all it started
together with it, and bwrap alone has to be waited for: no zombie is left even where Partbook is
process 1 itself. `/proc` is not shown: a Python program needs little of it, and many containers
forbid mounting it. Running programs in it is left to `launch.py`.
"""

import contextlib
import os
import resource
import subprocess
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from partbook.errors import ConfigError, WorkerError
from partbook.sandbox.host import INSTALL, Host, find_host
from partbook.sandbox.limits import SandboxLimits
from partbook.sandbox.program import FLAGS, Program
from partbook.sandbox.seccomp import seccomp_filter

__all__ = [
    "GO",
    "HOME",
    "START_S",
    "Descriptors",
    "bubblewrap_argv",
    "check_bubblewrap",
    "last_words",
    "open_descriptors",
]

HOME = "/tmp"
"""Where the program runs and the only place it can write to; gone with it."""
GO = b"\n"
"""What the gate prints when the sandbox is ready, and what it must read to let the program in."""
_GATE = 'echo && read go && exec "$@"'
"""Without it a program could run although whoever is to end it has died during the start."""
_NOBODY = "65534"
START_S = 30.0
"""Longest wait for bwrap to make its namespaces."""
_OPEN_FILES = 256
_OVERLOAD = ("Resource temporarily unavailable", "Cannot allocate memory", "No space left")
"""What bwrap prints where the machine is full, as opposed to forbidding it to work."""


class Descriptors(NamedTuple):
    """Open files that bwrap inherits; it closes each before the program starts."""

    files: tuple[tuple[str, int], ...]
    """Name in the sandbox and a descriptor to read the content from."""
    seccomp: int | None
    status: int
    """Where bwrap reports."""

    @property
    def all(self) -> tuple[int, ...]:
        """The numbers alone."""
        filters = () if self.seccomp is None else (self.seccomp,)
        return (*(number for _, number in self.files), *filters, self.status)


def bubblewrap_argv(
    host: Host, entry: str, descriptors: Descriptors, limits: SandboxLimits
) -> list[str]:
    """The whole command line."""
    argv = []
    if host.setpriv is not None:
        # Root inside a user namespace is still exempt from RLIMIT_NPROC: only another user is not.
        argv += [host.setpriv, f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups"]
        argv += ["--no-new-privs", "--"]
    argv += [host.bwrap, "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net"]
    argv += ["--unshare-uts", "--unshare-cgroup-try", "--disable-userns", "--hostname", "sandbox"]
    argv += ["--uid", _NOBODY, "--gid", _NOBODY, "--new-session", "--die-with-parent"]
    argv += ["--as-pid-1", "--clearenv"]
    for name, value in (("PATH", "/usr/bin:/bin"), ("LANG", "C.UTF-8"), ("HOME", HOME)):
        argv += ["--setenv", name, value]
    # Before the binds: the interpreter may lie below it.
    argv += ["--perms", "0700", "--size", str(limits.file_bytes), "--tmpfs", HOME]
    for bind in host.binds:
        argv += bind
    for folder in host.hidden:
        argv += ["--tmpfs", folder, "--remount-ro", folder]
    for device in ("null", "zero", "full", "random", "urandom"):
        argv += ["--dev-bind", f"/dev/{device}", f"/dev/{device}"]
    argv += ["--symlink", HOME, "/dev/shm"]
    for name, number in descriptors.files:
        argv += ["--perms", "0444", "--ro-bind-data", str(number), f"{HOME}/{name}"]
    # bwrap's root is a tmpfs without a bound.
    argv += ["--remount-ro", "/", "--chdir", HOME]
    if descriptors.seccomp is not None:
        argv += ["--seccomp", str(descriptors.seccomp)]
    argv += ["--json-status-fd", str(descriptors.status), "--", "/bin/sh", "-c", _GATE, "sh"]
    return [*argv, *_limiting(host.prlimit, limits), host.python, *FLAGS, entry]


def _limiting(prlimit: str, limits: SandboxLimits) -> list[str]:
    # Inside the namespaces, because there the kernel (5.14 and newer) counts the processes of this
    # sandbox alone. The CPU limit is a second net below the one in `supervise`.
    wanted = {
        "as": (resource.RLIMIT_AS, limits.memory_bytes),
        "core": (resource.RLIMIT_CORE, 0),
        "cpu": (resource.RLIMIT_CPU, int(limits.cpu_s) + 2),
        "fsize": (resource.RLIMIT_FSIZE, limits.file_bytes),
        "nofile": (resource.RLIMIT_NOFILE, _OPEN_FILES),
        "nproc": (resource.RLIMIT_NPROC, limits.processes),
    }
    argv = [prlimit]
    for name, (kind, value) in wanted.items():
        ceiling = resource.getrlimit(kind)[1]
        bound = value if ceiling == resource.RLIM_INFINITY else min(value, ceiling)
        argv.append(f"--{name}={bound}:{bound}")
    return [*argv, "--"]


def check_bubblewrap() -> None:
    """Run an empty program.

    Raises:
        ConfigError: bwrap is missing, or this machine does not let it work.
        WorkerError: this machine is too busy to tell.
    """
    program, limits = Program({"main.py": b"print('ready')"}, "main.py", b""), SandboxLimits()
    try:
        with open_descriptors(program) as (descriptors, _):
            ran = subprocess.run(
                bubblewrap_argv(find_host(), program.entry, descriptors, limits),
                pass_fds=descriptors.all,
                input=GO,
                capture_output=True,
                timeout=START_S,
                check=False,
            )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WorkerError(f"bwrap could not be tried: {error}") from error
    if ran.returncode == 0 and ran.stdout == GO + b"ready\n":
        return
    told = last_words(ran.stderr)
    if any(sign in told for sign in _OVERLOAD):
        raise WorkerError(f"bwrap could not be tried: {told}")
    raise ConfigError(
        f"bwrap is installed but does not work here ({told}); mostly that is because user "
        "namespaces are forbidden: see `sysctl user.max_user_namespaces "
        "kernel.unprivileged_userns_clone kernel.apparmor_restrict_unprivileged_userns`, "
        f"and {INSTALL}"
    )


@contextlib.contextmanager
def open_descriptors(program: Program) -> Iterator[tuple[Descriptors, int]]:
    """The descriptors of a program, and the end from which bwrap's report can be read."""
    with contextlib.ExitStack() as cleanup:

        def closing(number: int) -> int:
            cleanup.callback(os.close, number)
            return number

        def holding(content: bytes) -> int:
            number = closing(os.memfd_create("partbook"))
            with open(number, "wb", closefd=False) as file:
                file.write(content)
            os.lseek(number, 0, os.SEEK_SET)
            return number

        files = tuple((name, holding(content)) for name, content in program.files.items())
        rules = seccomp_filter()
        status_read, status_write = map(closing, os.pipe())
        yield (
            Descriptors(files, None if rules is None else holding(rules), status_write),
            status_read,
        )


def last_words(stderr: bytes, lines: int = 3) -> str:
    """The end of what bwrap complained about."""
    text: Sequence[str] = stderr.decode(errors="replace").strip().splitlines()
    return " / ".join(text[-lines:]) or "it said nothing"
