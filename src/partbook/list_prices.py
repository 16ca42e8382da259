"""What a model costs: by a person's own prices, else by the list that `genai-prices` carries.

The list is in that package; nothing is fetched. Importing this module takes about half a CPU second
(pydantic, and a table of some 2,300 models), so only what needs a price imports it. Models on this
machine are `FREE`, which their caller knows.

A list price is the one of the moment at which it is looked up, for text and without batches or
priority. What a `Price` cannot hold makes it unknown: a fee for each request, a charge for
citations, another rate for reasoning.
"""

from collections.abc import Sequence
from decimal import Decimal

from genai_prices import Usage, calc_price
from genai_prices.types import ModelPrice, PriceCalculation, TieredPrices

from partbook.own_prices import OwnPrice, own_price_of
from partbook.price import Price, Tier

__all__ = ["context_window_of", "price_of"]

_NOT_BY_TOKEN = ("requests_kcount", "output_citation_mtok", "output_reasoning_mtok")
"""Charges of text models that a `Price` has no place for."""


def price_of(model: str, endpoint: str = "", own: Sequence[OwnPrice] = ()) -> Price | None:
    """Price of a model today.

    The table's own rules match ids, so that dated ones (`claude-sonnet-4-20250514`) are found; a
    longer id of an unknown variant may get the price of the model that it begins with.

    Args:
        model: the provider's id of the model.
        endpoint: the URL that is called; the same model can cost more elsewhere. Empty: the
            provider is the one that the id belongs to.
        own: prices that a person wrote down, which win over the table.

    Returns:
        None where the price is not known, which includes every endpoint that the table does not
        know and every model without a price for both input and output: never 0.
    """
    written = own_price_of(own, model, endpoint)
    if written is not None:
        return written
    found = _lookup(model, endpoint)
    if found is None or any(getattr(found.model_price, name) for name in _NOT_BY_TOKEN):
        return None
    return _price(found.model_price)


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


def _price(listed: ModelPrice) -> Price | None:
    every = (
        listed.input_mtok,
        listed.output_mtok,
        listed.cache_read_mtok,
        listed.cache_write_mtok,
        listed.cache_write_1h_mtok,
    )
    tiered = [price for price in every if isinstance(price, TieredPrices)]
    # In the table each class of tokens has its own tiers; their starts need not be the same.
    starts = sorted({tier.start for price in tiered for tier in price.tiers})
    tiers = []
    for start in starts:
        rates = _rates(every, start + 1)
        if rates is None:
            return None
        tiers.append(Tier(start, rates))
    return _rates(every, 0, tuple(tiers))


def _rates(
    every: Sequence[Decimal | TieredPrices | None], prompt_tokens: int, tiers: tuple[Tier, ...] = ()
) -> Price | None:
    read, written, cached, cache_write, cache_write_1h = (_at(p, prompt_tokens) for p in every)
    if not read or not written:
        return None
    return Price(read, written, cached, cache_write, cache_write_1h, tiers)


def _at(price: Decimal | TieredPrices | None, prompt_tokens: int) -> Decimal | None:
    if not isinstance(price, TieredPrices):
        return price
    above = [tier.price for tier in price.tiers if prompt_tokens > tier.start]
    return above[-1] if above else price.base
