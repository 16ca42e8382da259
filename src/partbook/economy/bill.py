"""Bill: what was paid, by month and model, summed row by row.

Nothing of a row is kept but its sums, so that a bill may be longer than memory. A quantity that no
file tells is None and never 0. Credits and charges that belong to no model stand apart, because
fewer calls do not change them.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple

from partbook.errors import ConfigError
from partbook.message import Usage
from partbook.price import EXACT

__all__ = ["Bill", "Cell", "Charge", "Note", "merged", "model_key", "total_of"]

MOST_CELLS = 20_000
"""Months times models; more than that is a column of request ids taken for one of models."""

_ZERO = Decimal(0)
_DATE_END = re.compile(r"[-@ ](?:\d{8}|\d{4}-\d\d-\d\d|latest)$")


class Charge(NamedTuple):
    """What one row of a bill says."""

    month: str
    """As 2026-10."""
    day: int
    """1 to 31; 0 where the row names none."""
    model: str
    """As the provider spells it; empty for what belongs to no model, such as searches or taxes."""
    calls: int | None
    usage: Usage | None
    cost: Decimal | None
    """In the currency of the bill; below 0 is a credit."""


class Note(NamedTuple):
    """Something about a bill that its reader should know; `words.py` says it in words."""

    key: str
    values: dict[str, str]


@dataclass(slots=True)
class Cell:
    """Sums of one model in one month, or of several of them."""

    name: str = ""
    rows: int = 0
    calls: int | None = None
    """None: no row tells."""
    usage: Usage | None = None
    """Likewise."""
    charges: Decimal | None = None
    """Sum of the costs above 0; None: no row tells."""
    credits: Decimal = _ZERO
    """Sum of the costs below 0."""
    blank_calls: int = 0
    """Rows that do not tell, although others of their file do; likewise the next two."""
    blank_usage: int = 0
    blank_cost: int = 0

    @property
    def cost(self) -> Decimal | None:
        """Charges less credits; None: unknown."""
        return None if self.charges is None else EXACT.add(self.charges, self.credits)

    def take(self, other: "Cell") -> None:
        """Add the sums of another."""
        self.rows += other.rows
        if other.calls is not None:
            self.calls = (self.calls or 0) + other.calls
        if other.usage is not None:
            self.usage = other.usage if self.usage is None else self.usage + other.usage
        if other.charges is not None:
            self.charges = EXACT.add(self.charges or _ZERO, other.charges)
        self.credits = EXACT.add(self.credits, other.credits)
        self.blank_calls += other.blank_calls
        self.blank_usage += other.blank_usage
        self.blank_cost += other.blank_cost

    def add(self, charge: Charge) -> None:
        """Add one row."""
        self.rows += 1
        if charge.calls is None:
            self.blank_calls += 1
        else:
            self.calls = (self.calls or 0) + charge.calls
        if charge.usage is None:
            self.blank_usage += 1
        else:
            self.usage = charge.usage if self.usage is None else self.usage + charge.usage
        cost = charge.cost
        if cost is None:
            self.blank_cost += 1
        elif cost < 0:
            self.charges = self.charges or _ZERO
            self.credits = EXACT.add(self.credits, cost)
        else:
            self.charges = cost if self.charges is None else EXACT.add(self.charges, cost)


@dataclass(slots=True)
class Bill:
    """What was paid."""

    sources: list[str] = field(default_factory=list)
    """What was read, with the shape it was taken for."""
    currency: str = ""
    """ISO code of all its money; empty: nothing has a cost."""
    cells: dict[tuple[str, str], Cell] = field(default_factory=dict)
    """By month and by `model_key`; an empty key is what belongs to no model."""
    last_day: dict[str, int] = field(default_factory=dict)
    """Of each month, the last day that a row names."""
    notes: list[Note] = field(default_factory=list)

    def add(self, charge: Charge) -> None:
        """Add one row.

        Raises:
            ConfigError: there are more months and models than a bill can have.
        """
        key = (charge.month, charge.model)
        cell = self.cells.get(key)
        if cell is None:
            if len(self.cells) >= MOST_CELLS:
                raise ConfigError(
                    f"more than {MOST_CELLS} different months and models, the last is "
                    f"{charge.model!r}; is that column the one of models?"
                )
            cell = self.cells[key] = Cell(charge.model)
        cell.add(charge)
        if charge.day > self.last_day.get(charge.month, 0):
            self.last_day[charge.month] = charge.day

    @property
    def months(self) -> list[str]:
        """All that are there, in order."""
        return sorted({month for month, _ in self.cells})

    def of(self, months: Iterable[str]) -> list[Cell]:
        """Cells by model, summed over these months, the dearest first."""
        wanted, found = set(months), dict[str, Cell]()
        for (month, model), cell in self.cells.items():
            if month in wanted:
                found.setdefault(model, Cell(cell.name)).take(cell)
        return sorted(found.values(), key=lambda cell: (-(cell.cost or _ZERO), cell.name))


def merged(bills: Sequence[Bill]) -> Bill:
    """Several bills as one.

    Providers export costs and usage apart. What has no cost is therefore taken for the usage that
    the costs are of, and its calls and tokens stand for them; two that both have costs are added.

    Raises:
        ConfigError: their money is of several currencies.
    """
    whole = Bill()
    costs: dict[tuple[str, str], Cell] = {}
    usages: dict[tuple[str, str], Cell] = {}
    for bill in bills:
        if whole.currency and bill.currency and whole.currency != bill.currency:
            raise ConfigError(
                f"{bill.sources[0]}: its money is {bill.currency}, that of the files before is "
                f"{whole.currency}; say what one is worth in dollars: --rate {bill.currency}=..."
            )
        whole.currency = whole.currency or bill.currency
        twice = []
        for (month, model), cell in bill.cells.items():
            key = (month, model_key(model))
            into = usages if cell.charges is None else costs
            if key in into and model:
                twice.append(f"{cell.name} {month}")
            into.setdefault(key, Cell(cell.name)).take(cell)
        whole.sources += bill.sources
        whole.notes += bill.notes
        if twice and whole.sources != bill.sources:
            names = ", ".join(twice[:3]) + (", ..." if len(twice) > 3 else "")
            whole.notes.append(Note("twice", {"file": bill.sources[0], "cells": names}))
        for month, day in bill.last_day.items():
            whole.last_day[month] = max(day, whole.last_day.get(month, 0))
    for key in {**costs, **usages}:
        whole.cells[key] = _joined(costs.get(key), usages.get(key))
    return whole


def _joined(cost: Cell | None, usage: Cell | None) -> Cell:
    """One cell of what its costs and its usage tell."""
    if cost is None or usage is None:
        found = cost or usage
        assert found is not None
        return found
    found = Cell(usage.name, cost.rows + usage.rows, charges=cost.charges, credits=cost.credits)
    found.blank_cost = cost.blank_cost
    by_calls = cost if usage.calls is None else usage
    by_tokens = cost if usage.usage is None else usage
    found.calls, found.blank_calls = by_calls.calls, by_calls.blank_calls
    found.usage, found.blank_usage = by_tokens.usage, by_tokens.blank_usage
    return found


def total_of(cells: Iterable[Cell]) -> Cell:
    """The sum of cells."""
    total = Cell()
    for cell in cells:
        total.take(cell)
    return total


def model_key(name: str) -> str:
    """What one model is found by, however its provider's exports spell it.

    Anthropic's cost export has a model's name in words where its usage export has its id.

    >>> model_key("Claude Sonnet 4.5"), model_key("claude-sonnet-4-5-20250929")
    ('claude-sonnet-4-5', 'claude-sonnet-4-5')
    """
    key = name.strip().casefold()
    if key.startswith("claude"):
        key = _DATE_END.sub("", key).replace(" ", "-").replace(".", "-")
    return key
