"""API keys from the environment, or from a file that only its owner can read.

This is the only module that reads a key. No other place may hold one: a pool file has the name of
the variable or the path of the file.
"""

import errno
import os
import stat
from pathlib import Path

from partbook.errors import ConfigError
from partbook.pool import WorkerSpec
from partbook.secret import Secret

__all__ = ["key_of"]

MAX_FILE_BYTES = 16_384
"""Longest file; a key has some hundred bytes, a signed token some thousand."""


def key_of(spec: WorkerSpec) -> Secret | None:
    """The API key of a worker; None where it needs none.

    Raises:
        ConfigError: the variable is not set, the file cannot be read or can be read by others, or
            what it holds is no key.
    """
    if spec.key_file:
        text, source = _read(spec.name, Path(spec.key_file)), spec.key_file
    elif spec.key_env:
        text, source = os.environ.get(spec.key_env, ""), spec.key_env
        if not text.strip():
            raise ConfigError(
                f"worker {spec.name!r} needs an API key: set the environment variable "
                f"{spec.key_env}, or give the worker a `key_file`"
            )
    else:
        return None
    try:
        return Secret(text.strip())
    except ConfigError as err:
        raise ConfigError(f"worker {spec.name!r}: {source}: {err}") from None


def _read(worker: str, path: Path) -> str:
    where = f"worker {worker!r}: key file {path}"
    if os.name != "posix":
        raise ConfigError(f"{where}: permissions cannot be checked on this system; use `key_env`")
    try:
        # Checked on what was opened, so that nobody can put another file there in between. Without
        # O_NONBLOCK, a pipe would be waited for.
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as err:
        if err.errno in (errno.ELOOP, errno.EMLINK):
            raise ConfigError(f"{where} is a symbolic link; give the path of the file") from None
        raise ConfigError(f"{where} cannot be read: {err.strerror or err}") from None
    try:
        _check(where, path, os.fstat(opened))
        data = os.read(opened, MAX_FILE_BYTES + 1)
    finally:
        os.close(opened)
    if len(data) > MAX_FILE_BYTES:
        raise ConfigError(f"{where}: a key was expected, the file has over {MAX_FILE_BYTES} bytes")
    # Not decoded strictly: an error about a byte would quote it.
    return data.decode("utf-8", "replace")


def _check(where: str, path: Path, found: os.stat_result) -> None:
    """Refuse a file that is somebody else's, or that others can read or write."""
    if not stat.S_ISREG(found.st_mode):
        raise ConfigError(f"{where} is no regular file")
    if found.st_uid != os.geteuid():
        raise ConfigError(
            f"{where} belongs to user {found.st_uid}, you are user {os.geteuid()}; a key file must "
            "be your own"
        )
    mode = stat.S_IMODE(found.st_mode)
    if mode & 0o077:
        raise ConfigError(
            f"{where} can be read or changed by others (its mode is {mode:03o}); run: "
            f"chmod 600 {path}"
        )
