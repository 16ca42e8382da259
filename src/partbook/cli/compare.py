"""`partbook compare`: one prompt put to several systems, their answers side by side.

Playing is left to `compare_systems.py`, what happens with each prompt to `compare_session.py`. Both
open the store, so they are imported late.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from partbook.cli.asking import (
    AssumePriceOption,
    MaxTokensOption,
    PoolOption,
    PricesOption,
    limits_of,
    read_question,
)
from partbook.cli.files import beside_store
from partbook.cli.opening import closed_pool
from partbook.cli.plain import open_console, print_json
from partbook.cli.selecting import DemandOption, ExcludeOption, OnlyOption, selected
from partbook.config import load_pool
from partbook.errors import ConfigError

if TYPE_CHECKING:
    from partbook.economy.ratings import Rated

__all__ = ["compare_command"]


def compare_command(
    prompt: Annotated[
        str | None, typer.Argument(help="The prompt; without it, --file or standard input is read.")
    ] = None,
    systems: Annotated[
        list[str] | None,
        typer.Option(
            "--systems",
            "-s",
            help="Who answers: single:WORKER, workflow:NAME or workflow:FILE.toml, conductor, "
            "conductor:WHO, separated by commas. Default: the pool's first worker for anything "
            "alone, beside what the pool does where nothing is asked for.",
        ),
    ] = None,
    pool: PoolOption = "embedded",
    file: Annotated[
        Path | None,
        typer.Option(
            "--file", "-f", help="Many prompts: JSON lines, CSV, or .txt with one on each line."
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="With --file: only the first so many.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Write a JSON line per prompt; those that it holds are not asked again."),
    ] = None,
    rate: Annotated[
        bool, typer.Option("--rate", help="Choose the best answer without knowing whose it is.")
    ] = False,
    judge: Annotated[
        str | None,
        typer.Option(metavar="WORKER", help="This worker judges each pair, in both orders."),
    ] = None,
    ratings: Annotated[
        Path | None, typer.Option(help="Where ratings are kept. Default: beside the runs.")
    ] = None,
    summary: Annotated[
        bool, typer.Option("--summary", help="Only print what all ratings so far come to.")
    ] = False,
    one_by_one: Annotated[
        bool, typer.Option("--one-by-one", help="Do not run the systems at once.")
    ] = False,
    exclude: ExcludeOption = None,
    only: OnlyOption = None,
    demand: DemandOption = None,
    max_usd: Annotated[
        str | None,
        typer.Option("--max-usd", help="Most that everything together may cost, in US dollars."),
    ] = None,
    max_calls: Annotated[
        int | None, typer.Option("--max-calls", min=0, help="Most calls of each system.")
    ] = None,
    max_tokens: MaxTokensOption = None,
    timeout: Annotated[
        float | None, typer.Option("--timeout", min=0.001, help="Most seconds of each system.")
    ] = None,
    assume_price: AssumePriceOption = None,
    prices: PricesOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON object per prompt.")] = False,
) -> None:
    """Put one prompt to several systems, and see answers, calls, tokens, money and seconds.

    A single call beside a workflow or a Conductor, all at once. Every run is kept.
    See docs/compare.md.
    """
    from partbook.cli.compare_rating import check_judge
    from partbook.cli.compare_session import Session
    from partbook.cli.compare_systems import usual_systems, wished_systems
    from partbook.store import Store, default_url

    kept = ratings or beside_store(".ratings.jsonl")
    if summary:
        _print_sums(kept, json)
        return
    if rate and json:
        raise ConfigError("--rate shows the answers and asks; leave out --json")
    limits = limits_of(max_usd, max_calls, max_tokens, timeout, assume_price)
    selection = selected(exclude, only, demand)
    whole = load_pool(pool)
    config = selection.of(whole)
    if judge is not None:
        spec = config.workers[closed_pool(config).find(judge)]
        check_judge(spec)
        judge = spec.name
    chosen = (
        wished_systems(systems, whole, selection) if systems else usual_systems(whole, selection)
    )
    prompts = _prompts(prompt, file, limit, rate)
    session = Session(
        config,
        chosen,
        limits,
        prices,
        rate,
        judge,
        not one_by_one,
        kept,
        out,
        json,
    )
    # Opened first: a store that cannot be written is said before anybody is paid.
    with Store.open(default_url()) as store:
        answered = session.run(prompts, store)
    if not answered:
        raise typer.Exit(1)


def _prompts(prompt: str | None, file: Path | None, limit: int | None, rate: bool) -> list[str]:
    """What is asked, each once.

    Raises:
        ConfigError: there is nothing, or the file cannot be read.
    """
    if file is None:
        if limit is not None:
            raise ConfigError("--limit is for --file; add it")
        if rate and prompt is None:
            raise ConfigError(
                "--rate reads your choice from standard input, so the prompt cannot come from "
                "there; give it as an argument or with --file"
            )
        return [read_question(prompt, None)]
    if prompt is not None:
        raise ConfigError("give the prompt as an argument or with --file, not both")
    found = list(dict.fromkeys(islice(_read(file), limit)))
    if not found:
        raise ConfigError(f"{file}: there is no prompt in it")
    return found


def _read(file: Path) -> Iterator[str]:
    if file.suffix != ".txt":
        from partbook.economy.prompts import prompts_in

        yield from (found.text.strip() for found in prompts_in(file))
        return
    from partbook.economy.decode import encoding_of, open_text
    from partbook.economy.tables import bounded_lines

    with open_text(file, encoding_of(file)) as text:
        yield from (line.strip() for line in bounded_lines(file, text) if line.strip())


def _print_sums(path: Path, as_json: bool) -> None:
    from partbook.cli.compare_screen import drawn_sums
    from partbook.economy.ratings import read_ratings, sums_of

    if not path.exists():
        raise ConfigError(f"there are no ratings yet in {path}; rate with --rate or --judge WORKER")
    sums = sums_of(read_ratings(path))
    if as_json:
        print_json([_sum_to_dict(rated) for rated in sums])
    else:
        open_console().print(drawn_sums(sums))


def _sum_to_dict(rated: "Rated") -> dict[str, object]:
    record = rated.record
    return {
        "by": rated.by,
        "pool": rated.pool,
        "first": rated.first,
        "second": rated.second,
        "first_better": record.wins,
        "second_better": record.losses,
        "ties": record.ties,
        "share": record.share,
        "interval": record.interval(),
        "p": record.p_value,
    }
