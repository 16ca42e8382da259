"""`partbook run`: a question in, the answer out, and everything in between in view."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from partbook.cli.asking import (
    AssumePriceOption,
    ConductorOption,
    FileOption,
    MaxCallsOption,
    MaxTokensOption,
    MaxUsdOption,
    PoolOption,
    PricesOption,
    QuestionArgument,
    RoundsOption,
    StopRuleOption,
    TimeoutOption,
    WorkflowOption,
    limits_of,
    read_question,
    rounds_of,
)
from partbook.cli.playing import JsonOption, Playing, ShowOption, is_visible
from partbook.cli.selecting import DemandOption, ExcludeOption, OnlyOption, selected
from partbook.cli.setup import Setup

__all__ = ["run_command"]


def run_command(
    question: QuestionArgument = None,
    file: FileOption = None,
    pool: PoolOption = "embedded",
    workflow: WorkflowOption = None,
    conductor: ConductorOption = None,
    rounds: RoundsOption = None,
    stop_rule: StopRuleOption = None,
    exclude: ExcludeOption = None,
    only: OnlyOption = None,
    demand: DemandOption = None,
    max_usd: MaxUsdOption = None,
    max_calls: MaxCallsOption = None,
    max_tokens: MaxTokensOption = None,
    timeout: TimeoutOption = None,
    assume_price: AssumePriceOption = None,
    prices: PricesOption = None,
    record: Annotated[
        Path | None, typer.Option("--record", help="Record every call into this folder.")
    ] = None,
    replay: Annotated[
        Path | None,
        typer.Option(
            "--replay", help="Answer from this recording: no network, no key, no model is opened."
        ),
    ] = None,
    show: ShowOption = None,
    json: JsonOption = False,
) -> None:
    """Answer a question with a pool of workers.

    Prints the answer, and on a terminal the workflow and every step live. Every run is kept; see
    `partbook runs` and `partbook show`. One that was cut short goes on with `partbook resume`.
    """
    asked = read_question(question, file)
    most, stop = rounds_of(rounds, stop_rule)
    limits = replace(limits_of(max_usd, max_calls, max_tokens, timeout, assume_price), rounds=most)
    selection = selected(exclude, only, demand)
    setup = Setup.of(
        pool, workflow, conductor, limits, prices, record, replay, selection=selection, stop=stop
    )
    # Opened first: a store that cannot be written is said before anybody is paid.
    from partbook.store import Store, default_url

    with Store.open(default_url()) as store:
        journal = store.journal(setup.to_json())
        playing = Playing(asked, setup, store, journal, is_visible(show, json), json)
        answered = playing.play()
    if not answered:
        raise typer.Exit(1)
