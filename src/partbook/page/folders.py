"""Folders: evaluations and trainings under one folder, found by the files that they write.

Names come from a URL, so nothing is read but what a search of the folder found: no name leads out
of it. What a file holds was written by a program and perhaps by a person after it, so it is bounded
and may be anything.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["Found", "find_folders", "json_lines", "json_object"]

_DEPTH = 4
"""How deep folders are looked for."""

_MOST_ENTRIES = 20_000
"""How many files and folders are looked at."""

_MOST_BYTES = 64 * 2**20
_PASSED_OVER = ("checkpoint-", ".")
"""How the names begin of folders that nothing is looked for in."""


class Found(NamedTuple):
    """A folder that was found."""

    folder: Path
    at: float
    """When the first of its files was last changed, in seconds since the epoch."""


def find_folders(root: Path | None, *names: str) -> dict[str, Found]:
    """Folders with files of all these names, by their paths below the root, the newest first.

    Args:
        root: where to look; None: nowhere. Links are not followed.
        names: of files.
    """
    if root is None:
        return {}
    found: list[tuple[float, str, Path]] = []
    for folder, files in _walk(root):
        if all(name in files for name in names):
            try:
                at = (folder / names[0]).stat().st_mtime
            except OSError:
                continue
            found.append((at, folder.relative_to(root).as_posix(), folder))
    found.sort(reverse=True)
    return {name: Found(folder, at) for at, name, folder in found}


def _walk(root: Path) -> Iterator[tuple[Path, frozenset[str]]]:
    waiting = [(root, 0)]
    seen = 0
    while waiting:
        folder, depth = waiting.pop()
        files: set[str] = set()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    seen += 1
                    if seen > _MOST_ENTRIES:
                        return
                    if entry.is_file(follow_symlinks=False):
                        files.add(entry.name)
                    elif entry.name.startswith(_PASSED_OVER) or depth == _DEPTH:
                        continue
                    elif entry.is_dir(follow_symlinks=False):
                        waiting.append((Path(entry.path), depth + 1))
        except OSError:
            continue
        yield folder, frozenset(files)


def json_object(path: Path) -> dict[str, Any]:
    """The JSON object in a file; empty where there is none that can be read."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            return {}
        data = json.loads(path.read_bytes(), parse_constant=_nothing)
    except (OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def json_lines(path: Path) -> list[dict[str, Any]]:
    """The JSON objects in a file, one a line; those that are cut off or something else are not."""
    lines: list[dict[str, Any]] = []
    try:
        if path.stat().st_size > _MOST_BYTES:
            return []
        for text in path.read_bytes().splitlines():
            try:
                data = json.loads(text, parse_constant=_nothing)
            except (ValueError, RecursionError):
                continue
            if isinstance(data, dict):
                lines.append(data)
    except OSError:
        return []
    return lines


def _nothing(_: str) -> None:
    """NaN and infinities, which Python writes and no browser reads."""
    return
