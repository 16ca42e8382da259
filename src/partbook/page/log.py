"""EventLog: what happened in one run, as texts of JSON, in memory and bounded.

It is the buffer between a run and those who watch it: the run writes and never waits, a follower
reads from wherever it is. Pieces of text are put together, so that a fast worker makes some twenty
events a second and not thousands. Once the log is full, texts are left out and the log says so;
what the run comes to is told to the end.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from partbook.event import Event, ProposalText, StepText
from partbook.page.events_json import event_to_dict
from partbook.server.traces import without_keys
from partbook.spend_json import to_json

__all__ = ["MOST_CHARS", "EventLog"]

MOST_CHARS = 8_000_000
"""Longest log of one run, in characters of JSON, before texts are left out."""

_MERGE_S = 0.05
"""How long a piece of text waits for the next one."""

_MERGED_CHARS = 16_000
"""Pieces that are as long together do not wait."""

_CUT_CHARS = 2_000
"""What is left of each text in the events of a log that is full."""


class EventLog:
    """The log of one run. All methods are for the event loop, and none waits."""

    def __init__(self, clock: Callable[[], float], most_chars: int = MOST_CHARS) -> None:
        """Begin.

        Args:
            clock: seconds since the run began.
            most_chars: how long it may become before texts are left out.
        """
        self._clock = clock
        self._most_chars = most_chars
        self._lines: list[str] = []
        self._waiting: dict[tuple[str, int, int], list[str]] = {}
        """Pieces of text that are not in the log yet, by type, round and step."""
        self._last_s = 0.0
        """When the last of them came."""
        self._latest_s = 0.0
        """When the last event happened."""
        self._waiting_chars = 0
        self._timer: asyncio.TimerHandle | None = None
        self._followers: set[asyncio.Event] = set()
        self.chars = 0
        """How long it is."""
        self.is_cut = False
        """Whether texts were left out."""
        self.is_over = False
        """Whether nothing follows."""

    def add(self, event: Event) -> None:
        """Take the next event of the run."""
        match event:
            case StepText():
                self._text(("step_text", event.round, event.step), event.text)
            case ProposalText():
                self._text(("proposal_text", event.round, -1), event.text)
            case _:
                self._flush()
                self._append(event_to_dict(event, self._clock()))

    def end(self, run: dict[str, Any]) -> None:
        """Write the last event.

        Args:
            run: what the run came to.
        """
        self._flush()
        self._append({"type": "ended", "at_s": round(self._clock(), 4), "run": run})
        self.is_over = True
        self._rouse()

    def since(self, after: int, most_chars: int) -> list[str]:
        """The events after this number, as many as have about so many characters together.

        Events are numbered from 1. Where there is one, at least one is given.
        """
        found: list[str] = []
        chars = 0
        for line in self._lines[max(0, after) :]:
            found.append(line)
            chars += len(line)
            if chars >= most_chars:
                break
        return found

    @contextmanager
    def followed(self, wake: asyncio.Event) -> Iterator[None]:
        """Set the event whenever there is something new."""
        self._followers.add(wake)
        try:
            yield
        finally:
            self._followers.discard(wake)

    def _text(self, of: tuple[str, int, int], text: str) -> None:
        if self.is_cut:
            return
        self._waiting.setdefault(of, []).append(text)
        self._last_s = round(self._clock(), 4)
        self._waiting_chars += len(text)
        if self._waiting_chars >= _MERGED_CHARS:
            self._flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_MERGE_S, self._flush)

    def _flush(self) -> None:
        """Write the pieces of text that wait."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        waiting, self._waiting, self._waiting_chars = self._waiting, {}, 0
        for (kind, round_, step), pieces in waiting.items():
            data = {"type": kind, "at_s": self._last_s, "round": round_}
            data |= {"text": "".join(pieces)} | ({"step": step} if step >= 0 else {})
            self._append(data)

    def _append(self, told: dict[str, Any]) -> None:
        # Others than who asked may follow; a key that came in pieces is not recognised in these.
        data: dict[str, Any] = without_keys(told)
        # The run's own clock was started a moment apart from this one; time does not go back.
        self._latest_s = max(self._latest_s, data["at_s"])
        data["at_s"] = self._latest_s
        line = to_json(data)
        if not self.is_cut and self.chars + len(line) > self._most_chars:
            self.is_cut = True
            self._write(to_json({"type": "cut", "at_s": self._latest_s}))
        if self.is_cut:
            if data["type"] in ("step_text", "proposal_text"):
                return
            line = to_json(_cut(data))
        self._write(line)

    def _write(self, line: str) -> None:
        self._lines.append(line)
        self.chars += len(line)
        self._rouse()

    def _rouse(self) -> None:
        for wake in self._followers:
            wake.set()


def _cut(value: Any) -> Any:
    """JSON values with their long texts cut."""
    match value:
        case str() if len(value) > _CUT_CHARS:
            return f"{value[:_CUT_CHARS]} …"
        case dict():
            return {name: _cut(inner) for name, inner in value.items()}
        case list():
            return [_cut(inner) for inner in value]
    return value
