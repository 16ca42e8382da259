"""Estimates: the same work with fewer calls, and the same tokens at other prices.

Nothing was run. That fewer calls do the same work is an assumption, and so is that another model
needs as many tokens; which is why ranges stand beside the figures and none of them is called saved.
"""

from collections.abc import Sequence
from decimal import Decimal

from partbook.economy.bill import Cell
from partbook.economy.figure import Figure, Range, RangeOf, shown
from partbook.economy.priced import at_price
from partbook.economy.wishes import Overhead, Wishes
from partbook.message import Usage
from partbook.price import Price

__all__ = ["Base", "conductor_per_task", "fewer_figures", "pool_figures", "share_removed"]

_ZERO = Decimal(0)


class Base:
    """The month that everything is compared with.

    Args:
        cells: of the month, by model.
        charges: of calls of models; None: unknown.
        currency: of the money.
        listed: whether the charges are list prices, because the bill has none.
        calls: of the month, where the bill does not tell them.
    """

    def __init__(
        self,
        cells: Sequence[Cell],
        charges: Decimal | None,
        currency: str,
        listed: bool = False,
        calls: int | None = None,
    ) -> None:
        self.models = [cell for cell in cells if cell.name]
        self.charges = charges
        self.currency = currency
        self.listed = listed
        others = [cell for cell in cells if not cell.name]
        self.other = sum((cell.charges or _ZERO for cell in others), _ZERO)
        """Charges of what is no call of a model: searches, storage, taxes."""
        self.credits = sum((cell.credits for cell in cells), _ZERO)
        counts = [cell.calls for cell in self.models]
        whole = bool(counts) and not any(cell.blank_calls for cell in self.models)
        known = [count for count in counts if count is not None]
        self.calls = sum(known) if whole and len(known) == len(counts) else calls
        """None: one of the models' is unknown."""

    @property
    def spend(self) -> Decimal | None:
        """All of it, less credits."""
        return None if self.charges is None else self.charges + self.other + self.credits

    @property
    def in_dollars(self) -> bool:
        """Whether dollars can be compared with it."""
        return self.currency in ("", "USD")

    @property
    def letters(self) -> dict[str, str]:
        """Its sums, for formulas."""
        return {"B": shown(self.charges), "X": shown(self.other), "V": shown(self.credits)}


def conductor_per_task(overhead: Overhead) -> Decimal:
    """Dollars that the Conductor's own call costs, without a GPU."""
    if overhead.price is None:
        return _ZERO
    return overhead.price.cost_usd(Usage(overhead.read, overhead.written))


def fewer_figures(base: Base, wishes: Wishes) -> list[Figure]:
    """The bill where a share of the calls falls away."""
    charges, unit, share = base.charges, base.currency or "USD", wishes.fewer
    letters = {**base.letters, "f": shown(share)}
    if charges is None or base.spend is None:
        return [_unknown("fewer.cost", unit, "B × (1 − f) + X + V", letters, "no cost")]
    gross = charges * share
    ends = share_removed(base.models, share) if not base.listed else None
    rest = charges + base.other + base.credits
    cost_range = None if ends is None else (rest - ends[1], rest - ends[0])
    spend = base.spend
    models: RangeOf = "models" if ends else ""
    found = [
        Figure("fewer.cost", "estimated", spend - gross, unit, "B × (1 − f) + X + V", letters,
               cost_range, models),
        Figure("fewer.gross", "estimated", gross, unit, "B × f",
               {"B": shown(charges), "f": shown(share)}, ends, models),
    ]  # fmt: skip
    return [*found, *_net(base, wishes, gross, ends), *_one_call(base, wishes)]


def share_removed(models: Sequence[Cell], share: Decimal) -> Range | None:
    """What falls away with a share of all calls: the cheapest ones, and the dearest ones.

    Within a model, all calls are taken to cost the same, as a bill does not say more.

    Returns:
        The least and the most; None: calls or charges are unknown, or there is one model only.
    """
    known = [(c.charges, c.calls) for c in models if c.charges is not None and c.calls]
    if len(known) < 2 or any(c.calls is None or c.blank_calls or c.blank_cost for c in models):
        return None
    each = sorted(((cost / calls, Decimal(calls)) for cost, calls in known), key=lambda one: one[0])
    wanted = share * sum(calls for _, calls in each)
    return _first(each, wanted), _first(each[::-1], wanted)


def _first(each: Sequence[tuple[Decimal, Decimal]], wanted: Decimal) -> Decimal:
    total = _ZERO
    for cost, calls in each:
        taken = min(calls, wanted)
        total, wanted = total + taken * cost, wanted - taken
    return total


def _net(base: Base, wishes: Wishes, gross: Decimal, ends: Range | None) -> list[Figure]:
    """What is left when the Conductor is paid, and how much work that needs."""
    overhead, unit, calls = wishes.overhead, base.currency or "USD", base.calls
    per_task, fixed = conductor_per_task(overhead), overhead.fixed
    own = {
        "C": shown(calls),
        "k": shown(wishes.calls_per_task),
        "K": shown(per_task),
        "G": shown(fixed),
    }
    tasks = None if calls is None else calls / wishes.calls_per_task
    found = []
    if tasks:
        found.append(
            Figure("fewer.most", "estimated", gross / tasks, unit, "B × f / (C / k)",
                   {"B": shown(base.charges), "f": shown(wishes.fewer), "C": own["C"],
                    "k": own["k"]})
        )  # fmt: skip
    if not overhead.given:
        return found
    letters = {"B": shown(base.charges), "f": shown(wishes.fewer), **own}
    formula = "B × f − (C / k × K + G)"
    if not base.in_dollars:
        return [*found, _unknown("fewer.net", unit, formula, letters, "no rate", base.currency)]
    if tasks is None and per_task:
        return [*found, _unknown("fewer.net", unit, formula, letters, "no calls")]
    cost = (tasks or _ZERO) * per_task + fixed
    net_range = None if ends is None else (ends[0] - cost, ends[1] - cost)
    found += [
        Figure("fewer.conductor", "estimated", cost, unit, "C / k × K + G", own),
        Figure("fewer.net", "estimated", gross - cost, unit, formula, letters, net_range,
               "models" if net_range else ""),
    ]  # fmt: skip
    if base.spend is not None:
        total = base.spend - gross + cost
        ends_of = None if net_range is None else (base.spend - net_range[1],
                                                  base.spend - net_range[0])  # fmt: skip
        found.append(
            Figure("fewer.total", "estimated", total, unit,
                   "B × (1 − f) + X + V + C / k × K + G", {**base.letters, **letters}, ends_of,
                   "models" if ends_of else "")
        )  # fmt: skip
    if fixed and tasks:
        gain = gross / tasks - per_task
        even = fixed / gain if gain > 0 else None
        found.append(
            Figure("fewer.even", "estimated", even, "tasks", "G / (B × f / (C / k) − K)", letters,
                   why="" if even is not None else "never even")
        )  # fmt: skip
    return found


def _one_call(base: Base, wishes: Wishes) -> list[Figure]:
    """The bill where each task is one call today, and becomes as many as are left above."""
    assert base.charges is not None
    after = wishes.calls_per_task * (1 - wishes.fewer)
    if after <= 1:
        return []
    per_task = conductor_per_task(wishes.overhead) if base.in_dollars else _ZERO
    fixed = wishes.overhead.fixed if base.in_dollars else _ZERO
    letters = {**base.letters, "k": shown(wishes.calls_per_task), "f": shown(wishes.fewer),
               "C": shown(base.calls), "K": shown(per_task), "G": shown(fixed)}  # fmt: skip
    formula = "B × k × (1 − f) + X + V + C × K + G"
    cost = None
    if base.calls is not None or not per_task:
        own = fixed + (base.calls or 0) * per_task
        cost = base.charges * after + base.other + base.credits + own
    about = {"steps": shown(after)}
    return [
        Figure(
            "one.cost",
            "estimated",
            cost,
            base.currency or "USD",
            formula,
            letters,
            why="" if cost is not None else "no calls",
            about=about,
        )
    ]


def pool_figures(base: Base, wishes: Wishes) -> list[Figure]:
    """The tokens of the month at the prices of each worker of a pool."""
    missing = next((c for c in base.models if c.usage is None or c.blank_usage), None)
    usage = sum((cell.usage for cell in base.models if cell.usage), Usage())
    found = []
    for name, price in wishes.workers.items():
        about = {"worker": name, "pool": wishes.pool}
        formula, letters = _tokens_formula(usage, price)
        cost, why = None, "no price"
        if missing is not None:
            about["model"], why = missing.name, "no tokens" if price else why
        elif price is not None:
            each = (at_price(cell.usage, cell.calls, price) for cell in base.models if cell.usage)
            cost, why = sum(each, _ZERO), ""
        found.append(
            Figure("pool.worker", "estimated", cost, "USD", formula, letters, why=why, about=about)
        )
    return found


def _tokens_formula(usage: Usage, price: Price | None) -> tuple[str, dict[str, str]]:
    """The formula of tokens at a price; cache writes are in it where there are some."""
    letters = {
        "R": shown(usage.prompt_tokens),
        "H": shown(usage.cached_tokens),
        "W": shown(usage.completion_tokens),
        "p": shown(None if price is None else price.input_usd),
        "c": shown(None if price is None else _or(price.cached_usd, price.input_usd)),
        "q": shown(None if price is None else price.output_usd),
    }
    if not usage.cache_write_tokens:
        return "((R − H) × p + H × c + W × q) / 10⁶", letters
    short = None if price is None else _or(price.cache_write_usd, price.input_usd)
    hour = None if price is None else _or(price.cache_write_1h_usd, short or _ZERO)
    letters |= {
        "U": shown(usage.cache_write_tokens - usage.cache_write_1h_tokens),
        "u": shown(short),
        "Z": shown(usage.cache_write_1h_tokens),
        "z": shown(hour),
    }
    return "((R − H − U − Z) × p + H × c + U × u + Z × z + W × q) / 10⁶", letters


def _or(usd: Decimal | None, otherwise: Decimal) -> Decimal:
    return otherwise if usd is None else usd


def _unknown(
    key: str, unit: str, formula: str, letters: dict[str, str], why: str, name: str = ""
) -> Figure:
    about = {"currency": name} if name else {}
    return Figure(key, "estimated", None, unit, formula, letters, why=why, about=about)
