"""`partbook plan`: only the workflow; no worker is called but the one that conducts."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from partbook.budget import Limits
from partbook.cli.asking import (
    AssumePriceOption,
    ConductorOption,
    FileOption,
    MaxTokensOption,
    MaxUsdOption,
    PoolOption,
    PricesOption,
    QuestionArgument,
    TimeoutOption,
    WorkflowOption,
    check_prices,
    limits_of,
    read_question,
)
from partbook.cli.choosing import Choice, choose
from partbook.cli.opening import opened_pool
from partbook.cli.plain import open_console, print_json
from partbook.cli.selecting import DemandOption, ExcludeOption, OnlyOption, selected
from partbook.conduct import plan
from partbook.config import PoolConfig, load_pool
from partbook.errors import ParseError, WorkerError
from partbook.event import Planned
from partbook.trace_json import workflow_to_dict

__all__ = ["plan_command", "planned_for"]


def plan_command(
    question: QuestionArgument = None,
    file: FileOption = None,
    pool: PoolOption = "embedded",
    workflow: WorkflowOption = None,
    conductor: ConductorOption = None,
    exclude: ExcludeOption = None,
    only: OnlyOption = None,
    demand: DemandOption = None,
    max_usd: MaxUsdOption = None,
    max_tokens: MaxTokensOption = None,
    timeout: TimeoutOption = None,
    assume_price: AssumePriceOption = None,
    prices: PricesOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print the workflow as JSON.")] = False,
) -> None:
    """Write the workflow for a question, and carry out nothing."""
    asked = read_question(question, file)
    limits = limits_of(max_usd, None, max_tokens, timeout, assume_price)
    selection = selected(exclude, only, demand)
    choice = choose(load_pool(pool), workflow, conductor, selection)
    config = selection.of(load_pool(pool))
    try:
        planned = asyncio.run(planned_for(asked, config, choice, limits, prices))
    except (ParseError, WorkerError) as err:
        if json:
            print_json({"error": str(err)})
        else:
            typer.echo(f"failed: {err}", err=True)
        raise typer.Exit(1) from err
    names = [spec.name for spec in config.workers]
    if json:
        found = {"source": planned.source, "name": planned.name, "workers": names}
        print_json(found | workflow_to_dict(planned.workflow))
        return
    from partbook.cli.score import score

    open_console().print(score(planned.workflow, names))


async def planned_for(
    question: str, config: PoolConfig, choice: Choice, limits: Limits, prices: Path | None
) -> Planned:
    """The workflow for a question; nobody is called but the one that conducts.

    Raises:
        PartbookError: as `plan`, or the pool or the Conductor cannot be opened.
    """
    needed = {choice.conductor} if choice.conductor else set()
    async with (
        opened_pool(config, needed, prices=prices) as opened,
        choice.opened(opened, prices=prices) as proposer,
    ):
        check_prices(opened, needed, limits, proposer)
        return await plan(question, opened, proposer, limits=limits)
