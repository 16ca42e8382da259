"""What a tree of processes uses, read from `/proc` of the host.

`RLIMIT_AS` and `RLIMIT_CPU` bind each process for itself; these figures bind all of them together.
Whatever cannot be read counts as 0: a process may end at any moment, and the limits of each
process hold in any case.
"""

import os
from typing import NamedTuple

__all__ = ["TreeUsage", "tree_usage"]

_INODE_BYTES = 1024
"""About what an empty file in a tmpfs costs the kernel."""


class TreeUsage(NamedTuple):
    """CPU seconds so far and bytes now."""

    cpu_s: float
    memory_bytes: int


def tree_usage(root: int, writable: str) -> TreeUsage:
    """Usage of process `root` and all below it, with what lies in its tmpfs `writable`."""
    pids = _tree(root)
    ticks = sum(map(_cpu_ticks, pids))
    memory = sum(_proportional(pid) for pid in pids) if len(pids) > 1 else _anonymous(root)
    try:
        space = os.statvfs(f"/proc/{root}/root{writable}")
    except OSError:
        stored = 0
    else:
        stored = (space.f_blocks - space.f_bfree) * space.f_frsize
        stored += (space.f_files - space.f_ffree) * _INODE_BYTES
    return TreeUsage(ticks / os.sysconf("SC_CLK_TCK"), memory + stored)


def _tree(root: int) -> list[int]:
    found = [root]
    for pid in found:
        try:
            threads = os.listdir(f"/proc/{pid}/task")
        except OSError:
            continue
        for thread in threads:
            found += map(int, _read(f"/proc/{pid}/task/{thread}/children").split())
    return found


def _cpu_ticks(pid: int) -> int:
    # The name may hold blanks and brackets; utime, stime, cutime, cstime follow it as 12 to 15.
    fields = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return sum(map(int, fields[11:15]))


def _anonymous(pid: int) -> int:
    fields = _read(f"/proc/{pid}/statm").split()
    return (int(fields[1]) - int(fields[2])) * os.sysconf("SC_PAGE_SIZE") if fields else 0


def _proportional(pid: int) -> int:
    # Forks share pages: each counts its part. A container may forbid this file.
    for line in _read(f"/proc/{pid}/smaps_rollup").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return _anonymous(pid)


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
