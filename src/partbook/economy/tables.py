"""A CSV file as rows: its delimiter, its heading line and its decimal mark, found from its start.

Spreadsheets and billing consoles put lines before the heading, choose the delimiter by country and
end with sums. The file is read one row at a time.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TextIO

from partbook.economy.amounts import DecimalMark, mark_of
from partbook.economy.decode import open_text
from partbook.economy.shapes import PLAIN, SHAPES, Shape, plain_name, shape_of
from partbook.errors import ConfigError

__all__ = [
    "DELIMITERS",
    "PREAMBLE",
    "Table",
    "bounded_lines",
    "find_table",
    "large_fields",
    "rows_of",
]

DELIMITERS = (",", ";", "\t", "|")
PREAMBLE = 40
"""Lines in which the heading is looked for; spreadsheets put some before it."""
_SAMPLE = 400
"""Lines that are looked at first."""
_LARGEST_FIELD = 16_000_000
"""Characters: a spend log may hold whole prompts. Beyond it, a quotation mark was not closed."""


@dataclass(frozen=True, slots=True)
class Table:
    """Where a file's table begins, and how it is written."""

    shape: Shape
    header: tuple[str, ...]
    line: int
    """Of the heading, from 1."""
    delimiter: str
    mark: DecimalMark
    before: Mapping[str, str]
    """Pairs in the lines before the heading, as `Currency` and `USD`."""


def find_table(path: Path, encoding: str, own: Mapping[str, str] | None = None) -> Table:
    """Find a file's table.

    Args:
        path: of the file.
        encoding: of its text.
        own: names of columns by role, see `shapes.shape_of`.

    Raises:
        ConfigError: it has no heading that is known; the message says which columns there are and
            what is missing.
    """
    with open_text(path, encoding) as text:
        sample = list(islice(bounded_lines(path, text), _SAMPLE))
    best: list[tuple[int, list[str]]] = []
    for delimiter in DELIMITERS:
        rows = _sampled(sample, delimiter)
        for i, (line, row) in enumerate(rows[:PREAMBLE]):
            names = [plain_name(name) for name in row]
            shape = shape_of(names, own)
            if shape is not None:
                _check_names(path, line, row, shape)
                before = {r[0].strip(): r[1].strip() for _, r in rows[:i] if len(r) > 1}
                values = _money_values(shape, names, [r for _, r in rows[i + 1 :]])
                mark = mark_of(values, delimiter)
                return Table(shape, tuple(row), line, delimiter, mark, before)
        best = max(best, rows[:PREAMBLE], key=_widest)
    raise ConfigError(_unknown(path, best, own))


def rows_of(path: Path, encoding: str, table: Table) -> Iterator[tuple[int, list[str]]]:
    """The rows below the heading, each with its line.

    Raises:
        ConfigError: a field has no end.
    """
    with open_text(path, encoding) as text, large_fields():
        reader = csv.reader(bounded_lines(path, text), delimiter=table.delimiter, strict=True)
        try:
            for row in reader:
                if reader.line_num > table.line:
                    yield reader.line_num, row
        except csv.Error as err:
            raise ConfigError(
                f"{path}, line {reader.line_num}: {err}; is a quotation mark not closed or doubled?"
            ) from err


def bounded_lines(path: Path, text: TextIO) -> Iterator[str]:
    """Lines of bounded length: a file without line ends would fill memory with its first."""
    number = 0
    while line := text.readline(_LARGEST_FIELD):
        number += 1
        if len(line) == _LARGEST_FIELD:
            raise ConfigError(f"{path}, line {number} has no end within {len(line):,} characters")
        yield line


@contextmanager
def large_fields() -> Iterator[None]:
    """Let the csv module read long fields within this block."""
    before = csv.field_size_limit(_LARGEST_FIELD)
    try:
        yield
    finally:
        csv.field_size_limit(before)


@large_fields()
def _sampled(sample: Sequence[str], delimiter: str) -> list[tuple[int, list[str]]]:
    reader = csv.reader(sample, delimiter=delimiter)
    rows = []
    # What was read before a fault is enough, and `rows_of` will say what is wrong.
    with suppress(csv.Error):
        for row in reader:
            rows.append((reader.line_num, row))
    return rows


def _check_names(path: Path, line: int, header: Sequence[str], shape: Shape) -> None:
    plain = [plain_name(name) for name in header]
    for names in shape.columns.values():
        for name in names:
            if plain.count(name) > 1:
                several = [raw for raw, p in zip(header, plain, strict=True) if p == name]
                if len(set(several)) < len(several):
                    raise ConfigError(
                        f"{path}, line {line}: column {several[0]!r} is there "
                        f"{len(several)} times; which one counts?"
                    )


def _money_values(shape: Shape, names: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    wanted = next((name for name in shape.columns.get("cost", ()) if name in names), None)
    if wanted is None:
        return []
    index = names.index(wanted)
    return [row[index].strip() for row in rows if index < len(row)]


def _widest(rows: Sequence[tuple[int, Sequence[str]]]) -> int:
    return max((len(row) for _, row in rows), default=0)


def _unknown(
    path: Path, rows: Sequence[tuple[int, Sequence[str]]], own: Mapping[str, str] | None
) -> str:
    if not rows:
        return f"{path} holds no rows"
    line, header = max(rows, key=lambda row: len(row[1]))
    there = {plain_name(name) for name in header}
    listed = ", ".join(repr(name) for name in header[:40])
    if own:
        missing = [name for name in own.values() if plain_name(name) not in there]
        if missing:
            return f"{path}, line {line}: no column {missing[0]!r}; there are {listed}"
    near = max(SHAPES, key=lambda shape: len(there & set(shape.marks)) / len(shape.marks))
    said = f"{path}, line {line}: no known bill has the columns {listed}"
    if there & set(near.marks):
        lacking = ", ".join(mark for mark in near.marks if mark not in there)
        if lacking:
            return f"{said}; for {near.name} it lacks {lacking}; {_HINT}"
    if there >= {"start time", "end time", "start time iso"}:
        return f"{said}; OpenAI exports this where nothing was used: choose days with usage"
    model = not any(name in there for name in PLAIN.columns["model"])
    lacking = "a column for the model" if model else "columns for cost or for tokens"
    return f"{said}; a table of one's own needs {lacking}; {_HINT}"


_HINT = "say what a column is with --column, as --column model=NAME --column cost=NAME"
