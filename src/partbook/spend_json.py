"""The written form of what calls take: money, usage and unit prices, as JSON values out and in.

A stored run holds the prices that it was computed with, so that it can be priced again and checked
when lists have changed. What is absent has its default: older records lack newer fields.

Usage and prices stand in every step, so there is a short way to their text, too.
"""

import json
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any

from partbook.message import Usage
from partbook.price import Price, Tier

__all__ = [
    "money",
    "money_from",
    "price_from_dict",
    "price_to_dict",
    "price_to_json",
    "to_json",
    "usage_from_dict",
    "usage_to_dict",
    "usage_to_json",
]

to_json = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
"""JSON values as compact text. It is pure ASCII, because a model may write what neither UTF-8 nor
every database can hold: half a surrogate pair, a NUL. It has to come back exactly as it was. Values
that hold themselves are not looked for: all of them are made from frozen ones."""


def money(cost_usd: Decimal | None) -> str | None:
    """Dollars as plain digits, exact; None stays None.

    >>> money(Decimal("0.00") + Decimal("0.004950"))
    '0.00495'
    """
    if cost_usd is None:
        return None
    digits = format(cost_usd, "f")
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


def money_from(text: str | None) -> Decimal | None:
    """Read what `money` wrote."""
    return None if text is None else Decimal(text)


def usage_to_dict(usage: Usage | None) -> dict[str, int] | None:
    """Usage as JSON values; None stays None."""
    if usage is None:
        return None
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "cached_tokens": usage.cached_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
        "cache_write_tokens": usage.cache_write_tokens,
        "cache_write_1h_tokens": usage.cache_write_1h_tokens,
        "inconsistent": usage.inconsistent,
    }


def usage_to_json(usage: Usage | None) -> str:
    """The text of `usage_to_dict`."""
    if usage is None:
        return "null"
    return (
        f'{{"prompt_tokens":{usage.prompt_tokens},"completion_tokens":{usage.completion_tokens},'
        f'"cached_tokens":{usage.cached_tokens},"reasoning_tokens":{usage.reasoning_tokens},'
        f'"cache_write_tokens":{usage.cache_write_tokens},'
        f'"cache_write_1h_tokens":{usage.cache_write_1h_tokens},'
        f'"inconsistent":{"true" if usage.inconsistent else "false"}}}'
    )


def usage_from_dict(data: Mapping[str, Any] | None) -> Usage | None:
    """Read what `usage_to_dict` wrote.

    Raises:
        TypeError: a field is unknown.
        ValueError: what should be a count of tokens is none.
    """
    if data is None:
        return None
    if not all(isinstance(count, int) and count >= 0 for count in data.values()):
        raise ValueError(f"counts of tokens were expected, found {data!r:.200}")
    return Usage(**data)


def price_to_dict(price: Price | None) -> dict[str, Any] | None:
    """Unit prices as JSON values, in dollars per million tokens; None stays None."""
    if price is None:
        return None
    every = {
        "input_usd": price.input_usd,
        "output_usd": price.output_usd,
        "cached_usd": price.cached_usd,
        "cache_write_usd": price.cache_write_usd,
        "cache_write_1h_usd": price.cache_write_1h_usd,
    }
    data: dict[str, Any] = {name: money(usd) for name, usd in every.items() if usd is not None}
    if price.tiers:
        data["tiers"] = [
            {"above_tokens": tier.above_tokens, **(price_to_dict(tier.price) or {})}
            for tier in price.tiers
        ]
    return data


@lru_cache(maxsize=256)
def price_to_json(price: Price | None) -> str:
    """The text of `price_to_dict`; kept, for a worker's prices are the same in all its steps."""
    return to_json(price_to_dict(price))


def price_from_dict(data: Mapping[str, Any] | None) -> Price | None:
    """Read what `price_to_dict` wrote.

    Raises:
        ConfigError: a price is below 0, or the tiers are in disorder.
    """
    return None if data is None else _price(data)


def _price(data: Mapping[str, Any]) -> Price:
    tiers = (Tier(item["above_tokens"], _price(item)) for item in data.get("tiers", ()))
    return Price(
        Decimal(data["input_usd"]),
        Decimal(data["output_usd"]),
        money_from(data.get("cached_usd")),
        money_from(data.get("cache_write_usd")),
        money_from(data.get("cache_write_1h_usd")),
        tuple(tiers),
    )
