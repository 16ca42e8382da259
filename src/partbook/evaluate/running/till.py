"""Till: what lies before a model in an evaluation: its calls are kept, and paid from one purse.

It is where the evaluation is: beside the model where cells are played in this process, in the
driver where they are played on nodes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from partbook.budget import Budget, Budgeted
from partbook.errors import BudgetError
from partbook.evaluate.running.calls import CallLog, Kept
from partbook.model import ChatModel
from partbook.price import Price

__all__ = ["OnRefused", "Purse", "Till", "Who"]

OnRefused = Callable[[BudgetError], None]
"""Told when the limit of the whole evaluation forbade a call."""


@dataclass(frozen=True, slots=True)
class Who:
    """Whose call it is."""

    cell: str
    """The text of the cell's key."""
    worker: str
    price: Price | None
    is_tool: bool = False
    shareable: bool = False
    """Whether another cell's answer to the same call will do, where the log is shared."""


class Till(Protocol):
    """Puts the evaluation's log and budget before a model."""

    def behind(self, model: ChatModel, who: Who, on_refused: OnRefused) -> ChatModel:
        """The model, whose calls are answered from the log, or reserved, made and kept."""
        ...


@dataclass(frozen=True, slots=True)
class Purse:
    """The till itself."""

    log: CallLog
    whole: Budget
    """Of the whole evaluation."""

    def behind(self, model: ChatModel, who: Who, on_refused: OnRefused) -> ChatModel:
        """As `Till.behind`."""
        paid = who.price or self.whole.limits.assumed_price
        limited = Budgeted(model, self.whole, who.price, who.is_tool)
        return Kept(
            limited, self.log, who.cell, who.worker, paid, who.is_tool, on_refused, who.shareable
        )
