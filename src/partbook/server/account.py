"""Account: what a key may spend in a day and in a month, kept exactly however many requests run.

The worst case of every call is reserved before it is made, against the day and the month at once,
and what it really cost replaces it. So requests of one key that run at the same time cannot exceed
its limits together. Of a key with a limit, the reservation is also in the store before the call is
made, in one transaction with what other servers on the same store have reserved; what this process
knows of them is only what it saw then. `metered.py` does so around a model.
"""

import asyncio
import datetime
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Protocol

from partbook.budget import Budget, Limits, Reservation
from partbook.errors import BudgetError, ConfigError, StoreError
from partbook.server.refusal import Refusal
from partbook.store.api_keys import Spent

__all__ = ["Account", "Book", "Held", "Today", "let_go"]

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


Held = list[tuple[Budget, Reservation]]
"""What is reserved for a call, and where."""


@dataclass(frozen=True, slots=True)
class _Wish:
    """What the store is asked for."""

    held: Held
    """As it is reserved here."""
    usd: Decimal
    day: datetime.date | None

    def is_given_back(self, told: "asyncio.Task[bool | StoreError]") -> None:
        """Let go of it: whoever wished for it has gone. What was refused is given back already."""
        if not told.cancelled() and told.exception() is None and told.result() is True:
            let_go(self.held)


@dataclass(slots=True)
class Account:
    """The spending of one key, in UTC days and months."""

    usd_per_day: Decimal | None = None
    """None: no limit."""
    usd_per_month: Decimal | None = None
    today: Today = _utc_today
    book: Book | None = None
    """None: there is no other server, and nothing is written."""
    above: "Account | None" = None
    """On which the same calls are too: that of all keys together. None: there is no such limit."""
    whose: str = "this key"
    """As clients are told."""
    _day: datetime.date | None = None
    _day_budget: Budget = field(default_factory=Budget)
    _month_budget: Budget = field(default_factory=Budget)
    _known: Decimal = Decimal(0)
    """What the store has of the day, as this process saw it last."""
    _not_granted: Decimal = Decimal(0)
    """Of what is reserved here, what the store has not been asked for yet."""
    _requests: int = 0
    """Requests that came to their end, and that the store has not been told of yet."""
    _telling: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def is_limited(self) -> bool:
        """Whether there is a limit at all, here or above."""
        return self._has_limit() or (self.above is not None and self.above.is_limited)

    def _has_limit(self) -> bool:
        return self.usd_per_day is not None or self.usd_per_month is not None

    def begin(self, day: datetime.date, spent_today: Decimal, spent_this_month: Decimal) -> None:
        """Start with what was spent before this process began."""
        self._day = day
        self._day_budget = Budget(Limits(self.usd_per_day), usd=spent_today)
        self._month_budget = Budget(Limits(self.usd_per_month), usd=spent_this_month)
        self._known = spent_today
        self._not_granted = Decimal(0)

    def budgets(self) -> tuple[Budget, Budget]:
        """Those of the day and of the month that it is."""
        day = self.today()
        if self._day != day:
            same_month = self._day is not None and self._day.replace(day=1) == day.replace(day=1)
            self.begin(day, Decimal(0), self._month_budget.usd if same_month else Decimal(0))
        return self._day_budget, self._month_budget

    async def hold(self, usd: Decimal | None) -> Held:
        """Reserve the worst case of a call, here, above, and in the store.

        Args:
            usd: price at most; None where the price is unknown.

        Raises:
            BudgetError: the key has too little left; nothing is reserved.
            ConfigError: the key has a limit and the price is unknown.
            StoreError: the store could not be written; nothing is reserved.
        """
        above: Held = [] if self.above is None else await self.above.hold(usd)
        try:
            return above + await self._hold_own(usd)
        except BaseException:
            let_go(above)
            raise

    async def _hold_own(self, usd: Decimal | None) -> Held:
        try:
            held = self._hold(usd)
        except BudgetError:
            if self.book is None:
                raise
            await self.tell()  # other servers may have let go of something
            held = self._hold(usd)
        if self.book is None or not self._has_limit():
            return held
        wish = _Wish(held, usd or Decimal(0), self._day)
        self._not_granted += wish.usd
        if not await self._told(wish):
            left = f"other servers have reserved what was left to {self.whose}"
            raise BudgetError(left, limit="usd")
        return held

    async def tell(self) -> None:
        """Write what is news, and take in what other servers have written.

        Raises:
            StoreError: the store could not be written.
        """
        await self._told()

    async def _told(self, wish: "_Wish | None" = None, *, only_news: bool = False) -> bool:
        """Tell the store; whether it grants the wish."""
        # A caller that is cancelled does not know whether it was written; this goes on and does.
        told = asyncio.get_running_loop().create_task(self._tell(wish, only_news=only_news))
        try:
            found = await asyncio.shield(told)
        except asyncio.CancelledError:
            if wish is not None:
                told.add_done_callback(wish.is_given_back)
            raise
        if isinstance(found, StoreError):
            raise found
        return found

    async def _tell(self, wish: "_Wish | None", *, only_news: bool) -> bool | StoreError:
        if self.book is None:
            return True
        async with self._telling:
            today, _ = self.budgets()
            day = self.today()
            # What others wish for at the moment is no news: each is judged by itself, for all of
            # them may be too much where one is not, and none is written that was not judged.
            if wish is not None and wish.day == day:
                self._not_granted -= wish.usd
            news = today.usd - self._known - self._not_granted
            if only_news and not news and not self._requests:
                return True  # whoever told before has told all of it
            self._known += news
            requests, self._requests = self._requests, 0
            within = (None, None) if wish is None else (self.usd_per_day, self.usd_per_month)
            failure, is_written = None, False
            try:
                spent, is_written = await asyncio.to_thread(
                    self.book, day.isoformat(), news, requests, within
                )
            except StoreError as err:
                failure = err
            if not is_written:
                self._requests += requests
                if wish is not None:
                    let_go(wish.held)
            if self._day == day:
                self._known -= Decimal(0) if is_written else news
                if failure is None:
                    self._take_in(spent)
            return failure or is_written

    def _take_in(self, spent: Spent) -> None:
        untold = self._day_budget.usd - self._known
        self._day_budget.book(0, spent.day + untold - self._day_budget.usd)
        self._month_budget.book(0, spent.month + untold - self._month_budget.usd)
        self._known = spent.day

    def _hold(self, usd: Decimal | None) -> Held:
        held: Held = []
        try:
            for budget in self.budgets():
                held.append((budget, budget.reserve(0, usd)))
        except (BudgetError, ConfigError):
            let_go(held)
            raise
        return held

    async def close_request(self) -> None:
        """Write that a request came to its end, and what it took.

        Raises:
            StoreError: the store could not be written; the next request tells it.
        """
        self._requests += 1
        try:
            await self._told(only_news=True)
        finally:
            if self.above is not None:
                await self.above.close_request()

    async def check(self) -> None:
        """Refuse a request whose key, or whose server, has nothing left.

        Raises:
            Refusal: nothing is left of the day or of the month.
        """
        if self.above is not None:
            await self.above.check()
        if self._spent_limit() is not None and self.book is not None:
            with suppress(StoreError):  # what is known of other servers may be old
                await self.tell()
        limit = self._spent_limit()
        if limit is not None:
            raise self.refusal(f"the budget of {self.whose} is spent: ${limit}")

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
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        return (midnight + datetime.timedelta(days=1) - now).total_seconds()


def let_go(held: Held) -> None:
    """Give back what was reserved for a call that was not made."""
    for budget, reservation in held:
        budget.settle(reservation, 0, Decimal(0), called=False)
