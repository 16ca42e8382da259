"""How large the core is: what pip fetches for `pip install partbook`, and what it puts on the disk.

Measured on what is installed here, from the lists of files that pip kept. The fetched size is
that of the files compressed as a wheel compresses them. Compiled bytecode is counted apart: pip
writes it unless it is told not to, and Python would write it later.
"""

import sys
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import Distribution, distribution

from scripts.supply.asked import Asked
from scripts.supply.closure import closure

__all__ = ["MOST_FETCHED_MB", "MOST_INSTALLED_MB", "Size", "main", "sizes", "table", "verdict"]

MOST_FETCHED_MB = 30.0
"""What `pip install partbook` may fetch, our own wheel included."""
MOST_INSTALLED_MB = 62.0
"""What it may put on the disk, without bytecode."""


@dataclass(frozen=True, slots=True)
class Size:
    """How large one package is, in bytes."""

    name: str
    fetched: int
    """Its files, each compressed."""
    installed: int
    """Its files as they are, without bytecode."""
    bytecode: int


def sizes() -> list[Size]:
    """The core's packages and Partbook itself, the largest first.

    Raises:
        Missing: the core is not installed here.
        ValueError: Partbook is installed for editing, so its files are not in the environment.
    """
    ours = distribution("partbook")
    found = [_size("partbook", ours)]
    if found[0].installed < 1_000_000:
        raise ValueError("partbook is installed for editing; measure where its wheel is installed")
    found += [_size(name, one) for name, one in closure(Asked.read().core).items()]
    return sorted(found, key=lambda size: -size.installed)


def _size(name: str, package: Distribution) -> Size:
    fetched = installed = bytecode = 0
    for file in package.files or ():
        path = package.locate_file(file)
        try:
            with open(str(path), "rb") as opened:
                content = opened.read()
        except OSError:
            continue
        if file.suffix == ".pyc":
            bytecode += len(content)
        else:
            installed += len(content)
            fetched += len(zlib.compress(content))
    return Size(name, fetched, installed, bytecode)


def table(found: Iterable[Size]) -> str:
    """A row a package, megabytes of 1,000,000 bytes, and their sums."""
    rows = [*found]
    total = Size(
        "all",
        sum(one.fetched for one in rows),
        sum(one.installed for one in rows),
        sum(one.bytecode for one in rows),
    )
    head = f"{'MB':20}{'fetched':>10}{'installed':>10}{'bytecode':>10}\n"
    return head + "".join(
        f"{one.name:20}"
        + "".join(f"{size / 1e6:10.2f}" for size in (one.fetched, one.installed, one.bytecode))
        + "\n"
        for one in [*rows, total]
    )


def verdict(found: Iterable[Size]) -> str:
    """What is wrong with the core's size, in a sentence; empty: nothing."""
    rows = [*found]
    fetched = sum(one.fetched for one in rows) / 1e6
    installed = sum(one.installed for one in rows) / 1e6
    if fetched <= MOST_FETCHED_MB and installed <= MOST_INSTALLED_MB:
        return ""
    return (
        f"the core is {fetched:.1f} MB to fetch and {installed:.1f} MB installed; "
        f"at most {MOST_FETCHED_MB:.0f} and {MOST_INSTALLED_MB:.0f} are allowed"
    )


def main() -> int:
    """Print the table; 1 where the core is larger than it may be."""
    found = sizes()
    sys.stdout.write(table(found))
    if wrong := verdict(found):
        sys.stderr.write(f"error: {wrong}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
