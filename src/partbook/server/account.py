"""Account: what a key may spend in a day and in a month, kept exactly however many requests run.

The worst case of every call is reserved before it is made, against the day and the month at once,
and what it really cost replaces it. So requests of one key that run at the same time cannot exceed
its limits together. `Metered` does so around a model; it also remembers the last failure, for the
status that a client gets.
"""

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from partbook.budget import Budget, Limits, Reservation, extras_bound, prompt_bound
from partbook.errors import BudgetError, WorkerError
from partbook.message import Completion, Message, Sampling
from partbook.model import ChatModel, OnText
from partbook.pool import Price
from partbook.server.refusal import Refusal

__all__ = ["Account", "Ear", "Metered"]

Today = Callable[[], datetime.date]


def _utc_today() -> datetime.date:
    return datetime.datetime.now(datetime.UTC).date()


@dataclass(slots=True)
class Account:
    """The spending of one key, in UTC days and months."""

    usd_per_day: Decimal | None = None
    """None: no limit."""
    usd_per_month: Decimal | None = None
    today: Today = _utc_today
    _day: datetime.date | None = None
    _day_budget: Budget = field(default_factory=Budget)
    _month_budget: Budget = field(default_factory=Budget)
    _told: Decimal = Decimal(0)

    @property
    def is_limited(self) -> bool:
        """Whether there is a limit at all."""
        return self.usd_per_day is not None or self.usd_per_month is not None

    def begin(self, day: datetime.date, spent_today: Decimal, spent_this_month: Decimal) -> None:
        """Start with what was spent before this process began."""
        self._day = day
        self._day_budget = Budget(Limits(self.usd_per_day), usd=spent_today)
        self._month_budget = Budget(Limits(self.usd_per_month), usd=spent_this_month)
        self._told = spent_today

    def budgets(self) -> tuple[Budget, Budget]:
        """Those of the day and of the month that it is."""
        day = self.today()
        if self._day != day:
            same_month = self._day is not None and self._day.replace(day=1) == day.replace(day=1)
            self.begin(day, Decimal(0), self._month_budget.usd if same_month else Decimal(0))
        return self._day_budget, self._month_budget

    def take_news(self) -> tuple[datetime.date, Decimal]:
        """The day, and what was spent in it since this was asked last; may be below 0."""
        day, _ = self.budgets()
        news, self._told = day.usd - self._told, day.usd
        return self.today(), news

    def check(self) -> None:
        """Refuse a request whose key has nothing left.

        Raises:
            Refusal: nothing is left of the day or of the month.
        """
        for budget in self.budgets():
            limit = budget.limits.usd
            if limit is not None and budget.usd >= limit:
                raise self.refusal(f"the budget of this key is spent: ${limit}")

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
        """
        held = self._reserve(messages, sampling)
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

    def _reserve(
        self, messages: Sequence[Message], sampling: Sampling
    ) -> list[tuple[Budget, Reservation]]:
        if self.account is None:
            return []
        worst: Decimal | None = Decimal(0)
        if not self.is_tool:
            read = prompt_bound(messages) + extras_bound(sampling)
            tokens = read, sampling.max_tokens
            worst = None if self.price is None else self.price.worst_usd(*tokens)
        held: list[tuple[Budget, Reservation]] = []
        try:
            for budget in self.account.budgets():
                held.append((budget, budget.reserve(0, worst)))
        except BudgetError as err:
            for budget, reservation in held:
                budget.settle(reservation, 0, Decimal(0), called=False)
            self.ear.key_is_spent = err
            raise
        return held
