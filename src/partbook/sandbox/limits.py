"""What a program in the sandbox may use, and what came of it."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["LimitHit", "SandboxLimits", "SandboxResult"]

LimitHit = Literal["wall", "cpu", "memory", "output"]
"""The limit for which the sandbox ended a program."""

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """Bounds of one run; reaching `wall_s`, `cpu_s`, `memory_bytes` or `output_bytes` ends it."""

    wall_s: float = 10.0
    """Seconds on the clock."""
    cpu_s: float = 10.0
    """Seconds of computing, all its processes together."""
    memory_bytes: int = 1024 * _MIB
    """Address space of each process, and the memory of all of them together."""
    processes: int = 32
    """Processes and threads at once."""
    output_bytes: int = _MIB
    """Of each of standard output and standard error."""
    file_bytes: int = 64 * _MIB
    """Of all files that it writes, which lie in memory."""

    def __post_init__(self) -> None:
        if min(self.wall_s, self.cpu_s) <= 0:
            raise ValueError(f"time limits must be above 0, not {self.wall_s} and {self.cpu_s}")
        sizes = (self.memory_bytes, self.processes, self.output_bytes, self.file_bytes)
        if min(sizes) < 1:
            raise ValueError(f"sizes and counts must be at least 1, not {sizes}")


@dataclass(frozen=True, slots=True)
class SandboxResult:
    """What a program did. A program that failed is a result like any other."""

    exit_status: int | None
    """128 + n where signal n ended it; None where the sandbox did, see `limit`."""
    stdout: str
    """The head of it where more than `output_bytes` came; bytes that are not UTF-8 become �."""
    stderr: str
    """As `stdout`."""
    limit: LimitHit | None
    """The limit for which the sandbox ended it; None where it ended by itself."""
    seconds: float
    """From its start to its end; in a container, the start of the container included."""

    @property
    def timed_out(self) -> bool:
        """Whether its time was up, on the clock or in computing."""
        return self.limit in ("wall", "cpu")
