"""Results: one file of what an evaluation found so far, from which it goes on.

The first line says what the evaluation is; whoever goes on must ask for the same. After it come the
problems, the beginnings (which systems and how many repeats were asked for) and the cells, a line
each. A line is there wholly or not at all: what was cut off at the end is dropped.
"""

import fcntl
import json
import os
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

from partbook.errors import ConfigError
from partbook.evaluate.posed import Posed
from partbook.evaluate.running.cell import Cell, Key

__all__ = ["RESULTS", "RESULTS_VERSION", "Begun", "Line", "Results"]

RESULTS = "results.jsonl"
RESULTS_VERSION = 1

_BROKEN = (AttributeError, LookupError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class Line:
    """A problem as the file keeps it: enough for a report."""

    id: str
    task: str
    question: str
    difficulty: str
    reference: str
    digest: str
    """Hash of what was asked, see `Posed.digest`."""

    @classmethod
    def of(cls, posed: Posed) -> Self:
        """The written form of a posed problem."""
        return cls(
            posed.id,
            posed.task,
            posed.question,
            posed.difficulty,
            posed.reference,
            posed.digest,
        )


@dataclass(frozen=True, slots=True)
class Begun:
    """What was asked for when the evaluation was begun, or taken up again."""

    systems: tuple[str, ...]
    """Names, in the order of tables."""
    problems: tuple[str, ...]
    """Ids, in order."""
    repeats: int
    at: float
    """Seconds since the epoch."""
    note: Mapping[str, str] = field(default_factory=dict)
    """Facts for a person: limits, concurrency, where published figures are."""

    @property
    def keys(self) -> list[Key]:
        """Every cell, problem by problem, so that what is there first can be compared."""
        return [
            (system, problem, repeat)
            for problem in self.problems
            for repeat in range(self.repeats)
            for system in self.systems
        ]


class Results:
    """A results file; close it, or use it in a `with` block."""

    def __init__(self, folder: Path, identity: Mapping[str, str]) -> None:
        self.folder = folder
        self.identity = dict(identity)
        """What must be the same for whoever goes on, by name."""
        self.problems: dict[str, Line] = {}
        self.cells: dict[Key, Cell] = {}
        """By key; the newest where a cell was played again."""
        self.begun: Begun | None = None
        """The last beginning."""
        self._descriptor: int | None = None

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read what is there, and write nothing.

        Raises:
            ConfigError: there are no results, they are damaged, or of another version.
        """
        path = folder / RESULTS
        try:
            lines = path.read_bytes().split(b"\n")[:-1]
        except OSError as err:
            raise ConfigError(
                f"no results of an evaluation in {folder}: {err.strerror or err}"
            ) from err
        if not lines:
            raise ConfigError(f"{path} is empty; remove it and begin again")
        results = cls(folder, _identity(path, lines[0]))
        for number, line in enumerate(lines[1:], 2):
            try:
                results._take(json.loads(line))
            except _BROKEN as err:
                raise ConfigError(f"{path}, line {number} is damaged: {err!r}") from err
        return results

    @classmethod
    def open(cls, folder: Path, identity: Mapping[str, str]) -> Self:
        """Begin an evaluation, or go on with one.

        Args:
            folder: where the file is, or will be.
            identity: what the evaluation is; the same for whoever goes on.

        Raises:
            ConfigError: another process writes the file, it is damaged, or of another evaluation.
        """
        path = folder / RESULTS
        try:
            folder.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        except OSError as err:
            raise ConfigError(f"cannot write {path}: {err.strerror or err}") from err
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _drop_half_line(path, descriptor)
            if os.fstat(descriptor).st_size:
                results = cls.read(folder)
                results._check(identity)
            else:
                results = cls(folder, identity)
        except BlockingIOError as err:
            os.close(descriptor)
            raise ConfigError(f"another process writes {path}; wait for it to end") from err
        except ConfigError:
            os.close(descriptor)
            raise
        results._descriptor = descriptor
        if not os.fstat(descriptor).st_size:
            head = {
                "results": RESULTS_VERSION,
                "partbook": version("partbook"),
                "identity": results.identity,
            }
            results._write([head])
        return results

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let others write the file. A second call does nothing."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def begin(
        self,
        systems: Sequence[str],
        problems: Sequence[Posed],
        repeats: int,
        note: Mapping[str, str] | None = None,
    ) -> Begun:
        """Write down what is asked for now; more than before is fine.

        Raises:
            ConfigError: a problem of this id was another one before.
        """
        new = []
        for asked in map(Line.of, problems):
            known = self.problems.get(asked.id)
            if known is None:
                new.append(asked)
            elif known.digest != asked.digest:
                raise ConfigError(
                    f"{self.folder / RESULTS}: problem {asked.id} was asked in other words or of "
                    "other workers before; choose another --out"
                )
        begun = Begun(
            tuple(systems),
            tuple(one.id for one in problems),
            repeats,
            time.time(),
            dict(note or {}),
        )
        lines = [{"problem": asdict(asked)} for asked in new]
        self._write([*lines, {"begun": asdict(begun)}])
        self.problems |= {asked.id: asked for asked in new}
        self.begun = begun
        return begun

    def add(self, cells: Iterable[Cell]) -> None:
        """Keep cells; when this returns, the end of this process loses none of them."""
        kept = list(cells)
        self._write([{"cell": cell.to_dict()} for cell in kept])
        self.cells |= {cell.key: cell for cell in kept}

    def is_judged(self, key: Key) -> bool:
        """Whether a cell is there and right or wrong."""
        return key in self.cells and self.cells[key].judged

    def reasons(self) -> Counter[str]:
        """Why cells were not judged, and how many of them for that reason."""
        return Counter(cell.why for cell in self.cells.values() if not cell.judged)

    def _write(self, lines: Sequence[Mapping[str, Any]]) -> None:
        assert self._descriptor is not None, "these results were opened for reading"
        text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
        rest = memoryview(text.encode())
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
            os.fsync(self._descriptor)
        except OSError as err:
            raise ConfigError(
                f"cannot write {self.folder / RESULTS}: {err.strerror}; what was found before is "
                "kept, and the same command goes on"
            ) from err

    def _take(self, line: Mapping[str, Any]) -> None:
        if "cell" in line:
            cell = Cell.from_dict(line["cell"])
            self.cells[cell.key] = cell
        elif "problem" in line:
            asked = Line(**line["problem"])
            self.problems[asked.id] = asked
        else:
            begun = line["begun"]
            self.begun = Begun(
                tuple(begun["systems"]),
                tuple(begun["problems"]),
                begun["repeats"],
                begun["at"],
                begun["note"],
            )

    def _check(self, identity: Mapping[str, str]) -> None:
        for name in dict.fromkeys((*self.identity, *identity)):
            there, here = self.identity.get(name), identity.get(name)
            if there != here:
                raise ConfigError(
                    f"{self.folder / RESULTS} is of another evaluation: its {name} is "
                    f"{there or 'not given'}, here it is {here or 'not given'}; choose another "
                    "--out, or ask as before"
                )


def _identity(path: Path, line: bytes) -> dict[str, str]:
    try:
        head = json.loads(line)
        found, by, identity = head["results"], head["partbook"], head["identity"]
    except _BROKEN as err:
        raise ConfigError(f"{path} is no results file: {err!r}") from err
    if found != RESULTS_VERSION or by != version("partbook"):
        raise ConfigError(
            f"{path} is of Partbook {by} (form {found}), this is {version('partbook')} (form "
            f"{RESULTS_VERSION}); use that version, or choose another --out"
        )
    return dict(identity)


def _drop_half_line(path: Path, descriptor: int) -> None:
    """Take away what a process that was killed had not written to its end."""
    data = path.read_bytes()
    if data and not data.endswith(b"\n"):
        os.ftruncate(descriptor, data.rfind(b"\n") + 1)
