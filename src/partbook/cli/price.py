"""`partbook price`: what calls cost, from usage and prices on standard input."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from partbook.cli.asking import PricesOption
from partbook.cli.case import read_case
from partbook.cli.plain import print_json
from partbook.message import Usage
from partbook.own_prices import read_own_prices
from partbook.price import Price, total_usd
from partbook.spend_json import money

if TYPE_CHECKING:
    from partbook.cli.price_case import PricedCall

__all__ = ["price_command"]


def price_command(
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    prices: PricesOption = None,
) -> None:
    """Compute what calls cost, from usage and prices on standard input.

    {"price_per_m": {"input": "2.00", "output": "8.00"}, "usage": {"prompt_tokens": 2000,
    "completion_tokens": 400}} costs 0.0072 dollars. docs/money.md says what else is understood.
    What is unknown is null, with a reason, and never 0.
    """
    from partbook.cli.price_case import calls_in

    case, own = read_case(), read_own_prices(prices)

    def price_of(model: str, endpoint: str) -> Price | None:
        from partbook.list_prices import price_of as listed

        return listed(model, endpoint, own)

    found = _answer(case, calls_in(case, price_of))
    if json:
        print_json(found)
        return
    cost = found["cost_usd"]
    print(f"unknown: {found['reason']}" if cost is None else f"${cost}")


def _answer(case: Mapping[str, Any], calls: "list[PricedCall]") -> dict[str, Any]:
    from partbook.cli.price_case import same_either_way

    usages = [call.usage for call in calls if call.usage is not None]
    usage = sum(usages, Usage())
    cost = total_usd(call.cost_usd for call in calls) if calls else None
    found: dict[str, Any] = {"cost_usd": money(cost)}
    if found["cost_usd"] is None:
        found["reason"] = next((call.reason for call in calls if call.reason), "no call was made")
    if usage.inconsistent:
        found["flag"] = "inconsistent_usage"
    if any(call.estimated for call in calls):
        found["estimated"] = True
    if "same_request" in case and isinstance(case.get("usage"), dict):
        found["equal_for_both"] = same_either_way(case["usage"])
    found["calls"] = len(calls)
    if not usages:
        return found
    prefix = "total_" if "steps" in case or "conductor_usage" in case else ""
    found[f"{prefix}prompt_tokens"] = usage.prompt_tokens
    found[f"{prefix}completion_tokens"] = usage.completion_tokens
    found["cached_tokens"] = usage.cached_tokens
    found["cache_write_tokens"] = usage.cache_write_tokens
    found["reasoning_tokens"] = usage.reasoning_tokens
    if "format" in case:  # most providers with a shape of their own call it so
        found["output_tokens"] = usage.completion_tokens
    if prefix:
        found["per_worker"] = _per_worker(calls)
    return found


def _per_worker(calls: "list[PricedCall]") -> dict[str, list[int]]:
    """Prompt and completion tokens by who was asked, in the order of the first calls."""
    sums: dict[str, Usage] = {}
    for call in calls:
        if call.usage is not None:
            sums[call.who] = sums.get(call.who, Usage()) + call.usage
    return {who: [usage.prompt_tokens, usage.completion_tokens] for who, usage in sums.items()}
