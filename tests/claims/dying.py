"""Work that a process of its own can find by name."""

import os
import signal
import subprocess
import time
from pathlib import Path


def killed(folder: Path) -> None:
    """End as the kernel ends a process when memory runs out."""
    os.kill(os.getpid(), signal.SIGKILL)


def waiting(folder: Path) -> None:
    """Wait for another process, which says its number."""
    subprocess.run(["sh", "-c", "echo $$ > number && exec sleep 600"], cwd=folder)


def failing(folder: Path) -> None:
    """Fail once the other process is there."""
    until = time.monotonic() + 60
    while not (number := folder.parent / "waiting" / "number").exists() or not number.read_text():
        assert time.monotonic() < until
        time.sleep(0.01)
    raise LookupError
