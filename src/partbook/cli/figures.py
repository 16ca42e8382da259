"""How times, tokens and money are written for a person. Unknown is never 0."""

from datetime import datetime
from decimal import Decimal

from partbook.message import Usage

__all__ = ["date", "price", "tokens"]

_SMALLEST = Decimal("0.0001")


def price(cost_usd: Decimal | None) -> str:
    """Dollars to a hundredth of a cent, or to a cent from one dollar on.

    >>> price(Decimal("0.00495")), price(Decimal(12)), price(Decimal(0)), price(None)
    ('$0.0050', '$12.00', '$0', 'unknown')
    """
    if cost_usd is None:
        return "unknown"
    if cost_usd == 0:
        return "$0"
    if cost_usd < _SMALLEST:
        return f"<${_SMALLEST}"
    return f"${cost_usd:.2f}" if cost_usd >= 1 else f"${cost_usd:.4f}"


def tokens(usage: Usage | None) -> str:
    """Tokens read and written, or that they are unknown.

    >>> tokens(Usage(1204, 310)), tokens(None)
    ('1,204 + 310 tokens', 'tokens unknown')
    """
    if usage is None:
        return "tokens unknown"
    return f"{usage.prompt_tokens:,} + {usage.completion_tokens:,} tokens"


def date(at: float, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    """A moment, given in seconds since the epoch, as local time."""
    return datetime.fromtimestamp(at).astimezone().strftime(form)
