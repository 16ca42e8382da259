"""Assumed figures: a TOML file of what nobody measured.

    [[workers]]
    name = "gpt-5"               # of the pool; "*": everybody who has no table of their own
    p50_s = 8                    # seconds of a call: lognormal between these two quantiles
    p95_s = 30
    read_tokens = 1200
    written_tokens = 600
    failing = 0.01               # share of calls that fail in a way that may pass
    fault = "overloaded"         # and how
    price = { input_usd = 1.25, output_usd = 10 }
    max_concurrency = 64         # these three in place of the pool file's
    requests_per_minute = 500
    tokens_per_minute = 200000
    provider = { concurrency = 20, refuses = true, retry_after_s = 2 }

    [conductor]                  # the same, without a name
    [[workflows]]                # what requests have done for them, by shares
    share = 0.7
    proposals = 1                # calls of the Conductor
    steps = ["gpt-5", "*"]       # "*": any worker, drawn anew
    access = [[], [0]]
    [policy]
    generate_s = 90              # to write the rollouts of a step
    update_s = 120
    [endpoint]
    processes = 1
    cpu_ms = 0.8                 # of a call
    most_at_once = 2000
    process_mb = 90              # memory of a process without requests
    request_kb = 200             # and of a request while it is played

A table that says something of a worker but not its seconds leaves them as they were measured.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from pathlib import Path

from partbook.errors import ConfigError, FaultKind
from partbook.message import Usage
from partbook.own_prices import take_price
from partbook.price import Price
from partbook.retry import REACTIONS
from partbook.simulate.figures import (
    ANYBODY,
    Assumed,
    Mix,
    Plan,
    PlannedRound,
    PlannedStep,
    Provider,
)
from partbook.simulate.serving import Endpoint
from partbook.simulate.training import Policy
from partbook.toml_table import Table, read_toml
from partbook.workflow import Step, Workflow

__all__ = ["NOTHING", "Stated", "StatedWorker", "read_stated"]


@dataclass(frozen=True, slots=True)
class StatedWorker:
    """What a table says of a worker; None: nothing."""

    calls: Assumed | None = None
    price: Price | None = None
    max_concurrency: int | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    faults: Mapping[FaultKind, float] | None = None
    provider: Provider | None = None


@dataclass(frozen=True, slots=True)
class Stated:
    """What a file of assumed figures says."""

    workers: Mapping[str, StatedWorker] = field(default_factory=dict)
    """By name; perhaps `ANYBODY`."""
    conductor: StatedWorker | None = None
    mix: Mix | None = None
    policy: Policy | None = None
    endpoint: Endpoint | None = None

    def of(self, worker: str) -> StatedWorker:
        """What is said of a worker, by its own table or by that of everybody."""
        return self.workers.get(worker) or self.workers.get(ANYBODY) or StatedWorker()

    def check_names(self, names: list[str], where: str) -> None:
        """Refuse a worker that the pool does not have.

        Raises:
            ConfigError: names it, and those that there are.
        """
        asked = {*self.workers, *(self.mix.workers if self.mix else ())} - {ANYBODY}
        for name in sorted(asked - set(names)):
            raise ConfigError(
                f"the figures are for a worker {name!r}, {where} has {', '.join(names)}"
            )


NOTHING = Stated()
"""Nobody said anything."""


def read_stated(path: Path) -> Stated:
    """Read a file of assumed figures.

    Raises:
        ConfigError: it is wrong; the message names file, place and key.
    """
    table = read_toml(path)
    source = f"assumed ({path.name})"
    workers: dict[str, StatedWorker] = {}
    for item in table.take_tables("workers"):
        name = item.take("name", str)
        if name in workers:
            raise ConfigError(f"{item.where}: worker {name!r} has a table already")
        workers[name] = _worker(item, source)
    own = table.take_table("conductor")
    policy = table.take_table("policy")
    endpoint = table.take_table("endpoint")
    stated = Stated(
        workers,
        None if own is None else _worker(own, source),
        _mix(table.take_tables("workflows"), source),
        None if policy is None else _policy(policy, source),
        None if endpoint is None else _endpoint(endpoint, source),
    )
    table.done()
    return stated


def _worker(table: Table, source: str) -> StatedWorker:
    p50_s = table.take("p50_s", float, None)
    p95_s = table.take("p95_s", float, p50_s)
    read = _count(table, "read_tokens", 0)
    written = _count(table, "written_tokens", 0)
    if p50_s is None and (p95_s is not None or read is not None or written is not None):
        raise ConfigError(f"{table.where}: p95_s and tokens need `p50_s`, the seconds of a call")
    if p50_s is not None and (read is None or written is None):
        raise ConfigError(
            f"{table.where}: `read_tokens` and `written_tokens` are missing: how long calls are"
        )
    calls = None
    if p50_s is not None and p95_s is not None:
        calls = Assumed(p50_s, p95_s, Usage(read or 0, written or 0), source)
    price = table.take_table("price")
    provider = table.take_table("provider")
    worker = StatedWorker(
        calls,
        None if price is None else take_price(price),
        _count(table, "max_concurrency"),
        _count(table, "requests_per_minute"),
        _count(table, "tokens_per_minute"),
        _faults(table),
        None if provider is None else _provider(provider),
    )
    table.done()
    return worker


def _faults(table: Table) -> Mapping[FaultKind, float] | None:
    share = table.take("failing", float, None)
    kind = table.take_one_of("fault", REACTIONS, "overloaded")
    if share is not None and not 0 <= share <= 1:
        raise ConfigError(f"{table.where}: `failing` must be from 0 to 1, found {share:g}")
    return None if share is None else {kind: share}


def _provider(table: Table) -> Provider:
    concurrency = _count(table, "concurrency")
    if concurrency is None:
        raise ConfigError(f"{table.where}: `concurrency` is missing")
    refuses = table.take("refuses", bool, False)
    retry_after_s = table.take("retry_after_s", float, None)
    if retry_after_s is not None and not 0 <= retry_after_s < inf:
        raise ConfigError(
            f"{table.where}: `retry_after_s` must be 0 or more, found {retry_after_s:g}"
        )
    table.done()
    return Provider(concurrency, refuses, retry_after_s)


def _mix(tables: list[Table], source: str) -> Mix | None:
    plans, shares = [], []
    for table in tables:
        shares.append(table.take("share", float, 1.0))
        proposals = _count(table, "proposals", 0) or 0
        names = table.take_list("steps", str)
        access = table.take_list("access", list)
        table.done()
        if access and len(access) != len(names):
            raise ConfigError(f"{table.where}: a list of `access` for each of `steps` was expected")
        reads = [tuple(one) for one in access] or [tuple(range(i)) for i in range(len(names))]
        if not all(type(j) is int for one in reads for j in one):
            raise ConfigError(f"{table.where}: `access` must be lists of the numbers of steps")
        Workflow(tuple(Step(0, "stated", one) for one in reads))  # refuses what cannot be played
        steps = tuple(PlannedStep(name, one) for name, one in zip(names, reads, strict=True))
        plans.append(Plan((PlannedRound(proposals, steps),)))
    return Mix(plans, shares, source) if plans else None


def _policy(table: Table, source: str) -> Policy:
    policy = Policy(table.take("generate_s", float), table.take("update_s", float), source)
    table.done()
    return policy


def _endpoint(table: Table, source: str) -> Endpoint:
    usual = Endpoint()
    endpoint = Endpoint(
        processes=_count(table, "processes") or usual.processes,
        cpu_s=table.take("cpu_ms", float, 0.0) / 1000,
        most=_count(table, "most_at_once") or usual.most,
        base_bytes=table.take("process_mb", float, 0.0) * 2**20,
        request_bytes=table.take("request_kb", float, 0.0) * 2**10,
        source=source,
    )
    table.done()
    if not all(
        0 <= one < inf for one in (endpoint.cpu_s, endpoint.base_bytes, endpoint.request_bytes)
    ):
        raise ConfigError(f"{table.where}: `cpu_ms` and memory must be 0 or more")
    return endpoint


def _count(table: Table, key: str, least: int = 1) -> int | None:
    value = table.take(key, int, None)
    if value is not None and value < least:
        raise ConfigError(f"{table.where}: `{key}` must be {least} or more, found {value}")
    return value
