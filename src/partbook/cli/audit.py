"""`partbook audit`: which prompts of a log ask for several stages, and so are worth splitting."""

import asyncio
import csv
import sys
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from partbook.cli.asking import (
    AssumePriceOption,
    MaxUsdOption,
    OnOption,
    PoolOption,
    PricesOption,
    limits_of,
)
from partbook.cli.files import write_text
from partbook.cli.plain import print_json
from partbook.cli.savings import Lang, rates_of
from partbook.csv_cell import csv_cell
from partbook.errors import ConfigError
from partbook.spend_json import money

if TYPE_CHECKING:
    from partbook.budget import Limits
    from partbook.cli.choosing import Choice
    from partbook.config import PoolConfig
    from partbook.economy.audit import Candidate
    from partbook.economy.conducted import Conducted
    from partbook.economy.prompts import Prompt
    from partbook.economy.words import Language

__all__ = ["audit_command"]

_TIMEOUT_S = 120.0
"""Of one prompt that a Conductor reads."""


def audit_command(
    logs: Annotated[
        list[Path] | None,
        typer.Argument(help="Logs of prompts: chat requests or OpenAI batches as JSONL, or CSV."),
    ] = None,
    store: Annotated[
        bool, typer.Option("--store", help="Take the questions of the runs that are kept.")
    ] = False,
    top: Annotated[int, typer.Option(min=1, help="List at most so many kinds of work.")] = 10,
    conductor: Annotated[
        str | None,
        typer.Option(
            "--conductor",
            "-c",
            help="Also let this Conductor write a workflow for prompts of a sample, as in "
            "`partbook plan`; `embedded` needs no network.",
        ),
    ] = None,
    conductor_limit: Annotated[
        int, typer.Option(min=1, help="With --conductor: prompts that it reads, drawn by chance.")
    ] = 100,
    pool: PoolOption = "embedded",
    max_usd: MaxUsdOption = None,
    assume_price: AssumePriceOption = None,
    prices: PricesOption = None,
    rate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CODE=USD", help="Dollars for one unit of a currency, as KRW=0.00072."
        ),
    ] = None,
    masked: Annotated[
        bool,
        typer.Option(
            "--mask",
            help="Mask addresses, numbers and keys in the examples and in what a Conductor reads.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    html: Annotated[
        Path | None, typer.Option(help="Also write the report, as one HTML file.")
    ] = None,
    lang: Annotated[Lang, typer.Option(help="Language of what is said.")] = Lang.EN,
    on: OnOption = "",
) -> None:
    """Find work of several stages in a log of prompts, by rules, on this machine alone.

    Such work (extract, then analyse, then write) is where splitting may help. A Conductor may be
    asked too; it plans and nobody carries it out.
    """
    from partbook.cli.audit_screen import print_audit
    from partbook.economy.audit import audit
    from partbook.economy.conducted import Sample
    from partbook.economy.mask import mask

    if not logs and not store:
        raise ConfigError("which log? Name its files, or --store for the runs that are kept")
    if as_csv and as_json:
        raise ConfigError("--csv and --json: give one of them")
    if max_usd is not None and conductor is None:
        raise ConfigError("--max-usd is for --conductor; the rules call no model")
    if on and conductor is None:
        raise ConfigError("--on is for --conductor; the rules need no other machine")
    shown: Callable[[str], str] = mask if masked else str
    limits = limits_of(max_usd, None, None, _TIMEOUT_S, assume_price)
    chosen = None if conductor is None else _chosen(pool, conductor)
    sample = Sample(0 if chosen is None else conductor_limit, shown)
    found = audit(sample.through(_prompts(logs or [], store, rates_of(rate or []))))
    if not found.prompts:
        raise ConfigError("there is no prompt in it")
    conducted = None
    if chosen is not None:
        _tell_where(*chosen, masked, lang.value)
        conducted = asyncio.run(_conducted(sample.prompts, *chosen, limits, prices, on))
    rows = [_data(one, shown) for one in found.candidates[:top]]
    if as_json:
        known = {
            "prompts": found.prompts,
            "several": found.several,
            "known_usd": money(found.known_usd),
            "unknown_costs": found.unknown_costs,
            "candidates": rows,
            "conductor": None if conducted is None else _conducted_data(conducted, shown),
        }
        print_json(known)
    elif as_csv:
        writer = csv.DictWriter(sys.stdout, _COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(_as_cells(row) for row in rows)
    else:
        print_audit(found, conducted, top, shown, lang.value)
    if html is not None:  # last: what a Conductor was paid for is on the screen by now
        from partbook.economy.audit_page import as_audit_page

        write_text("--html", html, as_audit_page(found, conducted, top, shown, lang.value))


_COLUMNS = ("stages", "steps", "prompts", "known_usd", "unknown_costs", "calls_split", "split_usd",
            "workflow", "example")  # fmt: skip


def _chosen(pool: str, conductor: str) -> "tuple[PoolConfig, Choice]":
    from partbook.cli.choosing import choose
    from partbook.config import load_pool

    config = load_pool(pool)
    return config, choose(config, None, conductor)


def _tell_where(config: "PoolConfig", choice: "Choice", masked: bool, language: "Language") -> None:
    """Say where the prompts go, if they leave this process, before they do."""
    from partbook.economy.audit_words import told

    named = {worker.name: worker for worker in config.workers}
    spec = named[choice.conductor] if choice.outside is None else choice.outside.spec
    if not spec.is_here:
        where = f"{spec.endpoint}#{spec.model}" if spec.endpoint else spec.kind
        how = told(language, "sent.masked" if masked else "sent.plain")
        print(told(language, "sent", where=where, how=how), file=sys.stderr)


async def _conducted(
    prompts: "list[Prompt]",
    config: "PoolConfig",
    choice: "Choice",
    limits: "Limits",
    prices: Path | None,
    on: str,
) -> "Conducted":
    from partbook.cli.asking import check_prices
    from partbook.cli.opening import opened_pool
    from partbook.cli.spreading import away_of, open_nodes, opened_fleet
    from partbook.conduct import Conductor
    from partbook.economy.conducted import read_prompts

    needed = {choice.conductor} if choice.conductor else set()
    everybody = choice.everybody(config)
    async with (
        opened_fleet(on, [everybody]) as nodes,
        opened_pool(config, needed, prices=prices, away=away_of(nodes)) as opened,
        choice.opened(opened, prices=prices, away=away_of(nodes)) as proposer,
    ):
        check_prices(opened, needed, limits, proposer)
        await open_nodes(nodes, _say)
        assert isinstance(proposer, Conductor)
        name = choice.conductor or (choice.outside.text if choice.outside else "")
        told = _progress(len(prompts))
        return await read_prompts(prompts, name, opened, proposer, limits, told, nodes)


def _say(line: str) -> None:
    print(line, file=sys.stderr)


def _progress(count: int) -> Callable[[int], None]:
    def tell(done: int) -> None:
        if sys.stderr.isatty():
            print(f"\r{done}/{count}", end="\n" if done == count else "", file=sys.stderr)

    return tell


def _prompts(logs: list[Path], store: bool, rates: Mapping[str, Decimal]) -> "Iterator[Prompt]":
    from partbook.economy.prompts import prompts_in

    yield from chain.from_iterable(prompts_in(log, rates) for log in logs)
    if store:
        yield from _kept()


def _kept() -> "Iterator[Prompt]":
    from partbook.economy.prompts import Prompt
    from partbook.ledger import Total, entries_of
    from partbook.store import Store, default_url

    with Store.open(default_url()) as opened:
        for trace, _ in opened.with_tasks():
            total = Total()
            for entry in entries_of(trace):
                total.add(entry)
            yield Prompt(trace.question, "", total.cost_usd)


def _data(one: "Candidate", shown: Callable[[str], str]) -> dict[str, Any]:
    return {
        "stages": one.name,
        "steps": one.steps,
        "prompts": one.prompts,
        "known_usd": money(one.known_usd),
        "unknown_costs": one.unknown_costs,
        "calls_split": one.calls_split,
        "split_usd": money(one.split_usd),
        "workflow": one.workflow,
        "example": shown(one.example),
    }


def _conducted_data(one: "Conducted", shown: Callable[[str], str]) -> dict[str, Any]:
    return {
        "name": one.name,
        "drawn": one.drawn,
        "read": len(one.sketches),
        "several": one.several,
        "rules_several": one.by_rules,
        "both": one.both,
        "no_plan": one.no_plan,
        "calls": one.calls,
        "known_usd": money(one.known_usd),
        "unknown_costs": one.unknown_costs,
        "stopped": one.stopped or None,
        "alone": [_data(each, shown) for each in one.alone()],
    }


def _as_cells(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row for a spreadsheet; its prompts may be anybody's."""
    return {key: csv_cell(value) if isinstance(value, str) else value for key, value in row.items()}
