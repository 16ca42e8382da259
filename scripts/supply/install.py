"""Installs Partbook and what the lock names into the environment of this Python.

Run by `make setup`, `make dev` and .ci/run, before anything is installed: standard library only.
Every file that pip fetches must have a hash of the lock, nothing is resolved anew, and source
distributions are built with what the lock names. Where the lock does not hold, with a newer Python
for instance, the ranges of pyproject.toml are installed as users get them, and that is said.
A file with another hash is an error, and never a reason to fall back to ranges.
"""

import os
import subprocess
import sys

from scripts.supply.asked import LOCKED_PYTHONS, ROOT, Asked, lock_file

__all__ = ["ENVIRONMENTS", "is_locked", "main"]

ENVIRONMENTS = {
    "core": ("core", "test"),
    "setup": ("core", "local"),
    "dev": ("core", "local", "test", "dev"),
}
"""What can be installed, and the sets that it takes."""


def is_locked(version: tuple[int, ...]) -> bool:
    """Whether the lock holds for a Python of this version."""
    first, end = (tuple(int(part) for part in bound.split(".")) for bound in LOCKED_PYTHONS)
    return first <= version < end


def _pip(*arguments: str) -> None:
    called = [sys.executable, "-m", "pip", "install", "--quiet", *arguments]
    quiet = os.environ | {"PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    if status := subprocess.run(called, cwd=ROOT, env=quiet, check=False).returncode:
        sys.exit(status)


def _torch() -> None:
    called = ["sh", str(ROOT / "scripts" / "cpu-torch.sh"), sys.executable]
    if status := subprocess.run(called, check=False).returncode:
        sys.exit(status)


def _from_lock(name: str) -> None:
    hashed = ("--require-hashes", "--no-deps")
    _pip(*hashed, "--requirement", str(lock_file("build")))
    named = [
        word for each in ENVIRONMENTS[name] for word in ("--requirement", str(lock_file(each)))
    ]
    _pip(*hashed, "--no-build-isolation", *named)
    if name == "dev":
        _torch()
    # The core is tested as users have it, from a wheel; developers edit what they run.
    where = ["."] if name == "core" else ["--editable", "."]
    _pip("--no-deps", "--no-build-isolation", *where)


def _from_ranges(name: str) -> None:
    asked = Asked.read()
    _pip("--upgrade", "pip")
    match name:
        case "core":
            # A test of the core builds the sample plug-in with what is here.
            _pip(".", *asked.build, *asked.core_tests)
        case "setup":
            _pip("--editable", ".[local]")
        case _:
            _pip(*asked.build)
            _torch()
            _pip("--editable", f".[{','.join(asked.extras)}]")
            _pip("--no-deps", *asked.files)


def main(arguments: list[str]) -> None:
    """Install the environment that is named."""
    if len(arguments) != 1 or arguments[0] not in ENVIRONMENTS:
        sys.exit(f"usage: python -m scripts.supply.install {'|'.join(ENVIRONMENTS)}")
    if is_locked(sys.version_info[:3]):
        _from_lock(arguments[0])
        return
    here, (first, end) = ".".join(map(str, sys.version_info[:3])), LOCKED_PYTHONS
    sys.stderr.write(f"note: the lock is for Python {first} to before {end}, this is {here}; ")
    sys.stderr.write("installing the newest versions that pyproject.toml allows\n")
    _from_ranges(arguments[0])


if __name__ == "__main__":
    main(sys.argv[1:])
