"""Fields: the fields of a request's body, taken one by one, each checked as it is taken.

What nobody has taken in the end is known to nobody: the caller refuses it, or says so. A field that
is null is a field that is not there, as clients send the nulls of earlier replies back.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from partbook.server.refusal import bad_request

__all__ = ["Fields", "parsed"]


def parsed(body: bytes) -> dict[str, Any]:
    """The JSON object in a body.

    Raises:
        Refusal: it holds something else.
    """
    try:
        # NaN and Infinity are no JSON, whatever Python thinks of them.
        data = json.loads(body, parse_constant=_no_constant)
    except (ValueError, RecursionError) as err:
        raise bad_request(f"the body is no JSON: {err}", None, "invalid_json") from None
    if not isinstance(data, dict):
        found = type(data).__name__
        raise bad_request(f"a JSON object was expected, found {found}", None, "invalid_json")
    return data


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")


class Fields:
    """Each method takes the field of a name; None: it is not there.

    All of them raise `Refusal` where a field is not what it should be.
    """

    def __init__(self, body: Mapping[str, Any]) -> None:
        self._left = {name: value for name, value in body.items() if value is not None}

    def raw(self, name: str) -> Any:
        """Whatever it is."""
        return self._left.pop(name, None)

    def text(self, name: str, most_chars: int = 1_000_000) -> str | None:
        """A text."""
        value = self.raw(name)
        if value is None or (isinstance(value, str) and len(value) <= most_chars):
            return value
        raise _unexpected(name, f"a text of at most {most_chars} characters", value)

    def flag(self, name: str) -> bool | None:
        """True or false."""
        value = self.raw(name)
        if value is None or isinstance(value, bool):
            return value
        raise _unexpected(name, "true or false", value)

    def integer(self, name: str, least: int, most: int) -> int | None:
        """An integer in this range, both ends included; 3.0 is one, as in JSON Schema."""
        value = self.raw(name)
        if type(value) is float and value.is_integer():
            value = int(value)
        if value is None or (type(value) is int and least <= value <= most):
            return value
        raise _unexpected(name, f"an integer from {least} to {most}", value)

    def number(self, name: str, least: float, most: float) -> float | None:
        """A number in this range, both ends included."""
        value = self.raw(name)
        if value is None:
            return None
        if type(value) in (int, float) and least <= value <= most:
            return float(value)
        raise _unexpected(name, f"a number from {least:g} to {most:g}", value)

    def texts(self, name: str, most: int) -> tuple[str, ...]:
        """A text or a list of them; an empty tuple where there is none."""
        value = self.raw(name)
        if value is None:
            return ()
        values: Sequence[Any] = [value] if isinstance(value, str) else value
        is_list = isinstance(values, list) and len(values) <= most
        if is_list and all(isinstance(item, str) and item for item in values):
            return tuple(values)
        raise _unexpected(name, f"a text or a list of at most {most} texts", value)

    def table(self, name: str) -> dict[str, Any] | None:
        """A JSON object."""
        value = self.raw(name)
        if value is None or isinstance(value, dict):
            return value
        raise _unexpected(name, "an object", value)

    def left(self) -> dict[str, Any]:
        """What was not taken."""
        return dict(self._left)


def _unexpected(name: str, expected: str, found: object) -> Exception:
    shown = json.dumps(found, ensure_ascii=True)[:80] if _is_flat(found) else type(found).__name__
    return bad_request(f"{name}: expected {expected}, found {shown}", name, "invalid_value")


def _is_flat(value: object) -> bool:
    return isinstance(value, str | int | float | bool)
