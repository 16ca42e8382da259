"""Values between the tests' process and the program's, as JSON in frames.

Not pickle: whoever can write a pickle runs code where it is read, and the program must not run
anything in the tests' process. Plain data is copied, with its exact types; everything else stays
where it is and is named by a number.
"""

import importlib
import json
import os
from collections.abc import Callable
from typing import TypeAlias

__all__ = ["MOST_BYTES", "SEQUENCES", "Other", "pack", "receive", "send", "unpack"]

MOST_BYTES = 16 * 1024 * 1024
"""Of one frame."""
_EXACT = 1 << 62
"""Whole numbers from here on are written in hexadecimal: Python bounds decimal digits."""

Other: TypeAlias = Callable[[object], object]
"""What to do with a value that is no plain data, or with the mark of one."""

SEQUENCES: dict[str, type] = {kind.__name__: kind for kind in (list, tuple, set, frozenset)}
_TYPES: dict[str, type] = {
    kind.__name__: kind
    for kind in (bool, bytes, complex, dict, float, frozenset, int, list, object, set, str, tuple)
}
_PARTS: dict[str, Callable[..., list[object]]] = {
    "collections.Counter": lambda v: [dict(v)],
    "collections.OrderedDict": lambda v: [[list(item) for item in v.items()]],
    "collections.defaultdict": lambda v: [None, dict(v)],
    "collections.deque": lambda v: [list(v), v.maxlen],
    "datetime.date": lambda v: [v.year, v.month, v.day],
    "datetime.timedelta": lambda v: [v.days, v.seconds, v.microseconds],
    "decimal.Decimal": lambda v: [str(v)],
    "fractions.Fraction": lambda v: [v.numerator, v.denominator],
    "pathlib.PosixPath": lambda v: [str(v)],
}
"""Types that are copied, with the arguments that make an equal value."""


def pack(value: object, other: Other) -> object:
    """A value as JSON can hold it.

    Args:
        value: of any type.
        other: gives the mark of a value that is no plain data, a list.
    """
    kind = type(value)
    if value is None or kind in (bool, float, str):
        return value
    if isinstance(value, int) and kind is int:
        return value if -_EXACT < value < _EXACT else ["int", hex(value)]
    if isinstance(value, list | tuple | set | frozenset) and kind in SEQUENCES.values():
        return [kind.__name__, [pack(item, other) for item in value]]
    if isinstance(value, dict) and kind is dict:
        return ["dict", [[pack(k, other), pack(v, other)] for k, v in value.items()]]
    if isinstance(value, bytes | bytearray) and kind in (bytes, bytearray):
        return [kind.__name__, value.hex()]
    if isinstance(value, range | slice):
        return [kind.__name__, [pack(i, other) for i in (value.start, value.stop, value.step)]]
    if isinstance(value, complex) and kind is complex:
        return ["complex", value.real, value.imag]
    if isinstance(value, type) and value in _TYPES.values():
        return ["type", value.__name__]
    name = f"{kind.__module__}.{kind.__qualname__}"
    if name in _PARTS:
        return ["made", name, [pack(part, other) for part in _PARTS[name](value)]]
    return other(value)


def unpack(data: object, other: Other) -> object:
    """The value again; `data` may have been written by anybody.

    Args:
        data: what `pack` gave.
        other: gives the value that a mark stands for.

    Raises:
        ValueError, TypeError, and what the constructors of plain data raise: it is broken.
    """
    if not isinstance(data, list | dict):
        return data
    if isinstance(data, dict) or not data or not isinstance(data[0], str):
        raise ValueError("a value must be a list that starts with its kind")
    kind, *rest = data
    if kind in SEQUENCES:
        return SEQUENCES[kind]([unpack(item, other) for item in rest[0]])
    if kind == "dict":
        return {unpack(k, other): unpack(v, other) for k, v in rest[0]}
    if kind == "int":
        return int(rest[0], 16)
    if kind in ("bytes", "bytearray"):
        return (bytes if kind == "bytes" else bytearray).fromhex(rest[0])
    if kind in ("range", "slice"):
        ends = [unpack(i, other) for i in rest[0]]
        return slice(*ends) if kind == "slice" else range(*(int(str(end)) for end in ends))
    if kind == "complex":
        return complex(rest[0], rest[1])
    if kind == "type" and rest[0] in _TYPES:
        return _TYPES[rest[0]]
    if kind == "made" and rest[0] in _PARTS:
        module, _, name = rest[0].rpartition(".")
        made = getattr(importlib.import_module(module), name)
        return made(*(unpack(part, other) for part in rest[1]))
    return other(data)


def send(number: int, data: object) -> None:
    """Write one frame.

    Raises:
        ValueError: it cannot be written as JSON.
        OSError: nobody reads.
    """
    body = json.dumps(data).encode()
    rest = memoryview(b"%08x" % len(body) + body)
    while rest:
        rest = rest[os.write(number, rest) :]


def receive(number: int) -> object:
    """Read one frame and not a byte more.

    Raises:
        EOFError: there is none, or it was cut.
        ValueError: it is too long or no JSON.
        RecursionError: it is nested too deep.
    """
    size = int(_take(number, 8), 16)
    if not 0 <= size <= MOST_BYTES:
        raise ValueError(f"a frame of {size} bytes")
    data: object = json.loads(_take(number, size))
    return data


def _take(number: int, size: int) -> bytes:
    parts = []
    while size:
        part = os.read(number, min(size, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
