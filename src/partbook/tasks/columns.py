"""Takes typed values out of a row, and says what is wrong with it where they are not there.

The names of columns are those of the published data sets. An error here has no place yet: the
loader adds the row.
"""

import ast
import difflib
import json
import math
import re
from collections.abc import Mapping

from partbook.errors import ConfigError

__all__ = ["optional", "required", "table", "texts", "whole"]

_MAX_LITERAL = 100_000
_HALF = re.compile("[\ud800-\udfff]")


def required(data: Mapping[str, object], *names: str) -> str:
    """The text under the first of the names that the row has; numbers are written as text.

    Raises:
        ConfigError: the column is missing, empty, or holds no text.
    """
    for name in names:
        if name in data:
            value = _text(name, data[name])
            if not value.strip():
                raise ConfigError(f"`{name}` is empty")
            return value
    near = difflib.get_close_matches(names[0], list(data), n=1)
    hint = f"did you mean `{near[0]}`?" if near else f"columns here: {', '.join(data) or 'none'}"
    wanted = " or ".join(f"`{name}`" for name in names)
    raise ConfigError(f"column {wanted} is missing; {hint}")


def optional(data: Mapping[str, object], name: str) -> str:
    """The text of a column; empty where it is missing or null.

    Raises:
        ConfigError: it holds no text.
    """
    value = data.get(name)
    return "" if value is None else _text(name, value)


def texts(data: Mapping[str, object], name: str) -> tuple[str, ...]:
    """The texts of a list; in a CSV field, a list is written as JSON or as Python writes it.

    Raises:
        ConfigError: the column is missing, or holds no list of texts.
    """
    if name not in data:
        required(data, name)
    value = data[name]
    if isinstance(value, str):
        value = _literal(name, value)
    if not isinstance(value, list | tuple):
        raise ConfigError(f"`{name}` must be a list, found {_kind(value)}")
    return tuple(_text(name, item) for item in value)


def whole(data: Mapping[str, object], name: str) -> int:
    """A whole number, also where it is written as text.

    Raises:
        ConfigError: the column is missing or holds something else.
    """
    text = required(data, name)
    try:
        return int(text)
    except ValueError as err:
        raise ConfigError(f"`{name}` must be a whole number, found {text[:40]!r}") from err


def table(data: Mapping[str, object], name: str) -> Mapping[str, object]:
    """The object under a column, also where it is written as JSON.

    Raises:
        ConfigError: the column is missing or holds something else.
    """
    if name not in data:
        required(data, name)
    value = data[name]
    if isinstance(value, str):
        value = _literal(name, value)
    if not isinstance(value, dict):
        raise ConfigError(f"`{name}` must be an object, found {_kind(value)}")
    return value


def _text(name: str, value: object) -> str:
    if isinstance(value, str):
        if not value.isascii() and (half := _HALF.search(value)):
            raise ConfigError(f"`{name}` holds {half[0]!a}, half of a character that is in no text")
        return value
    if isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(f"`{name}` is {value}, which stands for a value that is missing")
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise ConfigError(f"`{name}` must be text, found {_kind(value)}")


def _literal(name: str, text: str) -> object:
    if len(text) > _MAX_LITERAL:
        raise ConfigError(f"`{name}` is longer than {_MAX_LITERAL} characters")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError) as err:
        raise ConfigError(f"`{name}` must be a list or object, found {text[:40]!r}") from err


def _kind(value: object) -> str:
    names = {"NoneType": "nothing", "bool": "true or false", "dict": "an object", "list": "a list"}
    return names.get(type(value).__name__, type(value).__name__)
