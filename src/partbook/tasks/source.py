"""Where a published data set lies: files of one revision on the hub, or the same files by hand.

A revision is the hash of a commit, so it fixes every byte; the number of rows is checked as well,
because a file given by hand has no revision.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from partbook.errors import ConfigError
from partbook.tasks.rows import is_data_file

__all__ = ["HubFiles", "local_files"]


@dataclass(frozen=True, slots=True)
class HubFiles:
    """The files of a data set on the Hugging Face hub."""

    repo: str
    """Owner and name."""
    revision: str
    """Hash of a commit."""
    files: Mapping[str, tuple[str, ...]]
    """Paths in the repository, by part of the data set."""
    rows: Mapping[str, int]
    """How many rows each part has, where that is known."""
    gated: bool = False
    """Whether its terms must be accepted on its page before it can be downloaded."""

    @property
    def page(self) -> str:
        """The address of its page."""
        return f"https://huggingface.co/datasets/{self.repo}"

    def by_hand(self, part: str) -> str:
        """What to download by hand, and what to do with it, in words."""
        urls = "".join(
            f"\n  {self.page}/resolve/{self.revision}/{path}" for path in self.files[part]
        )
        first = f"accept the terms at {self.page}, then " if self.gated else ""
        return f"{first}download by hand{urls}\ninto one folder and say --data FOLDER"


def local_files(source: HubFiles, part: str, place: Path) -> list[Path]:
    """The files of one part under a path that the user gave; empty where the part is not there.

    A folder is searched for the names that the files have on the hub, then for `PART.*`. A single
    file is any part's, unless it has the name of another part.

    Raises:
        ConfigError: the path does not exist, or only some files of the part are there.
    """
    if place.is_file():
        names = {Path(path).name for path in source.files[part]}
        others = {Path(path).name for paths in source.files.values() for path in paths} - names
        return [] if place.name in others else [place]
    if not place.is_dir():
        raise ConfigError(f"--data {place}: there is no such file or folder")
    found = [_find(place, path) for path in source.files[part]]
    here = [path for path in found if path is not None]
    if here and len(here) < len(found):
        lacking = [
            name for name, path in zip(source.files[part], found, strict=True) if path is None
        ]
        raise ConfigError(f"--data {place}: {', '.join(lacking)} is missing beside {here[0].name}")
    return here or _named(place, part)


def _find(folder: Path, path: str) -> Path | None:
    for candidate in (folder / path, folder / Path(path).name):
        if candidate.is_file():
            return candidate
    return None


def _named(folder: Path, part: str) -> list[Path]:
    named: Sequence[Path] = sorted(folder.glob(f"{part}.*"))
    return [path for path in named if is_data_file(path)][:1]
