"""What calls cost that somebody else describes: usage as a provider spelled it, prices beside it.

A case is a JSON object: `price_per_m` (dollars per million tokens) or `tiers` or the name of a
`model`, and either one call (`usage`, `usage_chunks` of a stream) or several (`attempts`, `steps`
with `conductor_usage`). Usage goes through the same reading as that of real replies, so this is
also how to check a bill by hand. Such objects come from other people's files, so keys that say
nothing about money are passed over; a price that is not understood is never guessed.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from partbook.errors import ConfigError
from partbook.message import Usage
from partbook.models.usage import figures_in, merged, usage_from
from partbook.models.wire import StreamDecoder, decode
from partbook.price import Price, Tier

__all__ = ["CONDUCTOR", "PriceOf", "PricedCall", "calls_in", "same_either_way"]

PriceOf = Callable[[str, str], Price | None]
"""The price of a model at an endpoint; None: unknown."""

CONDUCTOR = "conductor"
"""Who made the call that `conductor_usage` is of."""

_DEPTH = 8
"""How deep attempts may lie in steps in attempts."""

_RATES: Mapping[str, tuple[str, ...]] = {
    "input": ("input", "prompt"),
    "output": ("output", "completion"),
    "cached": ("cached_input", "cached", "cache_read", "cache_hit"),
    "cache_write": ("cache_write", "cache_write_5m", "cache_creation"),
    "cache_write_1h": ("cache_write_1h", "cache_creation_1h"),
}
_MOST_DIGITS = 12
"""Of a price before its point."""
_START = ("threshold", "above", "above_tokens", "start")


@dataclass(frozen=True, slots=True)
class PricedCall:
    """One call of a case."""

    who: str
    """The worker's name or number, or `CONDUCTOR`; empty where the case does not say."""
    usage: Usage | None
    estimated: bool
    """Whether the usage is an estimate that the case gives, for want of what the provider said."""
    price: Price | None
    reason: str
    """Why the cost is unknown; empty where it is known."""

    @property
    def cost_usd(self) -> Decimal | None:
        """None: unknown."""
        return self.price.cost_usd(self.usage) if self.price and self.usage else None


def calls_in(case: Mapping[str, Any], price_of: PriceOf) -> list[PricedCall]:
    """Every call of a case, failed ones and the Conductor's included.

    Raises:
        ConfigError: the case is not what it must be.
    """
    return list(_calls(case, "", (None, "the case names no price and no model"), price_of, _DEPTH))


def same_either_way(figures: Mapping[str, Any]) -> bool:
    """Whether the same figures are read alike from a whole reply and from a stream."""
    whole = {"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}], "usage": figures}
    pieces: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": {"content": "x"}, "finish_reason": "stop"}]},
        {"choices": [], "usage": figures},
    ]
    decoder = StreamDecoder()
    for piece in pieces:
        decoder.feed(f"data: {json.dumps(piece)}\n\n".encode())
    decoder.close()
    return decoder.completion().usage == decode(json.dumps(whole).encode()).usage


_Known = tuple[Price | None, str]
"""A price, or why there is none."""


def _calls(
    case: Mapping[str, Any], who: str, outer: _Known, price_of: PriceOf, depth: int
) -> Iterator[PricedCall]:
    if not depth:
        raise ConfigError(f"calls lie in calls more than {_DEPTH} deep")
    known = _price_in(case, who, price_of) or outer
    parts = "steps" if "steps" in case or "conductor_usage" in case else "attempts"
    if parts not in case and "conductor_usage" not in case:
        yield _one(case, who, known)
        return
    if "conductor_usage" in case:
        planner = _price_in(case, CONDUCTOR, price_of) or outer
        yield _one({"usage": case["conductor_usage"]}, CONDUCTOR, planner)
    items = case.get(parts, [])
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise ConfigError(f"key {parts!r} must be a list of objects; found {items!r}")
    for i, item in enumerate(items):
        name = str(item.get("worker", i)) if parts == "steps" else who
        inner = _price_in(case, name, price_of) or outer
        yield from _calls(item, name, inner, price_of, depth - 1)


def _one(case: Mapping[str, Any], who: str, known: _Known) -> PricedCall:
    figures = _figures(case)
    usage = None if figures is None else usage_from(figures)
    estimate = case.get("text_tokens_estimate")
    estimated = usage is None and isinstance(estimate, dict)
    status = case.get("status")
    if isinstance(estimate, dict) and estimated:
        usage = usage_from(
            {
                "prompt_tokens": estimate.get("prompt"),
                "completion_tokens": estimate.get("completion"),
            }
        )
    elif usage is None and isinstance(status, int) and status >= 400:
        usage = Usage()  # such a call costs nothing
    price, reason = known
    if usage is None:
        reason = "the provider did not say how many tokens were read and written"
    return PricedCall(who, usage, estimated, price, "" if price and usage else reason)


def _figures(case: Mapping[str, Any]) -> Mapping[str, Any] | None:
    chunks = case.get("usage_chunks", case.get("chunks"))
    if chunks is None:
        response = case.get("response")
        return figures_in(response if isinstance(response, dict) else case)
    if not isinstance(chunks, list):
        raise ConfigError(f"key 'usage_chunks' must be a list; found {chunks!r}")
    figures: Mapping[str, Any] | None = None
    for chunk in chunks:
        if isinstance(chunk, dict):
            # A chunk is a whole event, or only its figures.
            told = figures_in(chunk) or ({} if "choices" in chunk else chunk)
            figures = merged(figures, told) if told else figures
    return figures


def _price_in(case: Mapping[str, Any], who: str, price_of: PriceOf) -> _Known | None:
    """The price that this object itself names; None: it names none."""
    if "tiers" in case:
        return _tiered(case["tiers"])
    if "price_per_m" in case:
        rates = case["price_per_m"]
        if isinstance(rates, dict) and rates and all(isinstance(r, dict) for r in rates.values()):
            if who not in rates:
                return None if not who else (None, f"the case names no price for {who!r}")
            rates = rates[who]
        return _flat(rates)
    if isinstance(case.get("model"), str):
        model, endpoint = case["model"], case.get("endpoint", "")
        price = price_of(model, endpoint if isinstance(endpoint, str) else "")
        return price, "" if price else f"no price of {model!r} is known"
    return None


def _tiered(tiers: object) -> _Known:
    if isinstance(tiers, dict):
        steps = [{"threshold": 0} | _object(tiers.get("low"), "low")]
        steps.append({"threshold": tiers.get("threshold")} | _object(tiers.get("high"), "high"))
    elif isinstance(tiers, list) and tiers:
        steps = [_object(item, "tiers") for item in tiers]
    else:
        raise ConfigError(f"key 'tiers' must be an object or a list; found {tiers!r}")
    found = []
    for i, step in enumerate(steps):
        starts = [step[name] for name in _START if name in step]
        start = starts[0] if starts else 0 if i == 0 else None
        if isinstance(start, bool) or not isinstance(start, int):
            raise ConfigError(f"a tier must name its threshold in tokens; found {start!r}")
        price, reason = _flat({k: v for k, v in step.items() if k not in _START})
        if price is None:
            return None, reason
        found.append((start, price))
    base, *higher = found
    flat = base[1]
    rest = tuple(Tier(start, price) for start, price in higher)
    return (
        Price(
            flat.input_usd,
            flat.output_usd,
            flat.cached_usd,
            flat.cache_write_usd,
            flat.cache_write_1h_usd,
            rest,
        ),
        "",
    )


def _flat(rates: object) -> _Known:
    if rates is None:
        return None, "the price is unknown"
    known = _object(rates, "price_per_m")
    names = {name: rate for rate, names in _RATES.items() for name in names}
    found: dict[str, Decimal] = {}
    for name, value in known.items():
        if value is None:
            continue
        if name not in names:
            return None, f"a price for {name!r} is not known here; known: {', '.join(names)}"
        found[names[name]] = _usd(name, value)
    for name in ("input", "output"):
        if name not in found:
            return None, f"the price for {name} is unknown"
    return (
        Price(
            found["input"],
            found["output"],
            found.get("cached"),
            found.get("cache_write"),
            found.get("cache_write_1h"),
        ),
        "",
    )


def _usd(name: str, value: object) -> Decimal:
    try:
        # A float's shortest spelling is what stands in the text.
        usd = None if isinstance(value, bool) else Decimal(str(value))
    except InvalidOperation:
        usd = None
    # One that could not be computed with is no price.
    if usd is None or not usd.is_finite() or usd.adjusted() > _MOST_DIGITS:
        raise ConfigError(f"price {name!r} must be a number; found {value!r}")
    return usd


def _object(value: object, key: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ConfigError(f"key {key!r} must be an object; found {value!r}")
    return value
