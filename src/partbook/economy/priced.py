"""What the tokens of a bill cost at given prices.

A bill has sums of tokens and no single prompts, so the tier of a long prompt is that of the average
one. Prices come from whoever asks: this module looks nothing up.
"""

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal

from partbook.economy.bill import Cell, model_key
from partbook.message import Usage
from partbook.price import EXACT, Price

__all__ = ["PriceOf", "at_price", "listed_cost", "spellings"]

PriceOf = Callable[[str], Price | None]
"""The price of a model by its id; None: unknown."""


def at_price(usage: Usage, calls: int | None, price: Price) -> Decimal:
    """What so many tokens cost in so many calls, exact.

    Args:
        usage: sums of tokens.
        calls: by which the average prompt is known; None: it is taken for a short one.
        price: of whoever reads and writes them.
    """
    prompt = usage.prompt_tokens // calls if calls else 0
    tier = price.at(prompt)
    flat = Price(
        tier.input_usd,
        tier.output_usd,
        tier.cached_usd,
        tier.cache_write_usd,
        tier.cache_write_1h_usd,
    )
    return flat.cost_usd(usage)


def listed_cost(cells: Iterable[Cell], price_of: PriceOf) -> tuple[Decimal | None, str]:
    """What the models of a bill cost at their own prices.

    Returns:
        Dollars and an empty text, or None and the name of the first model without a price or
        without tokens.
    """
    total = Decimal(0)
    for cell in cells:
        if not cell.name:
            continue
        price = next((p for name in spellings(cell.name) if (p := price_of(name))), None)
        if price is None or cell.usage is None or cell.blank_usage:
            return None, cell.name
        total = EXACT.add(total, at_price(cell.usage, cell.calls, price))
    return total, ""


def spellings(name: str) -> Sequence[str]:
    """How a price list may spell a bill's model, the likeliest first.

    >>> spellings("Claude Sonnet 4.5")
    ['Claude Sonnet 4.5', 'claude-sonnet-4-5']
    >>> spellings("openai/gpt-5")
    ['openai/gpt-5', 'gpt-5']
    """
    last = name.rsplit("/", 1)[-1]
    return list(dict.fromkeys([name, last, model_key(last)]))
