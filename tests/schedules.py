"""Adversarial schedules for a budget: virtual time, scripted faults, and a ledger of its own.

A schedule runs in an event loop whose clock jumps to the next timer, so hours of waiting take no
time and the same schedule always runs the same way. A loop that waits for nothing at all is a hang
and fails the test.
"""

import asyncio
import math
import selectors
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, TypeVar

from partbook.budget import Budget, Reservation, prompt_bound
from partbook.errors import FaultKind, WorkerError
from partbook.message import Completion, Message, Sampling, Usage
from partbook.model import OnText
from partbook.price import Price
from tests.cut_short import Killed

T = TypeVar("T")

Kind = Literal[
    "answers", "says_nothing_of_usage", "blank", "fails_free", "fails_billed", "fails_late",
    "crashes", "hangs", "was_kept", "left_alone", "overruns",
]  # fmt: skip


class _JumpingSelector(selectors.SelectSelector):
    """Waits for nobody: time jumps."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise AssertionError("everything waits for something that will never happen")
        # Beyond the moment waited for, if only by one float: asyncio takes a timer for due up to
        # a nanosecond later, which after some months is less than a float can tell, and then a
        # clock that stands still would wait for ever.
        self.now = math.nextafter(self.now + max(timeout, 0.0), math.inf)
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop in virtual time."""

    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now


def in_virtual_time(main: Coroutine[Any, Any, T]) -> T:
    """What comes of it, in an event loop of its own."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)


@dataclass(frozen=True)
class Call:
    """What the provider does with one call."""

    kind: Kind
    delay: int
    """Virtual seconds until it ends."""
    prompt: int
    """Quarters of the prompt's bound that are really read, 0 to 4."""
    cached: int
    """Quarters of them that were cached, 0 to 4."""
    completion: int
    """Quarters of the token limit that are really written, 0 to 4."""
    fault: FaultKind = "server"
    """What kind of failure it is, where it fails."""
    retry_after_s: float | None = None
    cut: bool = False
    """Whether an answer ends at the token limit."""

    def usage(self, messages: Sequence[Message], sampling: Sampling) -> Usage:
        """What the provider bills."""
        if self.kind in ("fails_free", "was_kept", "left_alone"):
            return Usage()
        prompt = prompt_bound(messages) * self.prompt // 4
        completion = sampling.max_tokens * self.completion // 4
        if self.kind == "overruns":
            completion = sampling.max_tokens * (self.completion + 1) + 1
        return Usage(prompt, completion, prompt * self.cached // 4)


@dataclass
class World:
    """The providers, who do what the schedule says, and what they really bill."""

    calls: Sequence[Call]
    """Taken in the order in which calls arrive; the last one stands for all later ones."""
    arrived: int = 0
    asked: int = 0
    """Calls that reached a provider."""
    billed_tokens: int = 0
    billed_usd: Fraction = Fraction(0)
    excess_tokens: int = 0
    """What was written beyond the token limits."""
    secret_tokens: int = 0
    """The part of it that nobody was told about: those calls were cancelled."""
    excess_usd: Fraction = Fraction(0)
    is_dead: bool = False
    """Whether the process was killed: nobody is asked any more."""

    def next_call(self) -> Call:
        call = self.calls[min(self.arrived, len(self.calls) - 1)]
        self.arrived += 1
        self.asked += call.kind not in ("was_kept", "left_alone")
        return call

    def bill(self, usage: Usage, sampling: Sampling, price: Price | None) -> None:
        over = max(usage.completion_tokens - sampling.max_tokens, 0)
        self.billed_tokens += usage.total_tokens
        self.excess_tokens += over
        if price is not None:
            self.billed_usd += Fraction(price.cost_usd(usage))
            self.excess_usd += Fraction(price.worst_usd(0, over))


@dataclass
class Provider:
    """A ChatModel of this world."""

    world: World
    price: Price | None
    text: str = "an answer"

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        if self.world.is_dead:
            raise Killed
        call = self.world.next_call()
        usage = call.usage(messages, sampling)
        # Billed on arrival, whatever the caller gets to see of it.
        self.world.bill(usage, sampling, self.price)
        over = max(usage.completion_tokens - sampling.max_tokens, 0)
        self.world.secret_tokens += over
        await asyncio.sleep(10**6 if call.kind == "hangs" else call.delay)
        self.world.secret_tokens -= over
        match call.kind:
            case "blank":
                return Completion("  ", usage)
            case "says_nothing_of_usage":
                return Completion(self.text, None)
            case "fails_free" | "fails_billed":
                raise WorkerError(
                    "it failed", usage=usage, kind=call.fault, retry_after_s=call.retry_after_s
                )
            case "was_kept":
                return Completion(self.text, usage, cached=True)
            case "left_alone":
                raise WorkerError("it is left alone", usage=usage, kind="unavailable")
            case "fails_late":
                raise WorkerError("it broke", usage=None, kind=call.fault)
            case "crashes":
                raise RuntimeError("a bug")
            case _:
                return Completion(self.text, usage, finish_reason="length" if call.cut else "stop")


@dataclass
class Watched(Budget):
    """A budget that is checked against a ledger of its own after every movement."""

    open: dict[int, Reservation] = field(default_factory=dict)
    settled: int = 0
    granted: int = 0
    uncalled: int = 0
    """Settled without anybody having been asked."""
    ledger_tokens: int = 0
    ledger_usd: Fraction = Fraction(0)
    world: World | None = None

    def reserve(self, tokens: int, usd: Decimal | None) -> Reservation:
        before = (self.calls, self.tokens, self.usd)
        try:
            held = super().reserve(tokens, usd)
        except BaseException:
            assert (self.calls, self.tokens, self.usd) == before, "a refusal reserves nothing"
            raise
        assert held.tokens == tokens >= 0
        assert held.usd == (usd or 0) >= 0
        self._check_limits()
        self.granted += 1
        self.open[id(held)] = held
        self._check_sums()
        return held

    def settle(
        self,
        reservation: Reservation,
        tokens: int | None,
        usd: Decimal | None,
        *,
        called: bool = True,
    ) -> None:
        assert self.open.pop(id(reservation)) is reservation, "settled once, and only what is held"
        super().settle(reservation, tokens, usd, called=called)
        self.settled += 1
        self.uncalled += not called
        self.ledger_tokens += reservation.tokens if tokens is None else tokens
        self.ledger_usd += Fraction(reservation.usd if usd is None else usd)
        if self.world is None or self.world.excess_tokens == 0:
            self._check_limits()
        self._check_sums()

    def _check_limits(self) -> None:
        limits = self.limits
        assert limits.calls is None or self.calls <= limits.calls
        assert limits.tokens is None or self.tokens <= limits.tokens
        assert limits.usd is None or self.usd <= limits.usd

    def _check_sums(self) -> None:
        """Spent and reserved are the sums of what was settled and of what is open."""
        assert self.calls == self.granted - self.uncalled
        assert self.tokens == self.ledger_tokens + sum(r.tokens for r in self.open.values())
        held = sum(Fraction(r.usd) for r in self.open.values())
        assert Fraction(self.usd) == self.ledger_usd + held
