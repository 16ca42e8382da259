"""Metered: a model whose calls are on an account, and whose last failure is remembered.

The failure is for the status that a client gets. What an account is stands in `account.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from partbook.budget import worst_case
from partbook.errors import BudgetError, WorkerError
from partbook.message import Completion, Message, Sampling
from partbook.model import ChatModel, OnText
from partbook.price import Price
from partbook.server.account import Account, Held

__all__ = ["Ear", "Metered"]


@dataclass(slots=True)
class Ear:
    """What went wrong in the calls of one request, the last of each kind."""

    failure: WorkerError | None = None
    key_is_spent: BudgetError | None = None
    tool_calls: str = ""
    """What the last answer of a worker with tools asks to be called, as JSON; empty: nothing."""


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
            BudgetError: too little is left; no call was made.
            StoreError: there is a limit and the store could not be written; likewise.
        """
        held = await self._reserve(messages, sampling)
        cost: Decimal | None = None  # a cancelled call keeps its worst case
        try:
            completion = await self.model.chat(messages, sampling, on_text)
            if completion.usage is not None and self.price is not None:
                cost = self.price.cost_usd(completion.usage)
            if sampling.tools is not None:  # others may end after the one that was given tools
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

    async def _reserve(self, messages: Sequence[Message], sampling: Sampling) -> Held:
        if self.account is None:
            return []
        worst: Decimal | None = Decimal(0)
        if not self.is_tool:
            _, worst = worst_case(messages, sampling, self.price)
        try:
            return await self.account.hold(worst)
        except BudgetError as err:
            self.ear.key_is_spent = err
            raise
