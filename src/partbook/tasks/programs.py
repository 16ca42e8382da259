"""What a program must pass: source that is run after it, or cases of input and output.

These are values; who runs them and says what they prove is the code judge. Cases stay packed until
they are asked for, because a contest problem can hold tens of megabytes of them.
"""

import ast
import base64
import json
import pickletools
import warnings
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from partbook.errors import ConfigError

__all__ = ["Case", "CaseTests", "SourceTests", "Tests", "check_python", "pack_cases"]

MAX_SOURCE = 1_000_000
"""Longer test source is refused, in characters."""
MAX_UNPACKED_BYTES = 1 << 30
"""Cases of one problem that unpack to more are refused: a small file can unpack to terabytes."""


_PICKLED_TEXT = frozenset(("UNICODE", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8"))
_PICKLE_FRAME = frozenset(("PROTO", "FRAME", "MEMOIZE", "PUT", "BINPUT", "LONG_BINPUT", "STOP"))


@dataclass(frozen=True, slots=True)
class Case:
    """One input with the output that belongs to it."""

    given: str
    """Standard input; for a function, one JSON value a line for each argument."""
    expected: str
    """Standard output; for a function, its result as JSON."""


@dataclass(frozen=True, slots=True)
class SourceTests:
    """Python source that raises where the program is wrong."""

    source: str
    """Runs after the program, in the same namespace."""
    before: str = ""
    """Runs before the program: imports that the tests and the program rely on."""
    entry_point: str = ""
    """The function or class that the program must define; empty where the source says it."""
    style: str = "asserts"
    """`asserts`: assert statements. `check`: defines `check(candidate)`, which must be called with
    the entry point. `unittest`: defines test cases, which must be run."""

    def __post_init__(self) -> None:
        """Refuse source that does not parse.

        Raises:
            ConfigError: says where.
        """
        check_python(self.source, "the tests")
        check_python(self.before, "the set-up of the tests")
        if not self.source.strip():
            raise ConfigError("the tests are blank")


@dataclass(frozen=True, slots=True)
class CaseTests:
    """Cases of input and output."""

    public: str
    """JSON: a list of objects with `input` and `output`. The question shows them as examples."""
    hidden: str = ""
    """The same, or the base64 of a zlib-compressed pickle of it, as LiveCodeBench packs it."""
    function: str = ""
    """The function to call; empty for a whole program that reads standard input."""

    def cases(self) -> tuple[Case, ...]:
        """All cases, the public ones first.

        Raises:
            ConfigError: they cannot be unpacked, or there are none.
        """
        unpacked = [case for part in (self.public, self.hidden) if part for case in _unpack(part)]
        if not unpacked:
            raise ConfigError("the tests are empty")
        return tuple(unpacked)


Tests = SourceTests | CaseTests


def pack_cases(cases: Sequence[Case], function: str = "") -> CaseTests:
    """Cases as one value."""
    rows = [{"input": case.given, "output": case.expected} for case in cases]
    return CaseTests(json.dumps(rows, ensure_ascii=False), function=function)


def check_python(source: str, what: str) -> None:
    """Make sure that source can be parsed; it is not run.

    Raises:
        ConfigError: it cannot; names the line.
    """
    if len(source) > MAX_SOURCE:
        raise ConfigError(f"{what} are longer than {MAX_SOURCE} characters")
    try:
        with warnings.catch_warnings():  # an odd escape in a string is not our business
            warnings.simplefilter("ignore")
            ast.parse(source)
    except SyntaxError as err:
        raise ConfigError(f"{what} are not Python: {err.msg} (line {err.lineno})") from err
    except (ValueError, RecursionError, MemoryError) as err:
        raise ConfigError(f"{what} are not Python: {err or type(err).__name__}") from err


def _unpack(packed: str) -> list[Case]:
    if not packed.lstrip().startswith("["):
        packed = _unpickle(packed)
    try:
        rows = json.loads(packed)
    except (ValueError, RecursionError) as err:
        raise ConfigError(f"the tests are not JSON: {err}") from err
    if not isinstance(rows, list):
        raise ConfigError(f"the tests must be a list of cases, found {type(rows).__name__}")
    return [_case(row, i) for i, row in enumerate(rows)]


def _case(row: object, i: int) -> Case:
    if isinstance(row, dict):
        given, expected = row.get("input"), row.get("output")
        if isinstance(given, str) and isinstance(expected, str):
            return Case(given, expected)
    raise ConfigError(f"test {i} must be an object with `input` and `output`, both text")


def _unpickle(packed: str) -> str:
    """The text in a packed pickle, which is read as data: nothing is unpickled."""
    try:
        squeezed = base64.b64decode(packed, validate=True)
        unzip = zlib.decompressobj()
        data = unzip.decompress(squeezed, MAX_UNPACKED_BYTES)
    except (ValueError, zlib.error) as err:
        raise ConfigError(f"the tests cannot be unpacked: {err}") from err
    if not unzip.eof:
        raise ConfigError("the tests are cut short, or unpack to more than 1 GiB")
    text: str | None = None
    try:
        for code, value, _ in pickletools.genops(data):
            if code.name in _PICKLED_TEXT and isinstance(value, str):
                text = value
            elif code.name not in _PICKLE_FRAME:
                raise ConfigError(f"the tests must unpack to text, found the code {code.name}")
    except ValueError as err:
        raise ConfigError(f"the tests cannot be unpacked: {err}") from err
    if text is None:
        raise ConfigError("the tests unpack to nothing")
    return text
