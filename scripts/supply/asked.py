"""What pyproject.toml asks for, in the sets that are locked and installed. Standard library only.

A set has a file in locks/. The files share no package, so that any of them can be installed
together: `core` is what the core needs, `local` what the extra `local` adds, `test` what the tests
of the core add, `dev` all the rest. `build` is what builds Partbook and the source distributions
among the others; it is installed first.
"""

import hashlib
import json
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

__all__ = ["LOCKED_PYTHONS", "ROOT", "SETS", "Asked", "lock_file", "normal"]

ROOT = Path(__file__).resolve().parents[2]
SETS = ("build", "core", "local", "test", "dev")
LOCKED_PYTHONS = ("3.11.5", "3.14")
"""The lock holds from the first to before the second. inspect-ai's own pins need 3.11.5."""

_CORE_TESTS = ("hypothesis", "pytest", "pytest-asyncio")
"""What .ci/run needs to test the core without extras; their versions stand in the extra dev."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The requirements of the project, as they are written."""

    core: tuple[str, ...]
    extras: dict[str, tuple[str, ...]]
    build: tuple[str, ...]
    """The group `build`."""
    files: tuple[str, ...]
    """The group `files`: only files of these are read; what they require is not installed."""
    torch: str
    """The version that scripts/cpu-torch.sh installs. Which build of it, the machine decides."""

    @classmethod
    def read(cls, root: Path = ROOT) -> "Asked":
        """Read pyproject.toml and scripts/cpu-torch.sh below a folder."""
        about = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
        script = (root / "scripts" / "cpu-torch.sh").read_text(encoding="utf-8")
        found = re.search(r"^version=(\S+)$", script, re.MULTILINE)
        if found is None:
            raise SystemExit("error: scripts/cpu-torch.sh has no line version=...")
        extras = about["project"].get("optional-dependencies", {})
        groups = about.get("dependency-groups", {})
        return cls(
            core=tuple(about["project"]["dependencies"]),
            extras={name: tuple(rows) for name, rows in extras.items()},
            build=tuple(groups["build"]),
            files=tuple(groups["files"]),
            torch=found[1],
        )

    @property
    def core_tests(self) -> tuple[str, ...]:
        """The rows of the extra dev that tests of the core need."""
        return tuple(row for row in self.extras["dev"] if normal(row) in _CORE_TESTS)

    @property
    def everything(self) -> tuple[str, ...]:
        """All requirements but `build` and `files`; rows that several extras share stand once."""
        rows = [*self.core, *(row for extra in self.extras.values() for row in extra)]
        return tuple(dict.fromkeys(rows))

    @property
    def digest(self) -> str:
        """SHA-256 of all that is asked for, in hexadecimal; the order of rows does not count."""
        extras = {name: sorted(rows) for name, rows in self.extras.items()}
        said = [sorted(self.core), extras, sorted(self.build), sorted(self.files), self.torch]
        text = json.dumps([said, LOCKED_PYTHONS, _CORE_TESTS], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def lock_file(name: str, root: Path = ROOT) -> Path:
    """Where the lock of a set is."""
    return root / "locks" / f"{name}.txt"


def normal(requirement: str) -> str:
    """The normalised name of a package, from a requirement or from a name."""
    found = re.match(r"[A-Za-z0-9._-]+", requirement.strip())
    if found is None:
        raise ValueError(f"no name of a package: {requirement!r}")
    return re.sub(r"[-_.]+", "-", found[0]).lower()
