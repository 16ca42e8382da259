"""Asks: the runs that were begun from the page, and what happens in them.

A run goes on whether anybody watches or not, until it is over, stopped, or the server ends. It is
admitted, paid for, counted and kept as a request of the API is. Its log stays in memory: that of
the latest runs, within a bound, so that a page that is loaded again shows all of it.
"""

import asyncio
import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from partbook.errors import StoreError
from partbook.event import Event, RunStarted
from partbook.page.ask_request import AskRequest
from partbook.page.log import EventLog
from partbook.page.summary import summary_of, summary_to_dict
from partbook.server.admission import Holder
from partbook.server.metered import Ear
from partbook.server.metrics import Metrics
from partbook.server.orchestra import play_orchestra
from partbook.server.refusal import Refusal, not_now
from partbook.server.reply import entries_of
from partbook.server.running import Running
from partbook.server.served import Served
from partbook.store.listing import RunRow
from partbook.trace import Trace, TraceBuilder

__all__ = ["MOST_ASKS", "Ask", "Asks"]

log = logging.getLogger(__name__)

MOST_ASKS = 200
"""How many runs stay in memory, and how many go on at once; one that goes on is never let go of."""

_MOST_CHARS = 128_000_000
"""How long their logs may be together before the oldest are let go of."""


@dataclass(slots=True)
class Ask:
    """One run that was begun from the page. It hears the run's events."""

    key_id: str
    """Whose it is."""
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once it has its id, or has ended without one."""
    builder: TraceBuilder = field(default_factory=TraceBuilder)
    task: asyncio.Task[None] | None = None
    whole: tuple[Trace, RunRow] | None = None
    """What it came to; None: it goes on."""
    log: EventLog = field(init=False)
    _begun_at: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.log = EventLog(lambda: time.monotonic() - self._begun_at)

    @property
    def run_id(self) -> str:
        """Its id; empty before it has begun."""
        return "" if self.builder.started is None else self.builder.started.run_id

    @property
    def trace(self) -> Trace:
        """What has happened so far."""
        return self.builder.build() if self.whole is None else self.whole[0]

    @property
    def row(self) -> RunRow:
        """It as a line of a list."""
        return summary_of(self.trace, "running") if self.whole is None else self.whole[1]

    def add(self, event: Event) -> None:
        """Take the next event."""
        if isinstance(event, RunStarted):
            self._begun_at = time.monotonic()
        self.builder.add(event)
        self.log.add(event)
        if self.run_id:
            self.begun.set()

    def stop(self) -> None:
        """End it now; what it did so far stays."""
        if self.task is not None:
            self.task.cancel()


class Asks:
    """The runs of the page, the oldest first."""

    def __init__(
        self,
        served: Served,
        running: Running,
        metrics: Metrics,
        most: int,
    ) -> None:
        """Begin with none.

        Args:
            served: what is played, and where it is kept.
            running: the server's; it ends them when the server ends.
            metrics: the server's.
            most: how many stay.
        """
        self._served = served
        self._running = running
        self._metrics = metrics
        self._most = most
        self._asks: dict[str, Ask] = {}

    def __iter__(self) -> Iterator[Ask]:
        return iter(list(self._asks.values()))

    def get(self, run_id: str) -> Ask | None:
        """The run of this id; None: it is not in memory."""
        return self._asks.get(run_id)

    async def begin(self, request: AskRequest, holder: Holder) -> Ask:
        """Begin a run; it has its id when this returns.

        Raises:
            Refusal: the server or the page has too much to do, or the server ends.
        """
        self._running.check()
        if sum(not ask.log.is_over for ask in self._asks.values()) >= self._most:
            told = f"{self._most} runs of the page go on; come back"
            raise not_now(told, "server_busy", retry_after_s=1)
        ask = Ask(holder.key_id)
        ask.task = self._running.start(self._play(ask, request, holder))
        ask.task.add_done_callback(_note_bug)
        await ask.begun.wait()
        if not ask.run_id:
            raise Refusal("the run did not begin", status=500, kind="server_error")
        self._asks[ask.run_id] = ask
        self._let_go()
        return ask

    async def _play(self, ask: Ask, request: AskRequest, holder: Holder) -> None:
        ear, account = Ear(), holder.account
        try:
            await play_orchestra(
                request.offer, request.pool, request.asked, request.limits, account, ear, ask
            )
        except (Refusal, StoreError):
            pass  # why there is no answer stands in the run's own events
        finally:
            ask.begun.set()
            if ask.run_id:
                self._end(ask)
            await asyncio.shield(holder.settle())

    def _end(self, ask: Ask) -> None:
        trace = ask.trace
        self._metrics.spent(entries_of(trace))
        if self._served.keep is not None:
            self._served.keep(trace)
        row = summary_of(trace)
        ask.whole = trace, row
        ask.log.end(summary_to_dict(row))

    def _let_go(self) -> None:
        """Forget the oldest that are over, until the others are few and small enough."""
        chars = sum(ask.log.chars for ask in self._asks.values())
        for ask in list(self._asks.values()):
            if len(self._asks) <= self._most and chars <= _MOST_CHARS:
                return
            if ask.log.is_over:
                del self._asks[ask.run_id]
                chars -= ask.log.chars


def _note_bug(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (bug := task.exception()) is not None:
        log.error("a run of the page failed", exc_info=bug)
