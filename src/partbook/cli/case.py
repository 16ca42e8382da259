"""The case that `judge` and `price` read from standard input: one JSON object, of any origin."""

import json
from collections.abc import Mapping
from typing import Any

import typer

from partbook.errors import ConfigError

__all__ = ["read_case"]

_MOST_BYTES = 16_000_000


def read_case() -> Mapping[str, Any]:
    """The object on standard input.

    Raises:
        ConfigError: it is something else, too long, or nested too deeply.
    """
    data = typer.get_binary_stream("stdin").read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise ConfigError(f"standard input: a case has at most {_MOST_BYTES} bytes")
    try:
        case = json.loads(data)
    except (ValueError, RecursionError) as err:
        raise ConfigError(f"standard input holds no JSON object: {err}") from err
    if not isinstance(case, dict):
        raise ConfigError(f"standard input must hold a JSON object; found {type(case).__name__}")
    return case
