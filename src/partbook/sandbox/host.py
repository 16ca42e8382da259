"""What this machine offers for a sandbox: bubblewrap, the tools beside it, and an interpreter.

The interpreter is the one that Partbook runs on, where the sandbox may see it. It may not where
Partbook runs as root from a folder closed to others (a pyenv in /root): a program never runs as
root, and another user cannot enter that folder; then it is the system's Python.
"""

import functools
import os
import re
import shutil
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from partbook.errors import ConfigError, WorkerError

__all__ = ["INSTALL", "Host", "find_host", "interpreters"]

INSTALL = "install bubblewrap 0.8 or newer (`apt install bubblewrap`)"
"""What to tell someone without it."""
_NEEDED = (0, 8)
"""The first version that can forbid further user namespaces and bound a tmpfs."""
_SYSTEM_PYTHON = Path("/usr/bin/python3")


@dataclass(frozen=True, slots=True)
class Host:
    """Where things are on this machine."""

    bwrap: str
    setpriv: str | None
    """Gives up root; None where Partbook is an ordinary user."""
    prlimit: str
    """As seen in the sandbox."""
    python: str
    """As seen in the sandbox."""
    binds: tuple[tuple[str, ...], ...]
    """Options of bwrap that show the system's libraries and the interpreter, read-only."""
    hidden: tuple[str, ...]
    """Folders with installed packages."""


@functools.cache
def find_host() -> Host:
    """Look around, once.

    Raises:
        ConfigError: something is missing; the message says what to install.
        WorkerError: this machine is too busy to tell.
    """
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise ConfigError(f"bwrap is not installed; {INSTALL}")
    _check_version(bwrap)
    is_root = os.geteuid() == 0
    setpriv = shutil.which("setpriv") if is_root else None
    if is_root and setpriv is None:
        raise ConfigError("setpriv is not installed; install util-linux (`apt install util-linux`)")
    prlimit = shutil.which("prlimit", path="/usr/bin:/usr/sbin:/usr/local/bin")
    if prlimit is None:
        raise ConfigError("no prlimit under /usr; install util-linux (`apt install util-linux`)")
    prefix, python = _interpreter(is_root)
    binds = list(_system_binds())
    if not prefix.is_relative_to("/usr"):
        binds.append(("--ro-bind", str(prefix), str(prefix)))
    hidden = {
        str(folder.resolve())
        for root in (prefix, Path("/usr"), Path("/usr/local"))
        for name in ("site-packages", "dist-packages")
        for folder in root.glob(f"lib*/python*/{name}")
    }
    return Host(bwrap, setpriv, prlimit, str(python), tuple(binds), tuple(sorted(hidden)))


def interpreters(base_prefix: Path, version: tuple[int, int]) -> list[tuple[Path, Path]]:
    """Prefix and executable of each interpreter that might do, the best first.

    A prefix that holds a home directory or the whole system is none: it would show too much.
    """
    prefix = base_prefix.resolve()
    system = Path("/usr")
    found = []
    if prefix == system or not any(
        place.is_relative_to(prefix) for place in (Path.home().resolve(), system)
    ):
        found.append((prefix, prefix / "bin" / f"python{version[0]}.{version[1]}"))
    if prefix != system:
        found.append((system, _SYSTEM_PYTHON))
    return found


def _interpreter(is_root: bool) -> tuple[Path, Path]:
    for prefix, python in interpreters(Path(sys.base_prefix), sys.version_info[:2]):
        if python.exists() and (not is_root or _open_to_all(python.resolve())):
            return prefix, python
    raise ConfigError(
        f"the sandbox needs a Python that other users may run: {sys.base_prefix} is closed to "
        f"them and there is no {_SYSTEM_PYTHON} (`apt install python3`)"
    )


def _open_to_all(path: Path) -> bool:
    try:
        return all(place.stat().st_mode & stat.S_IXOTH for place in (path, *path.parents))
    except OSError:
        return False


def _system_binds() -> list[tuple[str, ...]]:
    binds: list[tuple[str, ...]] = [("--ro-bind", "/usr", "/usr")]
    for name in ("bin", "sbin", "lib", "lib32", "lib64"):
        place = Path("/", name)
        if place.is_symlink():
            binds.append(("--symlink", str(place.readlink()), str(place)))
        elif place.is_dir():
            binds.append(("--ro-bind", str(place), str(place)))
    # The loader finds libraries outside /usr/lib only by this file.
    binds.append(("--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache"))
    return binds


def _check_version(bwrap: str) -> None:
    try:
        told = subprocess.run(
            [bwrap, "--version"], capture_output=True, text=True, timeout=30, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WorkerError(f"bwrap does not answer: {error}") from error
    match = re.search(r"(\d+)\.(\d+)", told)
    if match is None or (int(match[1]), int(match[2])) < _NEEDED:
        raise ConfigError(f"{bwrap} is {told.strip() or 'of unknown version'}; {INSTALL}")
