"""`partbook savings`: what last month's bill would be with fewer calls, or by other models."""

from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from partbook.cli.amounts import number, pair, price_of_tokens, share
from partbook.cli.asking import PricesOption
from partbook.cli.files import write_text
from partbook.cli.plain import print_json
from partbook.errors import ConfigError
from partbook.own_prices import read_own_prices
from partbook.price import Price

if TYPE_CHECKING:
    from collections.abc import Sequence

    from partbook.economy.bill import Bill
    from partbook.economy.read import Hints
    from partbook.economy.wishes import Overhead
    from partbook.own_prices import OwnPrice

__all__ = ["Lang", "Mark", "rates_of", "savings_command"]


class Lang(StrEnum):
    """The language of what is said."""

    EN = "en"
    KO = "ko"


class Mark(StrEnum):
    """What the decimal mark of a bill is."""

    POINT = "point"
    COMMA = "comma"


def savings_command(
    bills: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Usage or cost exports: CSV, JSON or JSONL of OpenAI, Anthropic, Google Cloud, "
            "OpenRouter or LiteLLM, or a table with model, month and cost or tokens."
        ),
    ] = None,
    store: Annotated[
        bool, typer.Option("--store", help="Take the runs that Partbook keeps as a bill.")
    ] = False,
    month: Annotated[
        str | None,
        typer.Option(
            help="The month to answer for, as 2026-10; of a bill without dates, its month. "
            "Default: the last one there is."
        ),
    ] = None,
    fewer: Annotated[
        str, typer.Option(metavar="SHARE", help="Share of the calls that falls away.")
    ] = "40%",
    calls_per_task: Annotated[
        str, typer.Option(metavar="N", help="Calls that a task takes today.")
    ] = "5",
    calls: Annotated[
        int | None,
        typer.Option(min=1, help="Calls in the month, where the bill does not tell them."),
    ] = None,
    pool: Annotated[
        str | None,
        typer.Option("--pool", "-p", help="Also price the month's tokens by this pool's workers."),
    ] = None,
    measured: Annotated[
        Path | None,
        typer.Option(help="Folder of `partbook evaluate` (or its results.jsonl) to carry over."),
    ] = None,
    system: Annotated[
        str | None,
        typer.Option(
            help="With --measured: the system of tomorrow. Default: the one that conducts."
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(help="With --measured: the system of today. Default: the best worker alone."),
    ] = None,
    conductor_price: Annotated[
        str | None,
        typer.Option(
            metavar="IN/OUT",
            help="The Conductor's price in US dollars per million tokens read/written.",
        ),
    ] = None,
    conductor_tokens: Annotated[
        str | None,
        typer.Option(metavar="READ/WRITTEN", help="Tokens that it reads and writes for a task."),
    ] = None,
    gpu_usd_per_hour: Annotated[
        str | None, typer.Option(metavar="USD", help="What the Conductor's own GPU costs an hour.")
    ] = None,
    gpu_hours: Annotated[
        str, typer.Option(metavar="H", help="Hours a month that it is kept.")
    ] = "730",
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE=NAME", help="What a column of the bill is, as model=Modell."),
    ] = None,
    decimal: Annotated[
        Mark | None, typer.Option(help="The bill's decimal mark. Default: as its values show.")
    ] = None,
    rate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CODE=USD", help="Dollars for one unit of a currency, as KRW=0.00072."
        ),
    ] = None,
    prices: PricesOption = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print every figure as CSV.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    html: Annotated[
        Path | None, typer.Option(help="Also write the report for the meeting, as one HTML file.")
    ] = None,
    lang: Annotated[Lang, typer.Option(help="Language of what is said.")] = Lang.EN,
) -> None:
    """Compute from a bill what the same work would cost with fewer calls, or by other models.

    Estimated figures come from the bill alone; measured ones from an evaluation in which both
    systems were really run. docs/savings.md lists the bills that are understood.
    """
    from partbook.economy.answer import answer_of
    from partbook.economy.measured import read_measured
    from partbook.economy.wishes import Wishes

    if as_csv and as_json:
        raise ConfigError("--csv and --json: give one of them")
    if measured is None and (system or baseline):
        raise ConfigError("--system and --baseline are for --measured; add it")
    overhead = _overhead(conductor_price, conductor_tokens, gpu_usd_per_hour, gpu_hours)
    own = read_own_prices(prices)
    asked = _month(month)
    name, workers = ("", {}) if pool is None else _workers(pool, own)
    wishes = Wishes(
        asked,
        share("--fewer", fewer),
        number("--calls-per-task", calls_per_task),
        calls,
        name,
        workers,
        overhead,
    )
    bill = _bill(bills or [], store, _hints(asked, column or [], decimal, rate or []))
    found = read_measured(measured, system, baseline) if measured is not None else None
    answer = answer_of(bill, wishes, lambda model: _listed(model, "", own), found)
    if html is not None:
        from partbook.economy.page import as_page

        write_text("--html", html, as_page(answer, wishes, lang.value))
    if as_json:
        from partbook.economy.sheet import as_data

        print_json(as_data(answer, wishes, lang.value))
    elif as_csv:
        from partbook.economy.sheet import as_csv as written

        print(written(answer, wishes, lang.value), end="")
    else:
        from partbook.cli.savings_screen import print_answer

        print_answer(answer, wishes, lang.value)


def _bill(paths: list[Path], store: bool, hints: "Hints") -> "Bill":
    from partbook.economy.bill import merged
    from partbook.economy.read import read_bill
    from partbook.economy.stored import bill_of_runs
    from partbook.store import Store, default_url

    if not paths and not store:
        raise ConfigError("which bill? Name its files, or --store for the runs that are kept")
    bill = read_bill(paths, hints)
    if not store:
        return bill
    with Store.open(default_url()) as opened:
        kept = bill_of_runs((trace for trace, _ in opened.with_tasks()), "store")
    if not kept.cells and not paths:
        raise ConfigError("the store has no run with a call; `partbook runs` lists them")
    return merged([bill, kept]) if kept.cells else bill


def _listed(model: str, endpoint: str, own: "Sequence[OwnPrice]") -> Price | None:
    from partbook.list_prices import price_of
    from partbook.models.presets import PRESETS

    if not endpoint and "/" in model:  # OpenRouter's ids name the maker
        endpoint = PRESETS["openrouter"].endpoint
    return price_of(model, endpoint, own)


def _workers(pool: str, own: "Sequence[OwnPrice]") -> tuple[str, dict[str, Price | None]]:
    """A pool's name, and its workers with their prices."""
    from partbook.config import load_pool
    from partbook.models.presets import PRESETS

    config = load_pool(pool)
    found: dict[str, Price | None] = {}
    for spec in config.workers:
        # A model on a machine of one's own costs its machine, which no price per token says.
        if spec.kind in ("local", "torch") or (spec.plugged is not None and not spec.is_tool):
            found[spec.name] = spec.price
        elif spec.kind == "http":
            preset = PRESETS.get(spec.endpoint)
            endpoint = preset.endpoint if preset else spec.endpoint
            found[spec.name] = spec.price or _listed(spec.model, endpoint, own)
    return config.name, found


def _overhead(
    price: str | None, tokens: str | None, gpu_usd_per_hour: str | None, gpu_hours: str
) -> "Overhead":
    from partbook.economy.wishes import Overhead

    if (price is None) != (tokens is None):
        raise ConfigError("--conductor-price and --conductor-tokens belong together; give both")
    per_hour = None if gpu_usd_per_hour is None else number("--gpu-usd-per-hour", gpu_usd_per_hour)
    hours = number("--gpu-hours", gpu_hours)
    if price is None or tokens is None:
        return Overhead(None, 0, 0, per_hour, hours)
    each = price_of_tokens("--conductor-price", price)
    read, written = pair("--conductor-tokens", tokens, "tokens read/written like 1200/300")
    return Overhead(each, int(read), int(written), per_hour, hours)


def _hints(month: str, columns: list[str], mark: Mark | None, rates: list[str]) -> "Hints":
    from partbook.economy.read import Hints
    from partbook.economy.shapes import ROLES

    named = dict(_assigned("--column", text, "model=Modell") for text in columns)
    for role in named:
        if role not in ROLES:
            raise ConfigError(f"--column: {role!r} is none of {', '.join(ROLES)}")
    worth = rates_of(rates)
    sign = {None: None, Mark.POINT: ".", Mark.COMMA: ","}[mark]
    return Hints(month, named, sign, worth)  # type: ignore[arg-type]


def rates_of(texts: list[str]) -> dict[str, Decimal]:
    """What `--rate` says: dollars for one unit of a currency, by its code.

    Raises:
        ConfigError: it is no code with an amount.
    """
    pairs = (_assigned("--rate", text, "KRW=0.00072") for text in texts)
    return {code.upper(): number("--rate", value) for code, value in pairs}


def _month(text: str | None) -> str:
    from partbook.economy.amounts import month_of

    if text is None:
        return ""
    try:
        return month_of(text)[0]
    except ValueError as err:
        raise ConfigError(f"--month: {err}, found {text!r}") from err


def _assigned(option: str, text: str, example: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip():
        raise ConfigError(f"{option}: something like {example} was expected, found {text!r}")
    return name.strip(), value.strip()
