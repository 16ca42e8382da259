"""Prices that a person wrote down, as TOML tables: in a pool file, and in a file of one's own.

    [[prices]]
    model = "my-model"                        # an id, or the beginning of one: "my-*"
    endpoint = "http://127.0.0.1:8000/v1"     # optional: only there
    input_usd = 1.25                          # all in dollars per million tokens
    output_usd = 10
    cached_usd = 0.125                        # optional, like the next three
    cache_write_usd = 1.5625
    cache_write_1h_usd = 2.5
    tiers = [{ above_tokens = 200000, input_usd = 2.5, output_usd = 15, cached_usd = 0.25 }]

The list prices of providers are left to `list_prices.py`.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from platformdirs import user_config_path

from partbook.errors import ConfigError
from partbook.price import Price, Tier
from partbook.toml_table import Table, read_toml

__all__ = ["PRICES_VARIABLE", "OwnPrice", "own_price_of", "read_own_prices", "take_price"]

PRICES_VARIABLE = "PARTBOOK_PRICES"
"""Environment variable with the path of the file of one's own prices."""


@dataclass(frozen=True, slots=True)
class OwnPrice:
    """One entry of the file."""

    model: str
    """The provider's id of the model; a `*` at its end stands for any rest."""
    endpoint: str
    """What the URL that is called begins with; empty: any."""
    price: Price


def read_own_prices(path: Path | None = None) -> tuple[OwnPrice, ...]:
    """The entries of the file of one's own prices, in order.

    Args:
        path: None: the file that `PARTBOOK_PRICES` names, else `prices.toml` in the user's
            configuration directory, which need not be there.

    Raises:
        ConfigError: the file is wrong, or one that was named is not there.
    """
    named = os.environ.get(PRICES_VARIABLE, "").strip()
    if path is None and named:
        path = Path(os.path.expanduser(named))
    if path is None:
        path = user_config_path("partbook", appauthor=False) / "prices.toml"
        try:
            path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return ()
        except OSError:
            pass  # `read_toml` says what keeps it from being read
    table = read_toml(path)
    found = []
    for item in table.take_tables("prices"):
        model, endpoint = item.take("model", str), item.take("endpoint", str, "")
        if not model.strip():
            raise ConfigError(f"{item.where}: `model` is blank")
        found.append(OwnPrice(model, endpoint, take_price(item)))
    table.done()
    return tuple(found)


def own_price_of(own: Sequence[OwnPrice], model: str, endpoint: str) -> Price | None:
    """The price in the first entry that fits; None: none does."""
    for entry in own:
        start = entry.model.removesuffix("*")
        fits = model.startswith(start) if start != entry.model else model == entry.model
        if fits and endpoint.startswith(entry.endpoint):
            return entry.price
    return None


def take_price(table: Table) -> Price:
    """The price that a table holds; nothing else may be left in the table.

    Raises:
        ConfigError: a key is missing, unknown or of another type, or a price is below 0.
    """
    tiers = tuple(_take_tier(item) for item in table.take_tables("tiers"))
    return _take_rates(table, tiers)


def _take_tier(table: Table) -> Tier:
    above = table.take("above_tokens", int)
    return Tier(above, _take_rates(table, ()))


def _take_rates(table: Table, tiers: tuple[Tier, ...]) -> Price:
    input_usd, output_usd = table.take("input_usd", float), table.take("output_usd", float)
    cached_usd = table.take("cached_usd", float, None)
    cache_write_usd = table.take("cache_write_usd", float, None)
    cache_write_1h_usd = table.take("cache_write_1h_usd", float, None)
    table.done()
    try:
        return Price(
            _exact(input_usd),
            _exact(output_usd),
            None if cached_usd is None else _exact(cached_usd),
            None if cache_write_usd is None else _exact(cache_write_usd),
            None if cache_write_1h_usd is None else _exact(cache_write_1h_usd),
            tiers,
        )
    except ConfigError as err:
        raise ConfigError(f"{table.where}: {err}") from err


def _exact(usd: float) -> Decimal:
    """The number as it stands in the file, which is a float's shortest spelling."""
    return Decimal(str(usd))
