"""The answer: what was spent in a month, what it would be otherwise, and what is uncertain."""

import calendar
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from partbook.economy.bill import Bill, Cell, Note, total_of
from partbook.economy.estimated import Base, fewer_figures, pool_figures
from partbook.economy.figure import Figure, shown
from partbook.economy.measured import Measured, measured_figures
from partbook.economy.priced import PriceOf, listed_cost
from partbook.economy.wishes import Wishes
from partbook.errors import ConfigError

__all__ = ["Answer", "answer_of"]

FEW_PROBLEMS = 100
"""Below it, an interval of a share is wider than about 20 points (Wilson, 50 %)."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What is said of a bill."""

    bill: Bill
    month: str
    cells: Sequence[Cell]
    """Of the month, by model, the dearest first."""
    base: Base
    figures: Sequence[Figure]
    warnings: Sequence[Note]
    """What would cost money to overlook."""
    notes: Sequence[Note]
    """What is uncertain, or was read in one of several ways."""
    measured: Measured | None = None

    def of(self, key: str) -> Figure | None:
        """A figure by its key; None: there is none."""
        return next((figure for figure in self.figures if figure.key == key), None)


def answer_of(
    bill: Bill, wishes: Wishes, price_of: PriceOf, measured: Measured | None = None
) -> Answer:
    """Answer from a bill.

    Args:
        bill: what was paid.
        wishes: what is asked of it.
        price_of: list prices, or one's own.
        measured: an evaluation.

    Raises:
        ConfigError: the month is not in the bill, or neither costs nor prices are known.
    """
    months = bill.months
    month = wishes.month or months[-1]
    if month not in months:
        raise ConfigError(f"--month: the bill has no {month}; it has {', '.join(months)}")
    cells = bill.of([month])
    listed, nameless = listed_cost(cells, price_of)
    from_list, costless = _fill(cells, bill.currency, price_of)
    total = total_of(cell for cell in cells if cell.name)
    if total.charges is None:
        raise ConfigError(
            f"the bill has no costs, and what {costless[0]!r} costs is unknown: give a file with "
            "costs too, or its price in a prices file (--prices)"
        )
    base = Base(cells, total.charges, bill.currency, bool(from_list), wishes.calls)
    figures = [*_spent(base, cells, listed, nameless), *fewer_figures(base, wishes)]
    figures += pool_figures(base, wishes)
    if measured is not None:
        figures += measured_figures(base, measured, wishes.overhead)
    notes = _of_bill(bill, months, month, base, total)
    if from_list:
        notes.append(Note("listed base", {"models": ", ".join(from_list)}))
    if costless:
        notes.append(Note("no cost of", {"models": ", ".join(costless)}))
    notes += _of_answer(wishes, measured)
    return Answer(
        bill, month, cells, base, figures, _warnings(figures, wishes, measured), notes, measured
    )


def _fill(cells: Sequence[Cell], currency: str, price_of: PriceOf) -> tuple[list[str], list[str]]:
    """Give models without a cost the list price of their tokens.

    Returns:
        Their names, and those of the models whose cost stays unknown.
    """
    filled, unknown = [], []
    for cell in cells:
        if not cell.name or cell.charges is not None:
            continue
        cost = listed_cost([cell], price_of)[0] if currency in ("", "USD") else None
        if cost is None:
            unknown.append(cell.name)
        else:
            cell.charges, cell.blank_cost = cost, 0
            filled.append(cell.name)
    return filled, unknown


def _spent(
    base: Base, cells: Sequence[Cell], listed: Decimal | None, nameless: str
) -> list[Figure]:
    unit = base.currency or "USD"
    tokens = total_of(base.models).usage
    known = tokens is not None and not any(
        cell.usage is None or cell.blank_usage for cell in base.models
    )
    kind = "estimated" if base.listed else "bill"
    return [
        Figure("spend", kind, base.spend, unit, "B + X + V", base.letters),  # type: ignore[arg-type]
        Figure("calls", "bill", None if base.calls is None else Decimal(base.calls), "calls",
               "Σ calls", {}, why="no calls"),
        Figure("tokens", "bill", Decimal(tokens.total_tokens) if tokens and known else None,
               "tokens", "R + W", {} if tokens is None else
               {"R": shown(tokens.prompt_tokens), "W": shown(tokens.completion_tokens)},
               why="no tokens", about={"model": _without_tokens(base.models)}),
        Figure("listed", "estimated", listed, "USD",
               "Σ ((R − H) × p + H × c + W × q) / 10⁶ by model", {},
               why="no list price", about={"model": nameless}),
    ]  # fmt: skip


def _without_tokens(models: Sequence[Cell]) -> str:
    return next((cell.name for cell in models if cell.usage is None or cell.blank_usage), "")


def _of_bill(bill: Bill, months: Sequence[str], month: str, base: Base, total: Cell) -> list[Note]:
    notes = list(bill.notes)
    missing = _missing(months)
    if missing:
        listed = ", ".join(missing[:6]) + (", ..." if len(missing) > 6 else "")
        notes.append(Note("missing months", {"months": listed}))
    last = bill.last_day.get(month, 0)
    # Where all rows are of the first day, it stands for the month.
    if last > 1 and last < calendar.monthrange(int(month[:4]), int(month[5:]))[1] - 2:
        notes.append(Note("part of a month", {"month": month, "day": str(last)}))
    if total.blank_cost:
        notes.append(Note("blank costs", {"rows": f"{total.blank_cost:,}"}))
    if base.credits:
        notes.append(Note("credits", {"amount": shown(base.credits)}))
    if base.other:
        notes.append(Note("other charges", {"amount": shown(base.other)}))
    if base.calls is None:
        notes.append(Note("calls unknown", {}))
    return notes


def _missing(months: Sequence[str]) -> list[str]:
    """Months between the first and the last that are not there."""
    numbers = [int(month[:4]) * 12 + int(month[5:]) - 1 for month in months]
    there = set(numbers)
    # Two dates a century apart are a slip of the pen; a list of all months between helps nobody.
    between = range(numbers[0], min(numbers[-1], numbers[0] + 240))
    return [f"{n // 12:04}-{n % 12 + 1:02}" for n in between if n not in there]


def _of_answer(wishes: Wishes, measured: Measured | None) -> list[Note]:
    notes = [Note("assumed", {}), Note("of the paper", {})]
    if not wishes.overhead.given:
        notes.append(Note("no overhead", {}))
    if measured is None:
        notes.append(Note("not measured", {}))
    else:
        names = {"n": f"{measured.problems:,}", "tasks": measured.tasks}
        notes.append(Note("carried over", names))
        if measured.problems < FEW_PROBLEMS:
            notes.append(Note("few problems", names))
    return notes


def _warnings(figures: Sequence[Figure], wishes: Wishes, measured: Measured | None) -> list[Note]:
    found = []
    by = {figure.key: figure for figure in figures}
    for key, said in (("fewer.net", "rise estimated"), ("carried.net", "rise measured")):
        net = by.get(key)
        if net is None or net.value is None:
            continue
        if net.value < 0:
            found.append(Note(said, {"amount": shown(-net.value), "unit": net.unit}))
        elif net.range is not None and net.range[0] < 0 and net.range_of == "95 %":
            found.append(Note("rise possible", {"amount": shown(-net.range[0]), "unit": net.unit}))
    one, spend = by.get("one.cost"), by["spend"].value
    if one is not None and one.value is not None and spend is not None and one.value > spend:
        rise = shown(one.value - spend)
        steps = shown(wishes.calls_per_task * (1 - wishes.fewer))
        found.append(Note("rise one call", {"amount": rise, "unit": one.unit, "steps": steps}))
    if measured is not None and measured.points_range[0] < 0:
        key = "worse" if measured.points_range[1] < 0 else "maybe worse"
        low, high = (shown(100 * end) for end in measured.points_range)
        found.append(Note(key, {"low": low, "high": high, "system": measured.system}))
    return found
