"""Breaker: leaves a worker alone for a while after it has failed several times in a row.

While it is open, calls fail at once, without being made, so that fallbacks are asked and nobody
waits out time-outs one after the other. After the cool-down one call goes through; its end decides.
Which faults count stands in `retry.REACTIONS`: those of the worker do, those of the call do not.
"""

import time
from collections.abc import Callable, Sequence

from partbook.errors import WorkerError
from partbook.message import Completion, Message, Sampling, Usage
from partbook.model import ChatModel, OnText
from partbook.retry import REACTIONS

__all__ = ["COOL_DOWN_S", "FAILURES", "Breaker"]

FAILURES = 5
"""Faults in a row, without an answer between them, that open it."""

COOL_DOWN_S = 30.0
"""How long it stays open before one call is let through."""


class Breaker:
    """A ChatModel that is not called while it is known to be down."""

    def __init__(
        self,
        model: ChatModel,
        *,
        failures: int = FAILURES,
        cool_down_s: float = COOL_DOWN_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._model = model
        self._failures = failures
        self._cool_down_s = cool_down_s
        self._clock = clock
        self._in_a_row = 0
        self._open_until: float | None = None
        self._trying = False
        self._why = ""

    @property
    def is_open(self) -> bool:
        """Whether a call would fail at once."""
        return self._open_until is not None and (self._trying or self._clock() < self._open_until)

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        """Answer the last message.

        Raises:
            WorkerError: as the model does; kind `unavailable`: it was not called.
        """
        trial = False
        if self._open_until is not None:
            if self.is_open:
                raise WorkerError(
                    f"not called, it is left alone for {self._cool_down_s:g} s after: {self._why}",
                    usage=Usage(),
                    kind="unavailable",
                )
            trial = self._trying = True
        try:
            completion = await self._model.chat(messages, sampling, on_text)
        except WorkerError as err:
            self._note(err, trial)
            raise
        finally:
            # A trial that was cancelled decides nothing: the next call is one.
            if trial:
                self._trying = False
        self._in_a_row = 0
        self._open_until = None
        return completion

    def _note(self, err: WorkerError, trial: bool) -> None:
        trips = REACTIONS[err.kind].trips
        if trips == "no":
            if trial:  # it has answered, if only to say no
                self._in_a_row = 0
                self._open_until = None
            return
        self._in_a_row += 1
        if trial or trips == "at once" or self._in_a_row >= self._failures:
            self._open_until = self._clock() + self._cool_down_s
            self._why = str(err)
