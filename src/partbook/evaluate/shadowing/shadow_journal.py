"""The journal of shadow experiments: JSON lines in a file that outlives the server.

A line begins an experiment, or is a pair of the experiment that was begun last. A restart with the
same settings goes on with the same experiment; with others it begins another one in the same file.
The file is for one server at a time and can be read by its owner only.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Self

from partbook.errors import ConfigError, StoreError
from partbook.evaluate.shadowing.shadow import Experiment, Pair, Tally
from partbook.spend_json import to_json

__all__ = ["ShadowJournal", "day_of", "read_tallies"]


def day_of(at: float) -> str:
    """The day of UTC, as 2026-11-30."""
    return datetime.fromtimestamp(at, UTC).date().isoformat()


class ShadowJournal:
    """Goes on with an experiment, or begins it."""

    def __init__(self, path: Path, experiment: Experiment, file: IO[str], tally: Tally) -> None:
        self.path = path
        self.experiment = experiment
        self.tally = tally
        """All pairs so far, those before this process included."""
        self._file = file

    @classmethod
    def open(cls, path: Path, experiment: Experiment, at: float) -> Self:
        """Open a journal to write to.

        Args:
            path: its file; it is made if it is not there.
            experiment: what is to be gone on with.
            at: now, in seconds since the epoch.

        Raises:
            ConfigError: the file cannot be written, or holds something else.
        """
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.touch(mode=0o600)
            tallies = read_tallies(path)
            file = path.open("a", encoding="utf-8")
            whole = _ends_whole(path)
        except OSError as err:
            raise ConfigError(f"cannot write {path}: {err.strerror or err}") from err
        journal = cls(path, experiment, file, tallies.get(experiment.id, Tally(experiment)))
        # A line that a crash cut off stays; the next one begins a new line.
        begun = {"experiment": {"id": experiment.id, **asdict(experiment)}, "at": round(at, 3)}
        journal._write(begun, "" if whole else "\n")
        return journal

    def add(self, pair: Pair) -> None:
        """Keep one more pair.

        Raises:
            StoreError: it cannot be written; it is counted all the same.
        """
        self.tally.add(pair, day_of(pair.at))
        self._write({"pair": pair.to_dict()})

    def close(self) -> None:
        """Write no more."""
        self._file.close()

    def _write(self, value: dict[str, Any], before: str = "") -> None:
        try:
            self._file.write(f"{before}{to_json(value)}\n")
            self._file.flush()
        except OSError as err:
            raise StoreError(f"cannot write {self.path}: {err.strerror or err}") from err


def read_tallies(path: Path) -> dict[str, Tally]:
    """All experiments of a journal by their ids, the one that was begun last at the end.

    Raises:
        ConfigError: it cannot be read, or holds something else; a last line that a crash cut off
            is passed over.
    """
    found: dict[str, Tally] = {}
    tally: Tally | None = None
    for number, line in _lines(path):
        try:
            value = json.loads(line)
            if "experiment" in value:
                experiment = Experiment.from_dict(value["experiment"])
                tally = found.pop(experiment.id, None) or Tally(experiment)
                found[experiment.id] = tally
            elif tally is not None:
                pair = Pair.from_dict(value["pair"])
                tally.add(pair, day_of(pair.at))
        except json.JSONDecodeError:
            continue  # cut off by a crash
        except (KeyError, TypeError, ValueError, AttributeError) as err:
            raise ConfigError(
                f"{path}, line {number}: a line of a shadow journal was expected: {err!r}"
            ) from err
    if not found and path.stat().st_size:
        raise ConfigError(f"{path} is no journal of `partbook serve --shadow`")
    return found


def _ends_whole(path: Path) -> bool:
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - 1))
        return file.read(1) in (b"", b"\n")


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line
    except OSError as err:
        raise ConfigError(f"cannot read {path}: {err.strerror or err}") from err
