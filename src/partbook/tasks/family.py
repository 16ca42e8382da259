"""Family: how the rows of one published data set become the problems of a task.

A data set has parts, as it was published; a task has splits, as we use it. A split is a part or a
share of one. Where a data set has a single part and training needs some of it (arXiv:2512.04388
divides 60/20/20), the rows are put into an order that depends on nothing but their ids, and cut.
The paper does not say which row went where, so our shares have its sizes, not its members.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from partbook.errors import ConfigError
from partbook.tasks.offences import Offence, refuse
from partbook.tasks.problem import Problem, Task
from partbook.tasks.rows import Row, read_rows
from partbook.tasks.source import HubFiles, local_files

__all__ = ["Family", "Share", "load_family", "problems_of"]

Convert = Callable[[Mapping[str, object], str], Problem | None]
"""From a row and its number in the part to a problem; None leaves the row out.

Raises:
    ConfigError: the row is wrong; the message has no place in it.
"""


@dataclass(frozen=True, slots=True)
class Share:
    """A split as a share of a part."""

    part: str
    start: float = 0.0
    """Where it begins, as a fraction of the part, 0 to 1."""
    stop: float = 1.0
    """Where it ends."""
    keep: Callable[[Problem], bool] | None = None
    """Which problems belong to it; for data that is also published in one piece. None: all."""

    @property
    def whole(self) -> bool:
        """Whether it is the whole part, in the part's own order."""
        return self.start == 0 and self.stop == 1


@dataclass(frozen=True, slots=True)
class Family:
    """One published data set."""

    name: str
    about: str
    """One line: what it asks, how many problems, where from."""
    judge: str
    source: HubFiles
    convert: Convert
    splits: Mapping[str, Share] = field(default_factory=dict)
    """By split of the task."""


def load_family(
    family: Family, splits: Sequence[str], data: Path | None = None, encoding: str | None = None
) -> Task:
    """Load splits of a data set, from the hub or from files of the same format.

    Args:
        family: the data set.
        splits: names of the splits to load.
        data: a file or folder with the published files; None for the hub.
        encoding: of local text files; None for UTF-8, or UTF-16 with its mark.

    Raises:
        ConfigError: a split is unknown, the files cannot be had, or rows are wrong; then nothing is
            loaded, and all wrong rows are named.
    """
    for split in splits:
        if split not in family.splits:
            known = ", ".join(family.splits)
            raise ConfigError(f"task {family.name!r} has no split {split!r}; splits: {known}")
    problems: dict[str, tuple[Problem, ...]] = {}
    notes: list[str] = []
    parts = list(dict.fromkeys(family.splits[split].part for split in splits))
    if data is not None and data.is_file() and len(parts) > 1:
        raise ConfigError(
            f"--data {data}: splits {', '.join(splits)} of {family.name} come from several files; "
            f"give the folder that holds them"
        )
    for part in parts:
        found, left_out = _load_part(family, part, data, encoding)
        if left_out:
            notes.append(f"{part}: {left_out} rows do not belong to the task and were left out")
        wanted = family.source.rows.get(part)
        if wanted is not None and len(found) + left_out != wanted:
            notes.append(f"{part}: {len(found) + left_out} rows; the published part has {wanted}")
            if data is None:
                raise ConfigError(f"{family.source.repo}: {notes[-1]}")
        for split in splits:
            if family.splits[split].part == part:
                problems[split] = _cut(found, family.splits[split])
    source = f"{family.source.repo}@{family.source.revision}" if data is None else str(data)
    return Task(family.name, family.about, problems, source, tuple(notes))


def problems_of(
    rows: Iterable[Row | Offence], convert: Convert, origin: Path | str
) -> tuple[list[Problem], int]:
    """The problems of some rows, and how many rows were left out.

    Raises:
        ConfigError: rows are wrong, or there are none; all wrong rows are named.
    """
    problems: list[Problem] = []
    offences: list[Offence] = []
    first: dict[str, str] = {}
    count = left_out = 0
    for row in rows:
        count += 1
        if isinstance(row, Offence):
            offences.append(row)
            continue
        try:
            problem = convert(row.data, str(count - 1))
        except ConfigError as err:
            offences.append(Offence(row.where, str(err)))
            continue
        if problem is None:
            left_out += 1
        elif problem.id in first:
            offences.append(
                Offence(row.where, f"the id {problem.id!r} is already that of {first[problem.id]}")
            )
        else:
            first[problem.id] = row.where
            problems.append(problem)
    refuse(origin, offences, count)
    if not problems:
        raise ConfigError(f"{origin}: there are no problems in it")
    return problems, left_out


def _load_part(
    family: Family, part: str, data: Path | None, encoding: str | None
) -> tuple[list[Problem], int]:
    if data is None:
        # Imported here because it needs the optional packages; local files do without them.
        from partbook.tasks.hub import fetch_files  # noqa: PLC0415

        paths = fetch_files(family.source, part)
    else:
        paths = local_files(family.source, part, data)
        if not paths:
            raise ConfigError(
                f"--data {data}: no {part!r} part of {family.name}; expected "
                f"{', '.join(family.source.files[part])}, or {part}.jsonl"
            )
    rows = (row for path in paths for row in read_rows(path, encoding))
    origin = paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
    return problems_of(rows, family.convert, origin)


def _cut(problems: Sequence[Problem], share: Share) -> tuple[Problem, ...]:
    if share.keep is not None:
        problems = [problem for problem in problems if share.keep(problem)]
    if share.whole:
        return tuple(problems)
    ordered = sorted(
        problems, key=lambda problem: hashlib.sha256(problem.id.encode("utf-8")).digest()
    )
    return tuple(ordered[round(share.start * len(ordered)) : round(share.stop * len(ordered))])
