"""Reads from a GGUF file's head what it is.

Only whole numbers and short texts of the metadata are kept; the vocabulary and the weights are
passed over. The file is not trusted: it cannot make us read more than MAX_HEAD_BYTES. The format is
that of the GGUF specification, versions 2 and 3, little-endian.
"""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from partbook.errors import ConfigError

__all__ = ["gguf_facts"]

WHOLE = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 10: "Q", 11: "q"}
"""Types of whole numbers, as `struct` spells them."""

OTHER_BYTES = {6: 4, 7: 1, 12: 8}
"""Sizes of the other types of fixed size: float, bool, double."""

STRING, ARRAY = 8, 9

MAX_HEAD_BYTES = 64 * 2**20
"""Longest metadata; a vocabulary of 250,000 tokens with its merges takes about 12 MB."""

MAX_TEXT_BYTES = 200
"""Longer texts of the metadata (templates, licences) are passed over."""


def gguf_facts(path: Path) -> dict[str, int | str]:
    """The whole numbers and short texts of the metadata; of a list of numbers, the largest.

    Raises:
        ConfigError: the file cannot be read, or is no GGUF file.
    """
    try:
        with path.open("rb") as file:
            return dict(_facts(file))
    except OSError as error:
        raise ConfigError(f"cannot read the model {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise ConfigError(f"{path} is no GGUF file: {error}") from error


def _facts(file: BinaryIO) -> Iterator[tuple[str, int | str]]:
    if file.read(4) != b"GGUF":
        raise ValueError("it does not start with GGUF")
    _, _, entries = struct.unpack("<IQQ", _read(file, 20))
    for _ in range(entries):
        key = _text(file).decode(errors="replace")
        (kind,) = struct.unpack("<I", _read(file, 4))
        if kind in WHOLE:
            yield key, max(_numbers(file, kind, 1))
        elif kind == STRING:
            text = _text(file)
            if len(text) <= MAX_TEXT_BYTES:
                yield key, text.decode(errors="replace")
        elif kind == ARRAY:
            of, count = struct.unpack("<IQ", _read(file, 12))
            if of in WHOLE:
                yield key, max(_numbers(file, of, count), default=0)
            else:
                _skip(file, of, count)
        else:
            _skip(file, kind, 1)


def _numbers(file: BinaryIO, kind: int, count: int) -> Iterator[int]:
    """One after the other: as a tuple they would take many times the memory of their bytes."""
    form = f"<{WHOLE[kind]}"
    data = _read(file, count * struct.calcsize(form))
    return (number for (number,) in struct.iter_unpack(form, data))


def _skip(file: BinaryIO, kind: int, count: int) -> None:
    if kind == STRING:
        for _ in range(count):
            _text(file)
    elif kind in OTHER_BYTES:
        _read(file, count * OTHER_BYTES[kind])
    else:
        raise ValueError(f"unknown type {kind} in its metadata")


def _text(file: BinaryIO) -> bytes:
    (length,) = struct.unpack("<Q", _read(file, 8))
    return _read(file, length)


def _read(file: BinaryIO, length: int) -> bytes:
    """Exactly so many bytes, so that every loop over a made-up count comes to an end."""
    if file.tell() + length > MAX_HEAD_BYTES:
        raise ValueError(f"its metadata is longer than {MAX_HEAD_BYTES} bytes")
    data = file.read(length)
    if len(data) < length:
        raise ValueError("it ends within its metadata")
    return data
