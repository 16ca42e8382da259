"""Price: what calls cost, exactly, in which unknown is never nothing.

Where a price comes from is left to `own_prices.py` and `list_prices.py`. Money is `Decimal` from
the price to the bill: no float, and no rounding in between.
"""

import decimal
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, localcontext

from partbook.errors import ConfigError
from partbook.message import Usage

__all__ = ["EXACT", "FREE", "Price", "Tier", "total_usd"]

EXACT = decimal.Context(prec=100)
"""Room for every digit: no price times a count of tokens, and no sum of those, is rounded in it."""

_MILLION = Decimal(1_000_000)


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens."""

    input_usd: Decimal
    output_usd: Decimal
    cached_usd: Decimal | None = None
    """Price of cached prompt tokens; None: as any other prompt token."""
    cache_write_usd: Decimal | None = None
    """Price of prompt tokens that are written to the cache; None: as any other prompt token."""
    cache_write_1h_usd: Decimal | None = None
    """The same where the cache keeps them for an hour; None: as `cache_write_usd`."""
    tiers: "tuple[Tier, ...]" = ()
    """What long prompts cost instead, shortest first."""

    def __post_init__(self) -> None:
        given = (self.cached_usd, self.cache_write_usd, self.cache_write_1h_usd)
        for usd in (self.input_usd, self.output_usd, *given):
            if usd is not None and not (usd.is_finite() and usd >= 0):
                raise ConfigError(f"a price of 0 or more was expected, found {usd}")
        starts = [tier.above_tokens for tier in self.tiers]
        if starts != sorted(set(starts)) or any(start < 0 for start in starts):
            raise ConfigError(f"tiers must begin above ascending token counts, found {starts}")
        if any(tier.price.tiers for tier in self.tiers):
            raise ConfigError("the price of a tier has no tiers of its own")

    def at(self, prompt_tokens: int) -> "Price":
        """The price of a call with this prompt: the whole call is in one tier."""
        found = self
        for tier in self.tiers:
            if prompt_tokens > tier.above_tokens:
                found = tier.price
        return found

    def cost_usd(self, usage: Usage) -> Decimal:
        """Price of a call, exact.

        The tier is that of all its prompt tokens, cached ones included.

        >>> Price(Decimal("1.25"), Decimal(10)).cost_usd(Usage(1000, 200))
        Decimal('0.00325')
        """
        price = self.at(usage.prompt_tokens) if self.tiers else self
        cached, written = usage.cached_tokens, usage.cache_write_tokens
        fresh = max(0, usage.prompt_tokens - cached - written)
        total = EXACT.multiply(price.input_usd, fresh)
        total = EXACT.fma(price.output_usd, usage.completion_tokens, total)
        if cached:
            total = EXACT.fma(_or(price.cached_usd, price.input_usd), cached, total)
        if written:
            hour = min(usage.cache_write_1h_tokens, written)
            rate = _or(price.cache_write_usd, price.input_usd)
            total = EXACT.fma(rate, written - hour, total)
            total = EXACT.fma(_or(price.cache_write_1h_usd, rate), hour, total)
        return EXACT.divide(total, _MILLION)

    def worst_usd(self, prompt_tokens: int, completion_tokens: int) -> Decimal:
        """Most that a call can cost whose prompt and completion have at most so many tokens.

        The dearest price that can apply: every prompt token at the dearest of its classes, in the
        dearest tier that a prompt of at most this length can be in.
        """
        applicable = [self, *(t.price for t in self.tiers if prompt_tokens > t.above_tokens)]
        with localcontext(EXACT):
            worst = max(
                price._dearest_input * prompt_tokens + price.output_usd * completion_tokens
                for price in applicable
            )
            return worst / _MILLION

    @property
    def _dearest_input(self) -> Decimal:
        classes = (self.input_usd, self.cached_usd, self.cache_write_usd, self.cache_write_1h_usd)
        return max(usd for usd in classes if usd is not None)


@dataclass(frozen=True, slots=True)
class Tier:
    """What a call costs whose prompt is longer than `above_tokens`: all of it, not the rest."""

    above_tokens: int
    """A prompt of exactly this length is still below the tier."""
    price: Price
    """Without tiers of its own."""


def _or(usd: Decimal | None, otherwise: Decimal) -> Decimal:
    return otherwise if usd is None else usd


FREE = Price(Decimal(0), Decimal(0))
"""The price of what runs on this machine."""


def total_usd(costs: Iterable[Decimal | None]) -> Decimal | None:
    """Dollars of several calls; None as soon as one is unknown: unknown is not 0.

    >>> total_usd([Decimal("0.1"), Decimal("0.02")]), total_usd([Decimal("0.1"), None])
    (Decimal('0.12'), None)
    """
    total = Decimal(0)
    for cost in costs:
        if cost is None:
            return None
        total = EXACT.add(total, cost)
    return total
