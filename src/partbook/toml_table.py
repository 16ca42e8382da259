"""Reads a TOML file key by key, and says exactly what is wrong with it.

Every value is asked for with its type; whatever was not asked for is refused with the nearest known
key. Errors name the file and the place in it.
"""

import difflib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar, overload

from partbook.errors import ConfigError

__all__ = ["Table", "read_toml"]

T = TypeVar("T")

_NAMES = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


def read_toml(path: Path) -> "Table":
    """The top table of a file.

    Raises:
        ConfigError: the file cannot be read, is not UTF-8 or not TOML.
    """
    try:
        data = tomllib.loads(path.read_bytes().decode("utf-8"))
    except OSError as err:
        raise ConfigError(f"cannot read {path}: {err.strerror or err}") from err
    except UnicodeDecodeError as err:
        raise ConfigError(f"{path}: UTF-8 was expected, byte {err.start} is not") from err
    except tomllib.TOMLDecodeError as err:
        raise ConfigError(f"{path}: not TOML: {err}") from err
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
        if kind is float and type(value) is int:
            value = float(value)
        if type(value) is not kind:
            raise ConfigError(f"{self.where}: `{key}` must be {_NAMES[kind]}, found {value!r}")
        return value

    def take_list(self, key: str, kind: type[T]) -> tuple[T, ...]:
        """The values of a key that holds a list; empty where it is absent."""
        self._known.append(key)
        values = self._data.pop(key, [])
        if not isinstance(values, list) or any(type(value) is not kind for value in values):
            raise ConfigError(
                f"{self.where}: `{key}` must be a list, each item {_NAMES[kind]}; found {values!r}"
            )
        return tuple(values)

    def take_table(self, key: str) -> "Table | None":
        """The table under a key; None where it is absent."""
        self._known.append(key)
        value = self._data.pop(key, None)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise ConfigError(f"{self.where}: `{key}` must be a table, found {value!r}")
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
            near = difflib.get_close_matches(key, self._known, n=1)
            hint = f"did you mean `{near[0]}`?" if near else f"known here: {', '.join(self._known)}"
            raise ConfigError(f"{self.where}: unknown key `{key}`; {hint}")
