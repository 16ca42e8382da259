"""Reads a data file row by row: JSON Lines, JSON, CSV, TSV, Parquet, and the first four gzipped.

A row that cannot be read becomes an offence with its place and the reason, and reading goes on, so
that a person can mend all of a file at once. What the columns mean is left to `columns.py` and to
the families. An encoding is never guessed: a wrong guess looks like text and is none. UTF-8 with or
without its mark and UTF-16 with its mark are read as they are; all others must be named.
"""

import csv
import gzip
import io
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from partbook.errors import ConfigError
from partbook.tasks.offences import Offence

__all__ = ["SUFFIXES", "Row", "is_data_file", "read_rows"]

SUFFIXES = (".jsonl", ".json", ".csv", ".tsv", ".parquet")
"""Endings of files that can be read; each but the last also with `.gz` after it."""

_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_MAX_WHOLE = 1 << 30
"""Bytes or characters of a file that has to be read in one piece: JSON, UTF-16."""
_MAX_LINE = 1 << 28
"""Bytes of one line: the longest rows of public data sets have a third of it."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row as it stands in the file."""

    where: str
    """Its place, for messages: `line 7`."""
    data: Mapping[str, object]


def is_data_file(path: Path) -> bool:
    """Whether the ending of a name is one that can be read."""
    return _suffix(path) in SUFFIXES


def read_rows(path: Path, encoding: str | None = None) -> Iterator[Row | Offence]:
    """The rows of a file, in order, with an offence in place of each that cannot be read.

    Args:
        path: the file.
        encoding: as Python names it, `cp949` for instance; None for UTF-8 or UTF-16 with its mark.

    Raises:
        ConfigError: the file cannot be read at all; says why and what to do.
    """
    suffix = _suffix(path)
    if suffix not in SUFFIXES:
        raise ConfigError(f"{path}: expected a file that ends in {', '.join(SUFFIXES)}")
    if suffix == ".parquet":
        # Imported here because it needs the optional packages; all other files do without them.
        from partbook.tasks.parquet import read_parquet  # noqa: PLC0415

        for i, data in enumerate(read_parquet(path), 1):
            yield Row(f"row {i}", data)
        return
    try:
        if path.suffix == ".gz":
            with gzip.open(path, "rb") as packed:
                yield from _read(packed, path, suffix, encoding)
        else:
            with path.open("rb") as file:
                yield from _read(file, path, suffix, encoding)
    except (OSError, EOFError, zlib.error) as err:
        raise ConfigError(f"cannot read {path}: {getattr(err, 'strerror', None) or err}") from err


def _suffix(path: Path) -> str:
    name = path.name.lower().removesuffix(".gz")
    return name[name.rfind(".") :] if "." in name else ""


def _read(
    file: IO[bytes] | gzip.GzipFile, path: Path, suffix: str, encoding: str | None
) -> Iterator[Row | Offence]:
    lines = _lines(file, path, encoding)
    if suffix == ".jsonl":
        yield from _json_lines(lines)
    elif suffix == ".json":
        yield from _json(lines, path)
    else:
        yield from _table(lines, path, "\t" if suffix == ".tsv" else None)


def _lines(
    file: IO[bytes] | gzip.GzipFile, path: Path, encoding: str | None
) -> Iterator[str | Offence]:
    """Decoded lines with their line ends; an offence for each that is in another encoding."""
    if encoding is not None and _name(encoding) in ("utf8", "utf8sig"):
        encoding = None
    first = file.readline(_MAX_LINE + 1)
    if encoding is None and first.startswith(_UTF16_MARKS):
        encoding = "utf-16"
    if encoding is not None and _name(encoding).startswith(("utf16", "utf32")):
        whole = first + file.read(_MAX_WHOLE)
        if file.read(1):
            raise _too_large(path)
        try:
            # Not `splitlines`: it also divides at marks that may stand inside a text.
            yield from io.StringIO(whole.decode(encoding).removeprefix("\ufeff"), newline="\n")
        except UnicodeDecodeError as err:
            raise ConfigError(f"{path}: not {encoding}: {err.reason} at byte {err.start}") from err
        return
    if encoding is None and b"\0" in first:
        raise ConfigError(
            f"{path}: it holds zero bytes, as UTF-16 without its mark does; save it as UTF-8, or "
            f"say --encoding utf-16-le"
        )
    number = 0
    line = first.removeprefix(b"\xef\xbb\xbf") if encoding is None else first
    while line:
        number += 1
        if len(line) > _MAX_LINE:
            # What follows may be as long again, so it is not looked for.
            yield Offence(f"line {number}", f"longer than {_MAX_LINE} bytes; reading stopped here")
            return
        try:
            yield line.decode(encoding or "utf-8")
        except UnicodeDecodeError as err:
            yield Offence(f"line {number}", _not_text(line, encoding or "utf-8", err))
        except (LookupError, UnicodeError) as err:
            raise ConfigError(f"{encoding!r} is no encoding of text; try utf-8 or cp949") from err
        line = file.readline(_MAX_LINE + 1)


def _too_large(path: Path) -> ConfigError:
    return ConfigError(
        f"{path}: it has to be read in one piece and is longer than {_MAX_WHOLE} bytes; save it as "
        "JSON Lines in UTF-8"
    )


def _name(encoding: str) -> str:
    return encoding.lower().replace("-", "").replace("_", "")


def _not_text(line: bytes, encoding: str, err: UnicodeDecodeError) -> str:
    reason = f"byte {err.start + 1} of the line (0x{line[err.start]:02x}) is not {encoding}"
    if encoding == "utf-8":
        try:
            korean = any("가" <= mark <= "힣" for mark in line.decode("cp949"))
        except UnicodeDecodeError:
            korean = False
        if korean:
            return f"{reason}; it reads as Korean CP949: save as UTF-8, or say --encoding cp949"
    return reason


def _json_lines(lines: Iterable[str | Offence]) -> Iterator[Row | Offence]:
    for number, line in enumerate(lines, 1):
        where = f"line {number}"
        if isinstance(line, Offence):
            yield line
        elif line.strip():
            try:
                data = json.loads(line)
            except json.JSONDecodeError as err:
                yield Offence(where, f"not JSON: {err.msg} at character {err.pos + 1}")
            except (RecursionError, ValueError) as err:
                yield Offence(where, f"not JSON: {err}")
            else:
                yield _row(where, data)


def _json(lines: Iterable[str | Offence], path: Path) -> Iterator[Row | Offence]:
    whole = []
    size = 0
    for line in lines:
        if isinstance(line, Offence):
            raise ConfigError(f"{path}: {line.where}: {line.reason}")
        size += len(line)
        if size > _MAX_WHOLE:
            raise _too_large(path)
        whole.append(line)
    try:
        data = json.loads("".join(whole))
    except (ValueError, RecursionError) as err:
        raise ConfigError(f"{path}: not JSON: {err}") from err
    if not isinstance(data, list):
        raise ConfigError(f"{path}: expected a list of objects, found {type(data).__name__}")
    for i, item in enumerate(data, 1):
        yield _row(f"item {i}", item)


def _row(where: str, data: object) -> Row | Offence:
    if not isinstance(data, dict):
        return Offence(where, f"expected an object, found {type(data).__name__}")
    return Row(where, data)


def _table(
    lines: Iterable[str | Offence], path: Path, delimiter: str | None
) -> Iterator[Row | Offence]:
    spoilt: list[Offence] = []
    source = _good(lines, spoilt)
    header = next(source, "")
    if spoilt:
        raise ConfigError(f"{path}: {spoilt[0].where}: {spoilt[0].reason}")
    mark = delimiter or max(",;\t", key=header.count)
    try:
        names = [name.strip() for name in next(csv.reader([header], delimiter=mark), [])]
    except csv.Error as err:
        raise ConfigError(f"{path}: line 1: not a table: {err}") from err
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ConfigError(f"{path}: line 1: two columns are named {twice[0]!r}")
    reader = csv.reader(source, delimiter=mark, strict=True)
    while True:
        where = f"line {reader.line_num + 2}"
        try:
            values = next(reader, None)
        except csv.Error as err:
            # After a quote that is never closed, nothing that follows can be trusted.
            yield Offence(where, f"not a table: {err}; reading stopped here")
            values = None
        yield from spoilt
        spoilt.clear()
        if values is None:
            return
        if any(value.strip() for value in values):
            yield _named(where, names, values)


def _good(lines: Iterable[str | Offence], spoilt: list[Offence]) -> Iterator[str]:
    """The lines that could be decoded; the others are put aside, with an empty line for each."""
    for line in lines:
        if isinstance(line, Offence):
            spoilt.append(line)
            yield "\n"
        else:
            yield line


def _named(where: str, names: Sequence[str], values: Sequence[str]) -> Row | Offence:
    if len(values) != len(names):
        return Offence(where, f"expected {len(names)} fields, found {len(values)}")
    return Row(where, dict(zip(names, values, strict=True)))
