"""From bytes to text: which encoding a bill has, found by reading all of it once.

An export is UTF-8 unless a spreadsheet has saved it: then it may begin with a mark, be UTF-16, or
have the encoding of a Korean Windows. A file is read in pieces, so its size does not matter.
"""

import codecs
from pathlib import Path
from typing import TextIO

from partbook.errors import ConfigError

__all__ = ["encoding_of", "is_json", "open_text"]

_PIECE = 1 << 20
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_OTHER = (
    (b"PK\x03\x04", "an Excel workbook or a ZIP file; save it as CSV, or unpack it"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook; save it as CSV"),
    (b"\x1f\x8b", "a gzip file; unpack it"),
    (b"%PDF", "a PDF file; export the usage as CSV instead"),
    (b"PAR1", "a Parquet file; export it as CSV"),
    (b"SQLite format 3", "a database; name Partbook's own store with --store"),
)


def encoding_of(path: Path) -> str:
    """The name of a file's encoding.

    Returns:
        `utf-8`, `utf-8-sig`, `utf-16`, `utf-16-le`, `utf-16-be` or `cp949`.

    Raises:
        ConfigError: it cannot be read, is no text, or has none of these encodings; the message
            says at which line the text ends.
    """
    try:
        with path.open("rb") as file:
            head = file.read(4096)
    except OSError as err:
        raise ConfigError(f"cannot read {path}: {err.strerror or err}") from err
    if not head.strip():
        raise ConfigError(f"{path} is empty")
    for start, what in _OTHER:
        if head.startswith(start):
            raise ConfigError(f"{path} is {what}")
    tried = [name for mark, name in _MARKS if head.startswith(mark)] or _by_zeros(head)
    places = []
    for name in tried or ["utf-8", "cp949"]:
        place = _broken_at(path, name)
        if place is None:
            return name
        places.append(place)
    raise ConfigError(
        f"{path}, line {max(places)}: this is text of none of the encodings UTF-8, UTF-16 and "
        "CP949; save the file as UTF-8"
    )


def open_text(path: Path, encoding: str) -> TextIO:
    """The file's text; line ends are left as they are."""
    return path.open(encoding=encoding, newline="")


def is_json(path: Path, encoding: str) -> bool:
    """Whether a file begins as JSON does; else it is taken for a table."""
    with open_text(path, encoding) as text:
        return text.read(4096).lstrip("\ufeff \t\r\n").startswith(("{", "["))


def _by_zeros(head: bytes) -> list[str]:
    """UTF-16 without a mark: every other byte of its ASCII part is 0."""
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if max(even, odd) * 4 < len(head):
        return []
    return ["utf-16-le" if odd > even else "utf-16-be"]


def _broken_at(path: Path, encoding: str) -> int | None:
    """The line from which on a file is not in this encoding; None: all of it is."""
    decoder = codecs.getincrementaldecoder(encoding)()
    line = 1
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            try:
                line += decoder.decode(piece).count("\n")
            except UnicodeDecodeError as err:
                return line + err.object[: err.start].count(b"\n")
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return line
    return None
