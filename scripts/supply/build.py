"""Builds the wheel and the source distribution, and keeps them only if they can be built again.

Both are built twice, from two copies of what git knows, in folders of other names, with files of
other times, another time zone and another mask for new files; the second wheel is built from the
tree and the first from the source distribution. The files must be equal to the last byte.
Times in them are that of the commit, or SOURCE_DATE_EPOCH. No network: the builder is the one
that is installed here, which locks/build.txt pins.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from scripts.supply.asked import ROOT

__all__ = ["build_twice", "different", "epoch", "main", "sha256", "tracked"]


def epoch() -> str:
    """SOURCE_DATE_EPOCH as it is set, or the time of the last commit, in seconds."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return given
    asked = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


def tracked() -> list[str]:
    """The files that git tracks, or would if they were added, as they are now."""
    asked = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    return sorted({name for name in names.split("\0") if name and (ROOT / name).is_file()})


def _copy(names: Sequence[str], tree: Path, to: Path) -> None:
    """Copy files of a tree, without their times and permissions."""
    for name in names:
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(tree / name, to / name)


def build_twice(one: Path, two: Path) -> list[str]:
    """Build wheel and source distribution into a folder, and under other conditions into another.

    Returns:
        The names of the files that they were built from.

    Raises:
        subprocess.CalledProcessError: they could not be built.
    """
    names, seconds = tracked(), epoch()
    with tempfile.TemporaryDirectory() as folder:
        here, there = Path(folder, "tree"), Path(folder, "elsewhere", "other-tree")
        _copy(names, ROOT, here)
        _copy(names, here, there)
        _build(here, one, (), {"TZ": "UTC", "SOURCE_DATE_EPOCH": seconds}, 0o022)
        for path in there.rglob("*"):
            os.utime(path, (1_000_000_000, 1_000_000_000))
        other = {"TZ": "Asia/Seoul", "SOURCE_DATE_EPOCH": seconds, "PYTHONHASHSEED": "7"}
        _build(there, two, ("--sdist", "--wheel"), other, 0o077)
    return names


def different(one: Path, two: Path) -> list[str]:
    """Names of files that are in one folder alone, or have other bytes in the other."""
    sums = [{path.name: sha256(path) for path in folder.iterdir()} for folder in (one, two)]
    return sorted({name for name, _ in sums[0].items() ^ sums[1].items()})


def sha256(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _build(
    tree: Path, out: Path, what: tuple[str, ...], settings: dict[str, str], mask: int
) -> None:
    called = [
        sys.executable,
        "-m",
        "build",
        "--no-isolation",
        *what,
        "--outdir",
        str(out),
        str(tree),
    ]
    subprocess.run(
        called, check=True, env=os.environ | settings, umask=mask, stdout=subprocess.DEVNULL
    )


def main() -> None:
    """Build into dist/ and say what was built."""
    kept = ROOT / "dist"
    kept.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        one, two = Path(folder, "one"), Path(folder, "two")
        build_twice(one, two)
        if names := different(one, two):
            sys.exit(f"error: not the same when it is built again: {', '.join(names)}")
        for path in sorted(one.iterdir()):
            shutil.copyfile(path, kept / path.name)
            size = path.stat().st_size
            sys.stderr.write(f"{sha256(path)}  dist/{path.name}  {size} bytes\n")


if __name__ == "__main__":
    main()
