"""What a model costs by the list prices that `genai-prices` carries in its package; no network.

Importing this module takes about half a CPU second (pydantic, and a table of some 2,300 models), so
only what needs a price imports it. Models on this machine are `FREE`, which their caller knows.

Left out: some models cost more above a prompt length (Gemini 2.5 Pro: above 200,000 tokens). The
price here is that of short prompts; tiers come with the ledger. A provider's charge for writing to
its cache, for searches and for other services is not part of a `Price` either.
"""

from decimal import Decimal

from genai_prices import Usage, calc_price
from genai_prices.types import PriceCalculation, TieredPrices

from partbook.pool import Price

__all__ = ["context_window_of", "price_of"]


def price_of(model: str, endpoint: str = "") -> Price | None:
    """List price of a model today.

    The table's own rules match ids, so that dated ones (`claude-sonnet-4-20250514`) are found; a
    longer id of an unknown variant may get the price of the model that it begins with.

    Args:
        model: the provider's id of the model.
        endpoint: the URL that is called; the same model can cost more elsewhere. Empty: the
            provider is the one that the id belongs to.

    Returns:
        None where the price is not known, which includes every endpoint that the table does not
        know and every model without a price for both input and output: never 0.
    """
    found = _lookup(model, endpoint)
    if found is None:
        return None
    prices = found.model_price
    input_usd, output_usd = _base(prices.input_mtok), _base(prices.output_mtok)
    if not input_usd or not output_usd:
        return None
    return Price(input_usd, output_usd, _base(prices.cache_read_mtok))


def context_window_of(model: str, endpoint: str = "") -> int | None:
    """Tokens that a prompt and its completion may have together; None: the table does not say."""
    found = _lookup(model, endpoint)
    return None if found is None else found.model.context_window


def _lookup(model: str, endpoint: str) -> PriceCalculation | None:
    try:
        return calc_price(
            Usage(input_tokens=0, output_tokens=0), model, provider_api_url=endpoint or None
        )
    except LookupError:
        return None


def _base(price: Decimal | TieredPrices | None) -> Decimal | None:
    return price.base if isinstance(price, TieredPrices) else price
