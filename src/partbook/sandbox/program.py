"""Program: a Python program with the files it needs, as bytes, checked before anything starts."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

__all__ = ["FLAGS", "Program"]

FLAGS = ("-E", "-s", "-X", "utf8")
"""Flags of the interpreter.

No `PYTHON*` variables, no user site, UTF-8 everywhere. Neither `-I` nor `-S`: the program's own
directory stays on the path, so that it can import the files it came with, and `site` gives it
`exit()`; the folders with installed packages are hidden by other means.
"""


@dataclass(frozen=True, slots=True)
class Program:
    """A program of unknown intent."""

    files: Mapping[str, bytes]
    """Relative path to content; the entry is one of them. They lie read-only in its directory."""
    entry: str
    """Which of the files to run."""
    stdin: bytes

    def __post_init__(self) -> None:
        for name in self.files:
            path = PurePosixPath(name)
            if path.is_absolute() or ".." in path.parts or not path.name or "\0" in name:
                raise ValueError(f"a file in the sandbox needs a relative path, not {name!r}")
        if self.entry not in self.files:
            raise ValueError(f"the entry {self.entry!r} is not one of {sorted(self.files)}")
