"""Numbers as options say them: amounts of money, shares, pairs, lists.

Whatever is wrong is said with the option's name and an example of what was expected.
"""

from decimal import Decimal, InvalidOperation

from partbook.errors import ConfigError
from partbook.price import Price

__all__ = ["amount", "number", "pair", "price_of_tokens", "share", "whole_numbers"]

_BELOW = Decimal("1e12")
"""No amount that is meant is as large; larger ones could not be computed with."""


def number(option: str, text: str) -> Decimal:
    """A number of 0 or more.

    Raises:
        ConfigError: it is none, or 1e12 or more.
    """
    value = _decimal(text)
    if value is None or not 0 <= value < _BELOW:
        raise ConfigError(f"{option}: a number of 0 or more was expected, found {text!r}")
    return value


def amount(option: str, text: str | None) -> Decimal | None:
    """US dollars, with or without their sign; None: the option is not given.

    Raises:
        ConfigError: it is no amount.
    """
    if text is None:
        return None
    usd = _decimal(text.removeprefix("$"))
    if usd is None:
        raise ConfigError(f"{option}: an amount like 0.25 was expected, found {text!r}")
    if not 0 <= usd < _BELOW:
        raise ConfigError(f"{option}: an amount of 0 or more was expected, found {text!r}")
    return usd


def share(option: str, text: str) -> Decimal:
    """A share like 40% or 0.4; whether it is too large is for its user to say.

    Raises:
        ConfigError: it is no number.
    """
    bare = text.strip()
    value = number(option, bare.removesuffix("%").strip())
    return value / 100 if bare.endswith("%") else value


def pair(option: str, text: str, like: str, *, may_be_one: bool = False) -> tuple[Decimal, Decimal]:
    """Two numbers with a slash between.

    Args:
        option: what they stand behind.
        text: what stands there.
        like: what was expected, with an example; for the message.
        may_be_one: whether one number stands for both.

    Raises:
        ConfigError: it is something else.
    """
    first, slash, second = text.partition("/")
    if may_be_one and not slash:
        second = first
    found = [_decimal(part.strip().removeprefix("$")) for part in (first, second)]
    one, other = found
    if one is None or other is None or not all(0 <= value < _BELOW for value in (one, other)):
        raise ConfigError(f"{option}: {like} were expected, found {text!r}")
    return one, other


def price_of_tokens(option: str, text: str, *, may_be_one: bool = False) -> Price:
    """A price from dollars per million tokens read/written.

    Raises:
        ConfigError: it is none.
    """
    like = "dollars per million tokens read/written like 5/25"
    return Price(*pair(option, text, like, may_be_one=may_be_one))


def whole_numbers(option: str, text: str) -> list[int]:
    """Whole numbers with commas between, each once.

    Raises:
        ConfigError: they are something else.
    """
    try:
        return list(dict.fromkeys(int(part) for part in text.split(",")))
    except ValueError as err:
        raise ConfigError(f"{option}: expected numbers like 0,1,2; found {text!r}") from err


def _decimal(text: str) -> Decimal | None:
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    return value if not value.is_nan() else None
