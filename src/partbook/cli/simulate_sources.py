"""Where the figures of `partbook simulate` are from: pool, store, evaluations, file, options.

What is measured is looked for among the runs of the same pool; what is assumed is said to be.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from partbook.cli.amounts import pair, price_of_tokens
from partbook.cli.settling import settled
from partbook.errors import ConfigError
from partbook.own_prices import read_own_prices
from partbook.pool import WorkerSpec

if TYPE_CHECKING:
    from partbook.config import PoolConfig
    from partbook.simulate.figures import Assumed, Mix
    from partbook.simulate.measured import Measurement
    from partbook.simulate.staging import Sources

__all__ = ["Wish", "played_mix", "priced", "sources_of"]

NEWEST = 5_000
"""Runs of the store that are read, the newest first."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What the options say of figures."""

    figures: Path | None = None
    store: bool = True
    recorded: Sequence[Path] = ()
    system: str | None = None
    latency: str | None = None
    tokens: str | None = None
    price: str | None = None
    prices: Path | None = None


def sources_of(wish: Wish, pool: str, tokens: tuple[int, int] | None = None) -> "Sources":
    """All figures that there are.

    Args:
        wish: what the options say.
        pool: name of the pool whose runs are looked at.
        tokens: read and written by a call, where no option says it; None: unknown.

    Raises:
        ConfigError: an option or a file is wrong.
    """
    from partbook.simulate.assumed import NOTHING, read_stated
    from partbook.simulate.staging import Sources

    return Sources(
        _measured(wish, pool),
        NOTHING if wish.figures is None else read_stated(wish.figures),
        _assumed(wish, tokens),
        None
        if wish.price is None
        else price_of_tokens("--assume-price", wish.price, may_be_one=True),
    )


def _measured(wish: Wish, pool: str) -> "list[Measurement]":
    from partbook.simulate.measured import Measurement

    found: list[Measurement] = []
    for folder in wish.recorded:
        from partbook.evaluate.running.results import RESULTS, Results

        results = Results.read(folder.parent if folder.name == RESULTS else folder)
        measurement = Measurement(f"measured in {folder.name}")
        known = {cell.system for cell in results.cells.values()}
        if wish.system is not None and wish.system not in known:
            names = ", ".join(sorted(known))
            raise ConfigError(f"--system: {folder} has {names}; found {wish.system!r}")
        for cell in results.cells.values():
            measurement.add_cell(cell, wish.system)
        found.append(measurement)
    if wish.store:
        from partbook.store import Store, default_url

        measurement = Measurement("measured in the store")
        with Store.open(default_url()) as store:
            for trace in store.traces(NEWEST):
                if trace.pool == pool:
                    measurement.add(trace)
        found.append(measurement)
    return found


def _assumed(wish: Wish, tokens: tuple[int, int] | None) -> "Assumed | None":
    from partbook.message import Usage
    from partbook.simulate.figures import Assumed

    if wish.latency is None:
        if wish.tokens is not None:
            raise ConfigError("--assume-tokens goes with --assume-latency P50/P95")
        return None
    p50_s, p95_s = pair("--assume-latency", wish.latency, "seconds like 2/10", may_be_one=True)
    if wish.tokens is not None:
        like = "tokens like 1200/600"
        read, written = pair("--assume-tokens", wish.tokens, like, may_be_one=True)
        tokens = round(read), round(written)
    if tokens is None:
        raise ConfigError("--assume-latency goes with --assume-tokens READ/WRITTEN")
    return Assumed(float(p50_s), float(p95_s), Usage(*tokens), "assumed (--assume-latency)")


def priced(specs: Sequence[WorkerSpec], prices: Path | None) -> list[WorkerSpec]:
    """The specs with their prices, where they are known; nobody is opened, and no key is read."""
    own = read_own_prices(prices)
    return [replace(spec, price=settled(spec, own).price) for spec in specs]


def played_mix(
    config: "PoolConfig", sources: "Sources", workflow: str | None, conductor: str | None
) -> "tuple[Mix, WorkerSpec | None]":
    """The workflows of requests, and who writes them.

    Raises:
        ConfigError: nothing says what requests have done for them.
    """
    from partbook.cli.choosing import choose
    from partbook.cli.opening import closed_pool
    from partbook.simulate.staging import fixed_mix

    stated = sources.stated.mix if workflow is None else None
    if stated is not None and not stated.is_conducted:
        return stated, None
    choice = choose(config, workflow, conductor)
    if choice.fixed is not None and stated is None:
        pool = closed_pool(config)
        source = f"the fixed workflow {choice.fixed.name!r}"
        return fixed_mix(choice.fixed.resolve(pool), pool.names, source), None
    found = stated or sources.mix()
    if found is None:
        raise ConfigError(
            f"no workflows are known for pool {config.name!r}: play some requests on it, state "
            "them as [[workflows]] in --figures FILE, or name a fixed one: --workflow NAME"
        )
    if choice.outside is not None:
        return found, choice.outside.spec
    return found, next((one for one in config.workers if one.name == choice.conductor), None)
