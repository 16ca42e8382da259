"""What is wrong with a data file: collected, grouped by reason, and told in one error."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from partbook.errors import ConfigError

__all__ = ["Offence", "refuse"]

MOST_REASONS = 20
"""Reasons that are written out; the rest is counted."""
MOST_PLACES = 8
"""Places that are written out for one reason."""


@dataclass(frozen=True, slots=True)
class Offence:
    """One row that cannot be used."""

    where: str
    """Its place: `line 7`."""
    reason: str


def refuse(path: Path | str, offences: Sequence[Offence], rows: int) -> None:
    """Raise one error for all offences; nothing where there are none.

    Args:
        path: the file, for the message.
        offences: in the order in which they were found.
        rows: how many rows were looked at.

    Raises:
        ConfigError: there are some.
    """
    if not offences:
        return
    places: dict[str, list[str]] = {}
    for offence in offences:
        places.setdefault(offence.reason, []).append(offence.where)
    lines = [f"  {_list(found)}: {reason}" for reason, found in places.items()]
    if len(lines) > MOST_REASONS:
        lines[MOST_REASONS:] = [f"  and {len(lines) - MOST_REASONS} more reasons"]
    wrong = len({offence.where for offence in offences})
    raise ConfigError(
        f"{path}: {wrong} of {rows} rows cannot be used, so none was:\n" + "\n".join(lines)
    )


def _list(places: Sequence[str]) -> str:
    shown = places[:MOST_PLACES]
    rest = len(places) - len(shown)
    kind = shown[0].split(" ")[0]
    if len(shown) > 1 and all(place.startswith(kind + " ") for place in shown):
        text = f"{kind}s {', '.join(place.split(' ', 1)[1] for place in shown)}"
    else:
        text = ", ".join(shown)
    return f"{text} and {rest} more" if rest else text
