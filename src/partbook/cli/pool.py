"""`partbook pool`: which pools come along, who is in them, and whether they can be reached."""

import asyncio
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from partbook.cli.asking import PricesOption
from partbook.cli.opening import opened_pool
from partbook.cli.plain import head, open_console, print_json
from partbook.cli.probing import probe_of
from partbook.config import PoolConfig, load_pool, pool_names
from partbook.errors import PartbookError
from partbook.message import Message
from partbook.pool import WorkerSpec
from partbook.price import Price
from partbook.spend_json import money

__all__ = ["pool_app"]

pool_app = typer.Typer(help="The workers that a Conductor may call.", no_args_is_help=True)

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]

_CHECK_TOKENS = 16


@dataclass(frozen=True, slots=True)
class _Check:
    """What one call told about a worker."""

    worker: str
    model: str
    reachable: bool
    seconds: float | None
    context_window: int | None
    """Tokens; None: unknown."""
    price: str | None
    """Dollars per million tokens, read / written; None: unknown."""
    detail: str


@pool_app.command("list")
def list_command(json: JsonOption = False) -> None:
    """List the pools that come along."""
    configs = [load_pool(name) for name in pool_names()]
    if json:
        found = [{"name": c.name, "about": c.about, "workers": len(c.workers)} for c in configs]
        print_json(found)
        return
    for config in configs:
        print(f"{config.name:16} {len(config.workers):3} workers  {config.about}")


@pool_app.command("show")
def show_command(name: str = typer.Argument("embedded"), json: JsonOption = False) -> None:
    """Show the workers of a pool as its Conductor sees them."""
    config = load_pool(name)
    if json:
        print_json([_spec_to_dict(s) for s in config.workers])
        return
    print(head(config.about))
    for i, spec in enumerate(config.workers):
        print(f"{i:3}  {head(spec.name):22} {spec.kind:11} {head(spec.card)}")


@pool_app.command("check")
def check_command(
    name: str = typer.Argument("embedded"),
    json: JsonOption = False,
    prices: PricesOption = None,
) -> None:
    """Call every worker of a pool once: is it there, how quick, what does it cost?

    Exit status 1 if one of them cannot be reached.
    """
    checks = asyncio.run(_check_all(load_pool(name), prices))
    if json:
        print_json([asdict(check) for check in checks])
    else:
        _print_table(checks)
    if not all(check.reachable for check in checks):
        raise typer.Exit(1)


async def _check_all(config: PoolConfig, prices: Path | None) -> list[_Check]:
    return [await _check(config, spec, prices) for spec in config.workers]


async def _check(config: PoolConfig, spec: WorkerSpec, prices: Path | None) -> _Check:
    if spec.kind == "conductor":
        return _describe(spec, 0.0, "is the Conductor itself, which is not asked here")
    begun = time.monotonic()
    try:
        async with opened_pool(config, {spec.name}, prices=prices) as pool:
            worker = pool[pool.find(spec.name)]
            begun = time.monotonic()  # opening may load a model; the call is what is timed
            completion = await worker.model.chat(
                [Message("user", probe_of(spec))],
                replace(spec.sampling, max_tokens=_CHECK_TOKENS),
            )
            seconds = time.monotonic() - begun
            return _describe(worker.spec, seconds, f"answered {completion.text.strip()[:40]!r}")
    except PartbookError as err:
        return _describe(spec, None, str(err))


def _describe(spec: WorkerSpec, seconds: float | None, detail: str) -> _Check:
    return _Check(
        spec.name,
        spec.model or spec.kind,
        seconds is not None,
        None if seconds is None else round(seconds, 3),
        spec.context_window,
        _price(spec.price),
        detail,
    )


def _price(price: Price | None) -> str | None:
    return None if price is None else f"{money(price.input_usd)} / {money(price.output_usd)}"


def _print_table(checks: list[_Check]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in (
        "worker",
        "model",
        "reachable",
        "seconds",
        "context",
        "$ per M in/out",
        "detail",
    ):
        table.add_column(column, overflow="fold")
    for check in checks:
        table.add_row(
            Text(head(check.worker)),
            Text(head(check.model)),
            "yes" if check.reachable else "no",
            "" if check.seconds is None else f"{check.seconds:.2f}",
            "unknown" if check.context_window is None else str(check.context_window),
            check.price or "unknown",
            Text(head(check.detail)),  # a worker's words are no markup
        )
    open_console().print(table)


def _spec_to_dict(spec: WorkerSpec) -> dict[str, object]:
    return {
        "name": spec.name,
        "kind": spec.kind,
        "model": spec.model,
        "endpoint": spec.endpoint,
        "card": spec.card,
        "roles": list(spec.roles),
        "labels": list(spec.labels),
        "price": _price(spec.price),
    }
