"""`partbook serve`: a pool behind one OpenAI-compatible endpoint.

The options are here; what a process opens for them stands in `serve_process.py`, and how several
are started in `serve_family.py`. The `server` package is imported late, because it needs the
packages of the extra `serve`.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from partbook.cli.amounts import amount
from partbook.cli.asking import (
    AssumePriceOption,
    ConductorOption,
    MaxCallsOption,
    MaxTokensOption,
    MaxUsdOption,
    PoolOption,
    PricesOption,
    TimeoutOption,
    WorkflowOption,
    limits_of,
)
from partbook.cli.extra import need_packages
from partbook.cli.serve_page import reports_folder
from partbook.cli.serve_process import ServeWish, answer
from partbook.cli.shadow_options import (
    ShadowJournalOption,
    ShadowJudgeOption,
    ShadowOption,
    ShadowPairsOption,
    ShadowSystemOption,
    ShadowUsdOption,
    shadow_wish,
)
from partbook.errors import ConfigError

if TYPE_CHECKING:
    from partbook.server.chat_request import FollowUp

__all__ = ["serve_command"]


def serve_command(
    pool: PoolOption = "embedded",
    workflow: WorkflowOption = None,
    conductor: ConductorOption = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any free one.")] = 8000,
    processes: Annotated[
        int,
        typer.Option(
            min=1, max=64, help="How many processes answer on the port; see docs/serving.md."
        ),
    ] = 1,
    max_usd: MaxUsdOption = None,
    max_calls: MaxCallsOption = None,
    max_tokens: MaxTokensOption = None,
    timeout: TimeoutOption = 600.0,
    usd_per_day: Annotated[
        str | None,
        typer.Option(help="Most US dollars in a day (UTC), of all servers on the store."),
    ] = None,
    usd_per_month: Annotated[str | None, typer.Option(help="Likewise in a calendar month.")] = None,
    assume_price: AssumePriceOption = None,
    prices: PricesOption = None,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Refuse requests with fields that would be passed over."),
    ] = False,
    reasoning: Annotated[
        bool,
        typer.Option("--reasoning/--no-reasoning", help="Show plan and steps as reasoning."),
    ] = True,
    keep: Annotated[
        bool,
        typer.Option("--keep", help="Keep every run, with all that was said, as `run` does."),
    ] = False,
    follow_ups: Annotated[
        str,
        typer.Option(
            help="How a conversation goes on: plan (every turn anew), keep (the last turn's plan, "
            "where nothing argues against it) or easy (so too, and short messages to one worker)."
        ),
    ] = "keep",
    warm: Annotated[
        bool,
        typer.Option("--warm/--no-warm", help="Load models in this process before listening."),
    ] = True,
    grace: Annotated[
        float, typer.Option(min=0, help="Seconds that requests may go on once it is to end.")
    ] = 30.0,
    log: Annotated[
        bool, typer.Option("--log/--no-log", help="Write a line for each request to stderr.")
    ] = True,
    page: Annotated[
        bool | None,
        typer.Option(
            "--page/--no-page",
            help="Show the page, for people, at /.  [default: page, with one process]",
        ),
    ] = None,
    reports: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Where the page looks for evaluations and trainings.  [default: runs, if there]",
        ),
    ] = None,
    shadow: ShadowOption = None,
    shadow_system: ShadowSystemOption = None,
    shadow_usd_per_day: ShadowUsdOption = None,
    shadow_judge: ShadowJudgeOption = None,
    shadow_pairs: ShadowPairsOption = 200,
    shadow_journal: ShadowJournalOption = None,
) -> None:
    """Serve a pool behind one OpenAI-compatible endpoint.

    The limits hold for each request. Without keys (see `partbook keys`), only this machine is
    answered. See docs/serving.md.
    """
    need_packages("partbook serve", "starlette", "uvicorn", extra="serve")
    if follow_ups not in ("plan", "keep", "easy"):
        raise ConfigError(f"--follow-ups: plan, keep or easy was expected, found {follow_ups!r}")
    wish = ServeWish(
        pool,
        workflow,
        conductor,
        limits_of(max_usd, max_calls, max_tokens, timeout, assume_price),
        prices,
        host,
        port,
        strict,
        reasoning,
        cast("FollowUp", follow_ups),
        keep,
        warm,
        grace,
        log,
        processes == 1 if page is None else page,
        reports_folder(reports),
        shadow_wish(
            shadow, shadow_system, shadow_usd_per_day, shadow_judge, shadow_pairs, shadow_journal
        ),
        amount("--usd-per-day", usd_per_day),
        amount("--usd-per-month", usd_per_month),
    )
    if processes == 1:
        answer(wish)
        return
    from partbook.cli.serve_family import answer_together

    answer_together(wish, processes)
