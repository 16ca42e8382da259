"""Server-sent events: bytes in, events out; no I/O.

Only what chat streams use: comments, `id` and `retry` are passed over, reconnecting is nobody's
business here. Format: https://html.spec.whatwg.org/multipage/server-sent-events.html.
"""

from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["SseDecoder", "SseEvent"]


class SseEvent(NamedTuple):
    """One event of a stream."""

    name: str
    """Its type; empty where none is given."""
    data: str


class SseDecoder:
    """Reads server-sent events from bytes that are cut anywhere, inside a character too."""

    def __init__(self) -> None:
        self._rest = bytearray()  # of a line whose end has not arrived
        self._after_cr = False  # a line feed would be the second half of CRLF
        self._at_start = True
        self._name = b""
        self._data: list[bytes] = []

    def feed(self, data: bytes) -> list[SseEvent]:
        """Take the next bytes.

        Returns:
            The events that are complete with them.
        """
        if self._after_cr and data:
            self._after_cr = False
            data = data.removeprefix(b"\n")
        if not data:
            return []
        self._after_cr = data.endswith(b"\r")
        if b"\n" not in data and b"\r" not in data:
            self._rest += data
            return []
        lines = (self._rest + data).splitlines()
        self._rest = bytearray() if data.endswith((b"\n", b"\r")) else lines.pop()
        return self._events(lines)

    def close(self) -> list[SseEvent]:
        """The event that the end of the stream completes: some servers omit the last empty line."""
        last, self._rest = self._rest, bytearray()
        return self._events([last, bytearray()])

    def _events(self, lines: Iterable[bytearray]) -> list[SseEvent]:
        events = []
        for line in lines:
            if self._at_start:
                line = line.removeprefix(b"\xef\xbb\xbf")
                self._at_start = False
            if not line:
                if self._data:
                    data = b"\n".join(self._data).decode("utf-8", "replace")
                    events.append(SseEvent(self._name.decode("utf-8", "replace"), data))
                self._name, self._data = b"", []
                continue
            field, _, value = line.partition(b":")
            if field == b"data":
                self._data.append(bytes(value.removeprefix(b" ")))
            elif field == b"event":
                self._name = bytes(value.removeprefix(b" "))
        return events
