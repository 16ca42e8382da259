"""Ends a run in its middle, as `kill -9` ends a process, with what a journal has kept of it."""

from partbook.event import Event, OnEvent
from partbook.trace import TraceBuilder

__all__ = ["Killed", "killed_after"]


class Killed(BaseException):
    """The process ends here."""


def killed_after(times: int, kind: type[object] = object) -> tuple[TraceBuilder, OnEvent]:
    """What is kept of a run, and its journal, which ends the process before it keeps more.

    Args:
        times: so many events of the kind are kept, and all before the last of them.
        kind: any event, if nothing else is said.
    """
    kept, seen = TraceBuilder(), 0

    def journal(event: Event) -> None:
        nonlocal seen
        if seen == times:
            raise Killed
        kept.add(event)
        seen += isinstance(event, kind)

    return kept, journal
