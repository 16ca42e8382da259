"""Account: what a key may spend in a day and in a month, kept exactly however many requests run.

The worst case of every call is reserved before it is made, against the day and the month at once,
and what it really cost replaces it. So requests of one key that run at the same time cannot exceed
its limits together. Of a key with a limit, the reservation is also in the store before the call is
made, in one transaction with what other servers on the same store have reserved; what this process
knows of them is only what it saw then. `Metered` does so around a model; it also remembers the last
failure, for the status that a client gets.
"""

import asyncio
import datetime
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Protocol

from partbook.budget import Budget, Limits, Reservation, extras_bound, prompt_bound
from partbook.errors import BudgetError, ConfigError, StoreError, WorkerError
from partbook.message import Completion, Message, Sampling
from partbook.model import ChatModel, OnText
from partbook.pool import Price
from partbook.server.refusal import Refusal
from partbook.store.api_keys import Spent

__all__ = ["Account", "Book", "Ear", "Metered"]

Today = Callable[[], datetime.date]


def _utc_today() -> datetime.date:
    return datetime.datetime.now(datetime.UTC).date()


class Book(Protocol):
    """What the store has of a key, for all servers; may block."""

    def __call__(
        self, day: str, usd: Decimal, requests: int, within: tuple[Decimal | None, Decimal | None]
    ) -> tuple[Spent, bool]:
        """As `ApiKeys.spend` of the key."""
        ...


_Held = list[tuple[Budget, Reservation]]


@dataclass(slots=True)
class Account:
    """The spending of one key, in UTC days and months."""

    usd_per_day: Decimal | None = None
    """None: no limit."""
    usd_per_month: Decimal | None = None
    today: Today = _utc_today
    book: Book | None = None
    """None: there is no other server, and nothing is written."""
    _day: datetime.date | None = None
    _day_budget: Budget = field(default_factory=Budget)
    _month_budget: Budget = field(default_factory=Budget)
    _known: Decimal = Decimal(0)
    """What the store has of the day, as this process saw it last."""
    _telling: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def is_limited(self) -> bool:
        """Whether there is a limit at all."""
        return self.usd_per_day is not None or self.usd_per_month is not None

    def begin(self, day: datetime.date, spent_today: Decimal, spent_this_month: Decimal) -> None:
        """Start with what was spent before this process began."""
        self._day = day
        self._day_budget = Budget(Limits(self.usd_per_day), usd=spent_today)
        self._month_budget = Budget(Limits(self.usd_per_month), usd=spent_this_month)
        self._known = spent_today

    def budgets(self) -> tuple[Budget, Budget]:
        """Those of the day and of the month that it is."""
        day = self.today()
        if self._day != day:
            same_month = self._day is not None and self._day.replace(day=1) == day.replace(day=1)
            self.begin(day, Decimal(0), self._month_budget.usd if same_month else Decimal(0))
        return self._day_budget, self._month_budget

    async def hold(self, usd: Decimal | None) -> _Held:
        """Reserve the worst case of a call, here and in the store.

        Args:
            usd: price at most; None where the price is unknown.

        Raises:
            BudgetError: the key has too little left; nothing is reserved.
            ConfigError: the key has a limit and the price is unknown.
            StoreError: the store could not be written; nothing is reserved.
        """
        try:
            held = self._hold(usd)
        except BudgetError:
            if self.book is None:
                raise
            await self.tell()  # other servers may have let go of something
            held = self._hold(usd)
        if self.book is None or not self.is_limited:
            return held
        try:
            if not await self.tell(within_limits=True):
                raise BudgetError("other servers have reserved what was left", limit="usd")
        except BaseException:
            _let_go(held)
            raise
        return held

    async def tell(self, requests: int = 0, *, within_limits: bool = False) -> bool:
        """Write what is news, and take in what other servers have written.

        Args:
            requests: how many came to their end.
            within_limits: whether news that exceed a limit are not written.

        Returns:
            Whether the news were written.

        Raises:
            StoreError: the store could not be written.
        """
        # A caller that is cancelled does not know whether it was written; this goes on and does.
        told = asyncio.get_running_loop().create_task(self._tell(requests, within_limits))
        found = await asyncio.shield(told)
        if isinstance(found, StoreError):
            raise found
        return found

    async def _tell(self, requests: int, within_limits: bool) -> bool | StoreError:
        if self.book is None:
            return True
        async with self._telling:
            today, _ = self.budgets()
            day, news = self.today(), today.usd - self._known
            self._known += news
            within = (self.usd_per_day, self.usd_per_month) if within_limits else (None, None)
            try:
                spent, is_written = await asyncio.to_thread(
                    self.book, day.isoformat(), news, requests, within
                )
            except StoreError as err:
                if self._day == day:
                    self._known -= news
                return err
            if self._day == day:
                self._known -= Decimal(0) if is_written else news
                self._take_in(spent)
            return is_written

    def _take_in(self, spent: Spent) -> None:
        untold = self._day_budget.usd - self._known
        self._day_budget.book(0, spent.day + untold - self._day_budget.usd)
        self._month_budget.book(0, spent.month + untold - self._month_budget.usd)
        self._known = spent.day

    def _hold(self, usd: Decimal | None) -> _Held:
        held: _Held = []
        try:
            for budget in self.budgets():
                held.append((budget, budget.reserve(0, usd)))
        except (BudgetError, ConfigError):
            _let_go(held)
            raise
        return held

    async def check(self) -> None:
        """Refuse a request whose key has nothing left.

        Raises:
            Refusal: nothing is left of the day or of the month.
        """
        if self._spent_limit() is not None and self.book is not None:
            with suppress(StoreError):  # what is known of other servers may be old
                await self.tell()
        limit = self._spent_limit()
        if limit is not None:
            raise self.refusal(f"the budget of this key is spent: ${limit}")

    def _spent_limit(self) -> Decimal | None:
        for budget in self.budgets():
            limit = budget.limits.usd
            if limit is not None and budget.usd >= limit:
                return limit
        return None

    def refusal(self, message: str) -> Refusal:
        """What a client is told whose key has too little left."""
        return Refusal(
            message,
            status=402,
            kind="budget_error",
            code="insufficient_quota",
            retry_after_s=self._seconds_to_midnight(),
        )

    def _seconds_to_midnight(self) -> float:
        now = datetime.datetime.now(datetime.UTC)
        tomorrow = datetime.datetime.combine(
            now.date() + datetime.timedelta(days=1), datetime.time(), datetime.UTC
        )
        return (tomorrow - now).total_seconds()


def _let_go(held: _Held) -> None:
    """Of calls that were not made."""
    for budget, reservation in held:
        budget.settle(reservation, 0, Decimal(0), called=False)


@dataclass(slots=True)
class Ear:
    """What went wrong in the calls of one request, the last of each kind."""

    failure: WorkerError | None = None
    key_is_spent: BudgetError | None = None
    tool_calls: str = ""
    """What the last answer asks to be called, as JSON; empty: nothing."""


@dataclass(frozen=True, slots=True)
class Metered:
    """A ChatModel whose calls are on a key's account, and whose failures are heard."""

    model: ChatModel
    price: Price | None
    is_tool: bool
    account: Account | None
    """None: nobody's."""
    ear: Ear

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        """As `ChatModel.chat`.

        Raises:
            BudgetError: the key has too little left; no call was made.
            StoreError: the key has a limit and the store could not be written; likewise.
        """
        held = await self._reserve(messages, sampling)
        cost: Decimal | None = None  # a cancelled call keeps its worst case
        try:
            completion = await self.model.chat(messages, sampling, on_text)
            if completion.usage is not None and self.price is not None:
                cost = self.price.cost_usd(completion.usage)
            self.ear.tool_calls = completion.tool_calls
            return completion
        except WorkerError as err:
            self.ear.failure = err
            if err.usage is not None and self.price is not None:
                cost = self.price.cost_usd(err.usage)
            raise
        finally:
            for budget, reservation in held:
                budget.settle(reservation, 0, cost)

    async def _reserve(self, messages: Sequence[Message], sampling: Sampling) -> _Held:
        if self.account is None:
            return []
        worst: Decimal | None = Decimal(0)
        if not self.is_tool:
            read = prompt_bound(messages) + extras_bound(sampling)
            tokens = read, sampling.max_tokens
            worst = None if self.price is None else self.price.worst_usd(*tokens)
        try:
            return await self.account.hold(worst)
        except BudgetError as err:
            self.ear.key_is_spent = err
            raise
