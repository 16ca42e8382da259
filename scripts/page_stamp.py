"""Stamp the built page with what it was built from, and say whether it is still current.

The page in src/partbook/page/static is built from web/ and committed, so that a clone needs no
Node. `npm --prefix web run build` ends with this script, which writes SHA-256 sums of the sources
and of the built files into built-from.json; `--check` compares them and needs no Node either.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Iterable
from pathlib import Path

__all__ = ["built_files", "digest", "main", "source_files"]

ROOT = Path(__file__).resolve().parent.parent
STAMP = "built-from.json"
_NAMES = ("index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.mjs")
"""What the build reads in web/, beside src/."""


def source_files(web: Path) -> list[Path]:
    """The files that the page is built from, tests left out."""
    inside = (path for path in (web / "src").rglob("*") if path.is_file())
    named = (web / name for name in _NAMES)
    return sorted([*named, *(path for path in inside if ".test." not in path.name)])


def built_files(static: Path) -> list[Path]:
    """The files of the built page, without the stamp."""
    return sorted(path for path in static.rglob("*") if path.is_file() and path.name != STAMP)


def digest(folder: Path, files: Iterable[Path]) -> str:
    """SHA-256 over the names, relative to the folder, and contents of files, as hex digits."""
    total = hashlib.sha256()
    for path in files:
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        total.update(f"{path.relative_to(folder).as_posix()} {content}\n".encode())
    return total.hexdigest()


def _sums(web: Path, static: Path) -> dict[str, str]:
    return {
        "sources": digest(web, source_files(web)),
        "built": digest(static, built_files(static)),
    }


def main(arguments: list[str]) -> int:
    """Write the stamp, or check it; 0: done, or current."""
    parser = argparse.ArgumentParser(description="stamp the built page, or check its stamp")
    parser.add_argument("--check", action="store_true", help="write nothing; 1 where it is stale")
    parser.add_argument("--web", type=Path, default=ROOT / "web")
    parser.add_argument("--static", type=Path, default=ROOT / "src/partbook/page/static")
    given = parser.parse_args(arguments)
    stamp = given.static / STAMP
    sums = _sums(given.web, given.static)
    if not given.check:
        stamp.write_text(json.dumps(sums, indent=2) + "\n")
        return 0
    found = json.loads(stamp.read_text()) if stamp.is_file() else None
    if found == sums:
        return 0
    sys.stderr.write(
        f"{given.static} was not built from {given.web} as it is now; build it anew: "
        "npm --prefix web ci && npm --prefix web run build\n"
    )
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
