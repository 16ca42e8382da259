"""`partbook run`: a question in, the answer out, and everything in between in view."""

import asyncio
import json as json_module
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from partbook.budget import Limits
from partbook.cli.asking import (
    Choice,
    ConductorOption,
    FileOption,
    MaxCallsOption,
    MaxTokensOption,
    MaxUsdOption,
    PoolOption,
    QuestionArgument,
    TimeoutOption,
    WorkflowOption,
    choose,
    limits_of,
    read_question,
)
from partbook.cli.opening import opened_pool
from partbook.cli.plain import clean
from partbook.conduct import conduct
from partbook.config import PoolConfig, load_pool
from partbook.errors import PartbookError
from partbook.event import Event
from partbook.trace import Trace, TraceBuilder
from partbook.trace_json import trace_to_dict

if TYPE_CHECKING:
    from partbook.store import Store

__all__ = ["run_command"]


def run_command(
    question: QuestionArgument = None,
    file: FileOption = None,
    pool: PoolOption = "embedded",
    workflow: WorkflowOption = None,
    conductor: ConductorOption = None,
    max_usd: MaxUsdOption = None,
    max_calls: MaxCallsOption = None,
    max_tokens: MaxTokensOption = None,
    timeout: TimeoutOption = None,
    show: Annotated[
        bool | None,
        typer.Option(help="Show workflow and steps; otherwise only when printing to a terminal."),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print the trace as one JSON object.")
    ] = False,
) -> None:
    """Answer a question with a pool of workers.

    Prints the answer, and on a terminal the workflow and every step live. Every run is kept; see
    `partbook runs` and `partbook show`.
    """
    asked = read_question(question, file)
    limits = limits_of(max_usd, max_calls, max_tokens, timeout)
    config = load_pool(pool)
    choice = choose(config, workflow, conductor)
    visible = not json and (sys.stdout.isatty() if show is None else show)
    # Opened first: a store that cannot be written is said before anybody is paid.
    from partbook.store import Store, default_url

    with Store.open(default_url()) as store:
        trace = _run(asked, config, choice, limits, visible, store)
        if json:
            print(json_module.dumps(trace_to_dict(trace), ensure_ascii=False))
        elif not visible:
            if trace.answer is not None:
                print(clean(trace.answer))
            if trace.status != "answered":
                print(f"{trace.status}: {clean(trace.detail)}", file=sys.stderr)
        store.save(trace)
    if trace.status != "answered" or _last_step_failed(trace):
        raise typer.Exit(1)


def _run(
    question: str,
    config: PoolConfig,
    choice: Choice,
    limits: Limits,
    visible: bool,
    store: "Store",
) -> Trace:
    """Conduct the question; a run that is cut short is kept as far as it came."""
    recorder = TraceBuilder()
    listeners = [recorder.add]
    view = None
    if visible:
        from partbook.cli.live import LiveView

        view = LiveView()
        listeners.append(view.add)

    def on_event(event: Event) -> None:
        for listener in listeners:
            listener(event)

    async def go() -> Trace:
        async with opened_pool(config, choice.needed(config)) as pool:
            proposer = choice.proposer(pool)
            return await conduct(
                question, pool, proposer, limits=limits, on_event=on_event, stream=visible
            )

    try:
        trace = asyncio.run(go())
    except (KeyboardInterrupt, PartbookError):
        if recorder.started is not None:
            store.save(recorder.build())
            print(f"run {recorder.started.run_id} is kept as far as it came", file=sys.stderr)
        raise
    finally:
        if view is not None:
            view.close()
    if view is not None:
        view.show_end(trace)
    return trace


def _last_step_failed(trace: Trace) -> bool:
    last = trace.rounds[-1] if trace.rounds else None
    return bool(last and last.steps and last.steps[-1].finish_reason == "error")
