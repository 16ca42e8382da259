"""Budget: one limit per request over every internal call, reserved before and settled after.

The worst case of a call (its prompt and its token limit, at the dearest price that can apply) is
reserved before it is made, and what it really cost replaces it afterwards, exactly once. Reserving
happens without a pause in between, so calls that run at the same time cannot exceed a limit
together. Where a provider breaks its promise (more tokens than were allowed), all of it is booked
and the next calls are refused. Seconds are not counted here: `conduct` sets a deadline.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from partbook.errors import BudgetError, ConfigError, WorkerError
from partbook.message import Completion, Message, Sampling, Usage
from partbook.model import ChatModel, OnText
from partbook.price import EXACT, Price
from partbook.spend_json import money

__all__ = ["Budget", "Budgeted", "Limits", "Reservation", "prompt_bound", "worst_case"]

_NOTHING = Decimal(0)

_TOKENS_PER_MESSAGE = 16
"""Upper bound of what a chat template adds to one message."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may spend at most; None: no limit."""

    usd: Decimal | None = None
    calls: int | None = None
    """Calls of the Conductor and of workers, tools included."""
    tokens: int | None = None
    """Prompt and completion tokens of all calls."""
    timeout_s: float | None = None
    assumed_price: Price | None = None
    """What a worker without a known price is taken to cost at most, for these limits alone: what
    its calls cost stays unknown. None: a limit in dollars then refuses such a worker."""
    rounds: int = 1
    """Most rounds, at least 1; 1 is no recursion."""

    def __post_init__(self) -> None:
        if self.rounds < 1:
            raise ConfigError(f"a limit of at least 1 round was expected, found {self.rounds}")
        if self.usd is not None and not (self.usd.is_finite() and self.usd >= 0):
            raise ConfigError(f"a limit of 0 dollars or more was expected, found {self.usd}")
        for what, value in (
            ("calls", self.calls),
            ("tokens", self.tokens),
            ("seconds", self.timeout_s),
        ):
            if value is not None and not value >= 0:
                raise ConfigError(f"a limit of 0 {what} or more was expected, found {value}")


@dataclass(slots=True)
class Reservation:
    """The worst case of one call, held until it is settled."""

    tokens: int
    usd: Decimal
    settled: bool = False


@dataclass(slots=True)
class Budget:
    """What is spent and what is reserved, against the limits of one request."""

    limits: Limits = field(default_factory=Limits)
    calls: int = 0
    tokens: int = 0
    """Spent and reserved tokens."""
    usd: Decimal = Decimal(0)
    """Spent and reserved dollars."""

    def left_s(self, seconds: float) -> float:
        """Seconds until the limit on time, after so many; infinite where there is none."""
        limit_s = self.limits.timeout_s
        return math.inf if limit_s is None else limit_s - seconds

    def reserve(self, tokens: int, usd: Decimal | None) -> Reservation:
        """Hold the worst case of a call that is about to be made.

        Args:
            tokens: prompt and completion at most.
            usd: price at most; None where the price is unknown.

        Raises:
            BudgetError: a limit would be exceeded; nothing was reserved.
            ConfigError: there is a limit in dollars and the price is unknown.
        """
        limits = self.limits
        if limits.usd is not None and usd is None:
            raise ConfigError(
                "a limit in dollars needs the price of every worker; give the pool's worker a "
                "`price`, say a worst case with --assume-price, or leave --max-usd away"
            )
        cost = _NOTHING if usd is None else usd
        if limits.calls is not None and self.calls + 1 > limits.calls:
            raise BudgetError(f"the limit of {limits.calls} calls is reached", limit="calls")
        if limits.tokens is not None and self.tokens + tokens > limits.tokens:
            raise BudgetError(
                f"the next call may take {tokens} tokens, {limits.tokens - self.tokens} of "
                f"{limits.tokens} are left",
                limit="tokens",
            )
        usd_after = EXACT.add(self.usd, cost)
        if limits.usd is not None and usd_after > limits.usd:
            raise BudgetError(
                f"the next call may cost ${money(cost)}, "
                f"${money(EXACT.subtract(limits.usd, self.usd))} of ${money(limits.usd)} are left",
                limit="usd",
            )
        self.calls += 1
        self.tokens += tokens
        self.usd = usd_after
        return Reservation(tokens, cost)

    def book(self, tokens: int, usd: Decimal | None, calls: int = 0) -> None:
        """Count what was spent before this budget began, within its limits or not."""
        self.calls += calls
        self.tokens += tokens
        if usd is not None:
            self.usd = EXACT.add(self.usd, usd)

    def settle(
        self,
        reservation: Reservation,
        tokens: int | None,
        usd: Decimal | None,
        *,
        called: bool = True,
    ) -> None:
        """Put what a call really took in the place of its reservation.

        Args:
            reservation: what was held for it.
            tokens: prompt and completion, 0 or more; None leaves the worst case standing: unknown
                is not free.
            usd: its price, 0 or more; None likewise.
            called: whether anybody was asked; a kept answer does not count as a call.

        Raises:
            ValueError: the reservation is settled already, or the call gave something back.
        """
        if reservation.settled:
            raise ValueError("a call is settled once")
        if (tokens is not None and tokens < 0) or (usd is not None and usd < 0):
            raise ValueError(f"a call takes 0 or more, not {tokens} tokens and ${usd}")
        reservation.settled = True
        if not called:
            self.calls -= 1
        if tokens is not None:
            self.tokens += tokens - reservation.tokens
        if usd is not None:
            self.usd = EXACT.add(self.usd, EXACT.subtract(usd, reservation.usd))


def prompt_bound(messages: Sequence[Message]) -> int:
    """Most tokens that these messages can be: a byte is at least a part of a token.

    >>> prompt_bound([Message("user", "Grüße")])
    23
    """
    return sum(
        len(message.text.encode(errors="replace"))
        + len(message.tool_calls)
        + len(message.tool_call_id)
        + _TOKENS_PER_MESSAGE
        for message in messages
    )


def worst_case(
    messages: Sequence[Message], sampling: Sampling, price: Price | None
) -> tuple[int, Decimal | None]:
    """Most tokens and dollars of one call; None where the price is unknown.

    Beside its messages, a prompt holds the user's tools and the form that is wanted.
    """
    told = (sampling.tools or "") + (sampling.response_format or "")
    prompt = prompt_bound(messages) + len(told.encode(errors="replace"))
    usd = None if price is None else price.worst_usd(prompt, sampling.max_tokens)
    return prompt + sampling.max_tokens, usd


@dataclass(slots=True)
class Budgeted:
    """A ChatModel whose every call is reserved and settled."""

    model: ChatModel
    budget: Budget
    price: Price | None
    is_tool: bool = False
    """A tool takes no tokens; its calls are counted."""

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        """As `ChatModel.chat`.

        Raises:
            BudgetError: a limit would be exceeded; no call was made.
        """
        reservation = self.budget.reserve(*self._worst_case(messages, sampling))
        usage: Usage | None = None
        called = True
        try:
            completion = await self.model.chat(messages, sampling, on_text)
            usage, called = completion.usage, not completion.cached
        except WorkerError as err:
            usage, called = err.usage, err.kind != "unavailable"
            raise
        finally:
            # A cancelled call keeps its worst case: the provider may bill it in full.
            tokens = None if usage is None else usage.total_tokens
            self.budget.settle(reservation, tokens, self._cost_usd(usage), called=called)
        return completion

    def _cost_usd(self, usage: Usage | None) -> Decimal | None:
        limits = self.budget.limits
        price = self.price or limits.assumed_price
        if usage is None or price is None or (limits.tokens is None and limits.usd is None):
            return None  # unknown, or nothing is counted
        return price.cost_usd(usage)

    def _worst_case(
        self, messages: Sequence[Message], sampling: Sampling
    ) -> tuple[int, Decimal | None]:
        limits = self.budget.limits
        if self.is_tool or (limits.tokens is None and limits.usd is None):
            return 0, _NOTHING  # that such a call could exceed
        return worst_case(messages, sampling, self.price or limits.assumed_price)
