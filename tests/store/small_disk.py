"""A disk that is soon full, in a namespace of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

__all__ = ["on_a_small_disk"]

NAMESPACE = ["unshare", "--user", "--map-root-user", "--mount"]
MOUNT = ["mount", "-t", "tmpfs"]

MADE = """
import subprocess, sys
disk = sys.argv[1]
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=" + sys.argv[2], "tmpfs", disk], check=True)
"""


def on_a_small_disk(folder: Path, size: str, program: str) -> list[str]:
    """What a program prints that fills `disk`, a folder with room for so much; its lines."""
    if not _can_mount(folder):
        pytest.skip("needs a namespace in which a small disk can be mounted")
    done = subprocess.run(
        [*NAMESPACE, sys.executable, "-c", MADE + program, str(folder), size],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    return done.stdout.splitlines()


def _can_mount(folder: Path) -> bool:
    try:
        mount = [*NAMESPACE, *MOUNT, "tmpfs", str(folder)]
        return subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False
