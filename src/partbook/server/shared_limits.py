"""What a pool file allows of a worker at an endpoint, held by all servers on one store together.

The same two limits as in a server alone: so many calls in flight, and so many requests and tokens
in any minute. What is in the way is waited for: a server asks again, and sooner when a call of its
own ends. Callers of one server come in by their order; between servers, whoever asks first.

What a call leaves behind is written by one task in the background, together with what other calls
left, so a call waits for the store once. A server that dies takes its calls in flight with it after
`LEASE_S`; what it asked for in a minute was asked for, and counts until the minute is over.
"""

import asyncio
import logging
import random
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from partbook.errors import StoreError, WorkerError
from partbook.message import Completion, Message, Sampling, Usage
from partbook.model import ChatModel, OnText
from partbook.models.breaker import Breaker
from partbook.models.paced import worst_tokens
from partbook.pool import WorkerSpec
from partbook.store.counting import LEASE_S, MINUTE_S, Counting, Gate

__all__ = ["SharedLimits"]

log = logging.getLogger(__name__)

_RENEW_S = LEASE_S / 3
"""How often it is said that calls are still in flight."""

_FIRST_WAIT_S = 0.02
_LONGEST_WAIT_S = 0.5
"""How long to wait before asking again; twice as long each time."""


class SharedLimits:
    """The limits of the workers of one pool; they hold while `alive` does."""

    def __init__(self, counting: Counting, pool: str) -> None:
        self._counting = counting
        self._pool = pool
        self._doors: list[_Door] = []
        self._wake = asyncio.Event()

    def guarded(self, spec: WorkerSpec, model: ChatModel) -> ChatModel:
        """The model behind its limits, and its breaker between them, as in a server alone."""
        name = f"{self._pool}/{spec.name} {spec.endpoint}#{spec.model}"
        requests, tokens = spec.requests_per_minute, spec.tokens_per_minute
        if requests is not None or tokens is not None:
            model = _Paced(model, self._door(Gate(f"{name} minute", requests, tokens, MINUTE_S)))
        return _Limited(Breaker(model), self._door(Gate(f"{name} now", spec.max_concurrency)))

    def _door(self, gate: Gate) -> "_Door":
        self._doors.append(_Door(self._counting, gate, self._wake))
        return self._doors[-1]

    @asynccontextmanager
    async def alive(self) -> AsyncIterator[None]:
        """Write what calls leave behind, and let nobody think that those in flight are dead."""
        keeping = asyncio.create_task(self._keep())
        try:
            yield
        finally:
            keeping.cancel()
            await asyncio.wait([keeping])
            for door in self._doors:
                await door.close()

    async def _keep(self) -> None:
        loop = asyncio.get_running_loop()
        renew_at = loop.time() + _RENEW_S
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(renew_at):
                    await self._wake.wait()
            self._wake.clear()
            for door in self._doors:
                await door.write()
            if loop.time() >= renew_at:
                renew_at = loop.time() + _RENEW_S
                for door in self._doors:
                    await door.renew()


@dataclass(slots=True)
class _Door:
    """A gate as the calls of this process see it.

    One task asks for all that wait, so that under load one transaction lets many in.
    """

    counting: Counting
    gate: Gate
    wake: asyncio.Event
    """Set where there is something to write."""
    _waiting: deque[tuple[int, "asyncio.Future[str]"]] = field(default_factory=deque)
    _asking: "asyncio.Task[None] | None" = None
    _inside: set[str] = field(default_factory=set)
    """Ids of calls in flight."""
    _left: set[str] = field(default_factory=set)
    """Calls that are over and count no longer, once it is written."""
    _took: dict[str, int] = field(default_factory=dict)
    """Tokens of calls that are over and go on to count."""
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def enter(self, tokens: int = 0) -> str:
        """Wait until there is room for a call; its id.

        Raises:
            StoreError: the store cannot be asked.
        """
        loop = asyncio.get_running_loop()
        place: asyncio.Future[str] = loop.create_future()
        self._waiting.append((tokens, place))
        if self._asking is None or self._asking.done():
            self._asking = loop.create_task(self._ask())
        try:
            return await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled() and place.exception() is None:
                self.leave(place.result())  # it was let in when its caller had just gone
            raise

    async def _ask(self) -> None:
        """Ask until all that wait have been let in."""
        pause_s = _FIRST_WAIT_S
        while waiting := [each for each in self._waiting if not each[1].done()]:
            self._waiting = deque(waiting)
            self._changed.clear()
            try:
                tokens = [each[0] for each in waiting]
                entry = await asyncio.to_thread(self.counting.enter, self.gate, tokens)
            except StoreError as err:
                for _, place in waiting:
                    if not place.done():
                        place.set_exception(err)
                continue
            for call_id, (_, place) in zip(entry.call_ids, waiting, strict=False):
                self._inside.add(call_id)
                if place.done():
                    self.leave(call_id)
                else:
                    place.set_result(call_id)
            if len(entry.call_ids) < len(waiting):
                pause_s = _FIRST_WAIT_S if entry.call_ids else min(2 * pause_s, _LONGEST_WAIT_S)
                await self._wait(min(pause_s, entry.wait_s) * random.uniform(0.5, 1))

    async def _wait(self, longest_s: float) -> None:
        """Wait until a call of this process has left, but no longer than this."""
        with suppress(TimeoutError):
            async with asyncio.timeout(longest_s):
                await self._changed.wait()

    def leave(self, call_id: str) -> None:
        """A call counts no longer."""
        self._inside.discard(call_id)
        self._left.add(call_id)
        self.wake.set()

    def settle(self, call_id: str, tokens: int | None) -> None:
        """A call is over, and took so many tokens; None: nobody knows, its worst case counts."""
        self._inside.discard(call_id)
        if tokens is not None:
            self._took[call_id] = tokens
            self.wake.set()

    async def write(self) -> None:
        """Write what calls have left behind; what cannot be written waits for the next time."""
        left, took = set(self._left), dict(self._took)
        if not left and not took:
            return
        try:
            await asyncio.to_thread(self._write, sorted(left), took)
        except StoreError as err:
            log.error("calls that are over cannot be written: %s", err)
            return
        self._left -= left
        for call_id in took:
            del self._took[call_id]
        self._changed.set()

    def _write(self, left: Sequence[str], took: Mapping[str, int]) -> None:
        if left:
            self.counting.leave(self.gate, left)
        if took:
            self.counting.settle(self.gate, took)

    async def renew(self) -> None:
        """Say that calls are still in flight; those of a minute count by themselves."""
        if not self._inside or self.gate.counts_s != LEASE_S:
            return
        try:
            await asyncio.to_thread(self.counting.renew, self.gate, sorted(self._inside))
        except StoreError as err:
            log.error("calls in flight cannot be written: %s", err)

    async def close(self) -> None:
        """Let nobody in any more, and write the rest."""
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.wait([self._asking])
        await self.write()


@dataclass(frozen=True, slots=True)
class _Limited:
    """A ChatModel whose calls wait until fewer are in flight."""

    model: ChatModel
    door: _Door

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        """Answer the last message, once there is room for the call."""
        call_id = await self.door.enter()
        try:
            return await self.model.chat(messages, sampling, on_text)
        finally:
            self.door.leave(call_id)


@dataclass(frozen=True, slots=True)
class _Paced:
    """A ChatModel whose calls wait until they fit into the minute."""

    model: ChatModel
    door: _Door

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        """Answer the last message, once there is room for the call."""
        most = self.door.gate.tokens
        call_id = await self.door.enter(
            0 if most is None else worst_tokens(messages, sampling, most)
        )
        usage: Usage | None = None
        try:
            completion = await self.model.chat(messages, sampling, on_text)
            usage = completion.usage
            return completion
        except WorkerError as err:
            usage = err.usage
            raise
        finally:
            took = None if usage is None or most is None else usage.total_tokens
            self.door.settle(call_id, took)
