"""Shadow: a share of live requests also goes to another system, once the client has its answer.

Nothing of it is in a reply, and nothing of it waits for or fails a live request: a request is
offered after its reply was sent, into a queue that drops what does not fit. It has a budget of its
own and pauses until the next day of UTC when that is spent. One request is played at a time. Where
a model in this process would be shared, the shadow gives way: it begins only while nobody live is
answered, and is cut off as soon as somebody comes.

How the pairs are counted, and when it ends, is left to `evaluate/shadowing/shadow.py`.
"""

import asyncio
import hashlib
import logging
import time
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from partbook.errors import StoreError
from partbook.evaluate.shadowing.shadow import Pair, Took
from partbook.evaluate.shadowing.shadow_journal import ShadowJournal
from partbook.server.account import Account
from partbook.server.chat_request import ChatRequest
from partbook.server.job import Job
from partbook.server.running import Running
from partbook.server.served import Served
from partbook.server.shadow_play import Played, Rival, play_shadow, took_of
from partbook.spend_json import money

__all__ = ["Shadow", "is_drawn"]

log = logging.getLogger(__name__)

MOST_WAITING = 100
"""Requests that wait to be played; one more is dropped."""

MOST_CHARS = 40_000
"""Of a question with its answer. A longer one is not taken: it would fill memory and windows."""

MOST_TRIES = 3
"""How often one request is begun that has to give way."""


def is_drawn(run_id: str, seed: int, rate: float) -> bool:
    """Whether a run belongs to the share: by a hash, so that no restart draws anew.

    >>> sum(is_drawn(f"run-{i}", 0, 0.25) for i in range(1000))
    247
    """
    found = hashlib.sha256(f"{seed}:{run_id}".encode()).digest()
    return int.from_bytes(found[:8], "big") < rate * 2**64


@dataclass(slots=True)
class _Waiting:
    asked: ChatRequest
    answer: str
    run_id: str
    live: Took
    workers: frozenset[str] | None
    tries: int = 0
    held_usd: Decimal = Decimal(0)


class Shadow:
    """Takes a share of what is answered, and plays it once more."""

    def __init__(
        self,
        served: Served,
        rival: Rival,
        journal: ShadowJournal,
        rate: float,
        usd_per_day: Decimal,
    ) -> None:
        """Prepare it; `alive` makes it work.

        Args:
            served: what is served.
            rival: who answers once more, and who judges.
            journal: of the experiment.
            rate: share of the requests that may be taken, 0 to 1.
            usd_per_day: what all of it may cost in a day of UTC.
        """
        self._served = served
        self._rival = rival
        self._journal = journal
        self._rate = rate
        self._account = Account(usd_per_day)
        today = self._account.today()
        spent = journal.tally.days.get(today.isoformat(), Decimal(0))
        self._account.begin(today, spent, spent)
        self._running: Running | None = None
        self._queue: deque[_Waiting] = deque()
        self._wake = asyncio.Event()
        self._current: asyncio.Task[Played] | None = None
        self._skipped: Counter[str] = Counter()
        self._taken = 0
        self._paused_on = ""
        self._ended = ""

    def watch(self, running: Running) -> None:
        """Know who is being answered."""
        self._running = running
        running.watchers.append(self._changed)

    def consider(self, job: Job) -> None:
        """Take a request that was answered, if it is drawn; quick, and never fails."""
        reply = job.reply
        if reply is None or self._ended or self._journal.tally.stopped:
            return
        why = self._against(job)
        if why:
            self._skipped[why] += 1
            return
        if not is_drawn(reply.run_id, self._journal.experiment.seed, self._rate):
            return
        if self._is_paused():
            self._skipped["budget"] += 1
        elif len(self._queue) >= MOST_WAITING:
            self._skipped["queue full"] += 1
        else:
            self._taken += 1
            took = took_of(reply.ledger, reply.seconds)
            answer = reply.answers[0].text
            self._queue.append(_Waiting(job.asked, answer, reply.run_id, took, job.holder.workers))
            self._wake.set()

    @asynccontextmanager
    async def alive(self) -> AsyncIterator[None]:
        """Work until the context is left; what runs then is cancelled."""
        task = asyncio.get_running_loop().create_task(self._work())
        task.add_done_callback(self._note_end)
        try:
            yield
        finally:
            self.stop()
            task.cancel()
            await asyncio.wait({task})
            self._journal.close()

    def stop(self) -> None:
        """Play no more: the server is about to end."""
        self._ended = self._ended or "the server ends"
        self._queue.clear()
        if self._current is not None:
            self._current.cancel()

    def to_dict(self) -> dict[str, Any]:
        """How it stands; no word of a prompt."""
        return {
            "state": self._state(),
            "why": self._ended or None,
            "rate": self._rate,
            "usd_per_day": money(self._account.usd_per_day),
            "usd_today": money(self._account.budgets()[0].usd),
            "taken": self._taken,
            "waiting": len(self._queue),
            "skipped": dict(sorted(self._skipped.items())),
            **self._journal.tally.to_dict(),
        }

    def metrics_text(self) -> str:
        """Lines in Prometheus' text format."""
        tally = self._journal.tally
        lines = [
            "# HELP partbook_shadow_pairs_total Requests played by the shadow, by outcome.",
            "# TYPE partbook_shadow_pairs_total counter",
        ]
        for outcome, count in sorted(tally.outcomes.items()):
            name = outcome.replace(" ", "_")
            lines.append(f'partbook_shadow_pairs_total{{outcome="{name}"}} {count}')
        lines += ["# HELP partbook_shadow_skipped_total Requests that it did not take, by reason.",
                  "# TYPE partbook_shadow_skipped_total counter"]  # fmt: skip
        for why, count in sorted(self._skipped.items()):
            name = why.replace(" ", "_")
            lines.append(f'partbook_shadow_skipped_total{{reason="{name}"}} {count}')
        for name, about, value in (
            ("waiting", "Requests that wait for the shadow.", len(self._queue)),
            ("usd_today", "Dollars of today's budget, held or spent.",
             self._account.budgets()[0].usd),
            ("e_value", "Evidence against equally good systems.", f"{tally.evidence:.6g}"),
        ):  # fmt: skip
            lines.append(f"# HELP partbook_shadow_{name} {about}")
            lines.append(f"# TYPE partbook_shadow_{name} gauge")
            lines.append(f"partbook_shadow_{name} {value}")
        return "\n".join(lines) + "\n"

    def _state(self) -> str:
        if self._journal.tally.stopped:
            return "stopped"
        if self._ended:
            return "ended"
        return "paused" if self._is_paused() else "running"

    def _against(self, job: Job) -> str:
        """Why a request is not one to compare; empty: it is."""
        asked, reply = job.asked, job.reply
        assert reply is not None
        if job.offer.model != self._served.pin:
            return "another model"
        messages = asked.conversation.messages
        if asked.wishes.tools or any(m.tool_calls or m.role == "tool" for m in messages):
            return "tools"
        if asked.n > 1 or len(reply.answers) != 1:
            return "several choices"
        answer = reply.answers[0]
        if answer.finish_reason != "stop" or not answer.text.strip():
            return "no whole answer"
        if sum(len(m.text) for m in messages) + len(answer.text) > MOST_CHARS:
            return "too long"
        workers = job.holder.workers
        if workers is not None and not self._rival.names <= workers:
            return "key"
        return ""

    def _is_paused(self) -> bool:
        return self._paused_on == self._account.today().isoformat()

    def _is_busy(self) -> bool:
        return self._running is not None and len(self._running) > 0

    def _changed(self) -> None:
        """Somebody live has come or gone."""
        if self._rival.gives_way:
            if self._is_busy() and self._current is not None:
                self._current.cancel()
            self._wake.set()

    async def _work(self) -> None:
        while True:
            waiting = await self._next()
            waiting.tries += 1
            before = self._account.budgets()[0]
            usd = before.usd
            work = play_shadow(
                self._served, self._rival, waiting.asked, waiting.answer, waiting.workers,
                self._account,
            )  # fmt: skip
            self._current = asyncio.get_running_loop().create_task(work)
            try:
                await asyncio.wait({self._current})
            finally:
                if not self._current.done():  # this task itself was cancelled
                    self._current.cancel()
                    await asyncio.wait({self._current})
                after = self._account.budgets()[0]
                waiting.held_usd += after.usd - (usd if after is before else Decimal(0))
                self._settle(waiting, self._current)
                self._current = None

    async def _next(self) -> _Waiting:
        while True:
            self._wake.clear()
            if self._is_paused():
                self._skipped["budget"] += len(self._queue)
                self._queue.clear()
            may = not (self._rival.gives_way and self._is_busy())
            if self._queue and may and not self._journal.tally.stopped:
                return self._queue.popleft()
            await self._wake.wait()

    def _settle(self, waiting: _Waiting, task: asyncio.Task[Played]) -> None:
        """Keep what came of it; what had to give way may wait once more."""
        if task.cancelled():
            if waiting.tries < MOST_TRIES and not self._ended:
                self._queue.appendleft(waiting)
                return
            why = "the server ended" if self._ended else "gave way"
            played = Played("given up", why=why)
        else:
            played = task.result()
        if played.is_budget_spent:
            self._paused_on = self._account.today().isoformat()
        kept = None
        if self._served.keep is not None:
            question = waiting.asked.conversation.question
            kept = {"question": question, "live": waiting.answer, "rival": played.answer}
        pair = Pair(
            waiting.run_id, time.time(), played.outcome, waiting.live, played.rival, played.judge,
            played.torn, max(Decimal(0), waiting.held_usd), played.why, kept,
        )  # fmt: skip
        try:
            self._journal.add(pair)
        except StoreError as err:
            # What is spent could not be known after a restart, so nothing more is spent.
            log.error("the shadow ends: %s", err)
            self._ended = str(err)

    def _note_end(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (bug := task.exception()) is not None:
            log.error("the shadow ends by a bug", exc_info=bug)
            self._ended = f"a bug: {type(bug).__name__}"
