"""Work that a process of its own can find by name."""

import os
import signal
from pathlib import Path


def killed(folder: Path) -> None:
    """End as the kernel ends a process when memory runs out."""
    os.kill(os.getpid(), signal.SIGKILL)
