"""Reads a TOML file key by key, and says exactly what is wrong with it.

Every value is asked for with its type; whatever was not asked for is refused with the nearest known
key. Errors name the file and the place in it.

A file may come from anybody, so what could hold up or break the reader is bounded: its size, the
parts of a key (which `tomllib` reads in quadratic time), how deep it is nested, the size of its
numbers, and how much of a wrong value is quoted.
"""

import difflib
import re
import reprlib
import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TypeVar, overload

from partbook.errors import ConfigError

__all__ = ["Table", "read_toml"]

T = TypeVar("T")
K = TypeVar("K", bound=str)

MOST_BYTES = 1 << 20
"""Longest file."""

_DEEP_KEY = re.compile(
    r"""(?m)(?:^|[\[{,])[ \t]*(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){64}"""
)
"""Where a key can begin, 64 parts of one; in a text of such words it is taken for a key, too."""

_INTEGERS = range(-(1 << 63), 1 << 63)
"""Those of TOML: https://toml.io/en/v1.0.0#integer."""

_MOST_QUOTED = 80

_short = reprlib.Repr()
_short.maxstring = _short.maxother = _MOST_QUOTED

_NAMES = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


def read_toml(path: Path) -> "Table":
    """The top table of a file.

    Raises:
        ConfigError: the file cannot be read, is too large, not UTF-8 or not TOML.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(MOST_BYTES + 1)
        if len(raw) > MOST_BYTES:
            raise ConfigError(f"{path}: a file of at most {MOST_BYTES} bytes was expected")
        text = raw.decode("utf-8")
        if _DEEP_KEY.search(text):
            raise ConfigError(f"{path}: a key with more than 64 parts is no key of ours")
        data = tomllib.loads(text)
    except OSError as err:
        raise ConfigError(f"cannot read {path}: {err.strerror or err}") from err
    except UnicodeDecodeError as err:
        raise ConfigError(f"{path}: UTF-8 was expected, byte {err.start} is not") from err
    except tomllib.TOMLDecodeError as err:
        raise ConfigError(f"{path}: not TOML: {err}") from err
    except RecursionError as err:
        raise ConfigError(f"{path}: nested too deep") from err
    except ValueError as err:
        raise ConfigError(f"{path}: a number has too many digits") from err
    return Table(data, str(path))


class Table:
    """A TOML table whose keys are taken one by one; `done` refuses the rest."""

    def __init__(self, data: Mapping[str, object], where: str) -> None:
        self.where = where
        """File and place, for messages."""
        self._data = dict(data)
        self._known: list[str] = []

    @overload
    def take(self, key: str, kind: type[T]) -> T: ...
    @overload
    def take(self, key: str, kind: type[T], default: None) -> T | None: ...
    @overload
    def take(self, key: str, kind: type[T], default: T) -> T: ...

    def take(self, key: str, kind: type[T], default: object = ...) -> T | object | None:
        """The value of a key.

        Args:
            key: its name.
            kind: `str`, `int`, `float` (takes whole numbers too) or `bool`.
            default: what an absent key means; without it the key must be there.

        Raises:
            ConfigError: the key is missing, or its value is of another type.
        """
        self._known.append(key)
        if key not in self._data:
            if default is ...:
                raise ConfigError(f"{self.where}: `{key}` is missing")
            return default
        value = self._data.pop(key)
        if type(value) is int and value not in _INTEGERS:
            raise ConfigError(f"{self.where}: `{key}` must be a number of at most 64 bits")
        if kind is float and type(value) is int:
            value = float(value)
        if type(value) is not kind:
            raise ConfigError(
                f"{self.where}: `{key}` must be {_NAMES[kind]}, found {_quoted(value)}"
            )
        return value

    def take_one_of(self, key: str, known: Collection[K], default: K) -> K:
        """The value of a key that is one of these names.

        Raises:
            ConfigError: it is another one, or no text.
        """
        name = self.take(key, str, default)
        found = next((one for one in known if one == name), None)
        if found is None:
            raise ConfigError(
                f"{self.where}: `{key}` must be one of {', '.join(known)}; found {name!r}"
            )
        return found

    def take_list(self, key: str, kind: type[T]) -> tuple[T, ...]:
        """The values of a key that holds a list; empty where it is absent."""
        self._known.append(key)
        values = self._data.pop(key, [])
        if not isinstance(values, list) or any(type(value) is not kind for value in values):
            raise ConfigError(
                f"{self.where}: `{key}` must be a list, each item {_NAMES[kind]}; found "
                f"{_quoted(values)}"
            )
        return tuple(values)

    def take_table(self, key: str) -> "Table | None":
        """The table under a key; None where it is absent."""
        self._known.append(key)
        value = self._data.pop(key, None)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise ConfigError(f"{self.where}: `{key}` must be a table, found {_quoted(value)}")
        return Table(value, f"{self.where}: {key}")

    def take_tables(self, key: str) -> "list[Table]":
        """The tables of an array `[[key]]`; empty where it is absent."""
        self._known.append(key)
        values = self._data.pop(key, [])
        if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
            raise ConfigError(f"{self.where}: `{key}` must be an array of tables [[{key}]]")
        return [Table(value, f"{self.where}: {key}[{i}]") for i, value in enumerate(values)]

    def done(self) -> None:
        """Refuse the keys that nobody asked for.

        Raises:
            ConfigError: names the first of them, and the nearest key that is known here.
        """
        for key in self._data:
            near = difflib.get_close_matches(key[:_MOST_QUOTED], self._known, n=1)
            hint = f"did you mean `{near[0]}`?" if near else f"known here: {', '.join(self._known)}"
            shown = key if key.isprintable() and len(key) <= _MOST_QUOTED else _short.repr(key)
            raise ConfigError(f"{self.where}: unknown key `{shown}`; {hint}")


def _quoted(value: object) -> str:
    """A wrong value as a message quotes it."""
    try:
        return _short.repr(value)
    except ValueError:  # a whole number with more digits than Python writes
        return "a very long number"
