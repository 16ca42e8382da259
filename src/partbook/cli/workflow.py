"""`partbook workflow`: workflows as files that people write, check, draw and share."""

import asyncio
import difflib
from pathlib import Path
from typing import Annotated, Any

import typer

from partbook.cli.asking import (
    AssumePriceOption,
    ConductorOption,
    MaxTokensOption,
    MaxUsdOption,
    PricesOption,
    TimeoutOption,
    limits_of,
)
from partbook.cli.choosing import choose
from partbook.cli.opening import closed_pool
from partbook.cli.plain import head, open_console, print_json
from partbook.cli.plan import planned_for
from partbook.cli.workflow_check import Found, calls_of, check_workflow, structure
from partbook.cli.workflow_text import (
    SKETCH,
    by_roles,
    check_name,
    fixed_of,
    workflow_in_run,
    workflow_text,
    write_workflow,
)
from partbook.config import PoolConfig, load_pool, load_workflow, workflow_names
from partbook.errors import ConfigError, ParseError, StoreError, WorkerError
from partbook.fixed import FixedWorkflow
from partbook.trace_json import workflow_to_dict
from partbook.workflow import Workflow

__all__ = ["workflow_app"]

workflow_app = typer.Typer(
    help="Workflows as files: write, check, draw and share them.", no_args_is_help=True
)

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
WorkflowArgument = Annotated[
    str, typer.Argument(help="A .toml file, or the name of a workflow that comes along.")
]
RoundOption = Annotated[
    int | None,
    typer.Option("--round", min=0, help="Of a run: this round. Default: whose answer it gave."),
]


@workflow_app.command("list")
def list_command(
    pool: Annotated[
        str | None, typer.Option("--pool", "-p", help="Only those that this pool can play.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """List the workflows that come along."""
    workflows = [load_workflow(name) for name in workflow_names()]
    if pool is not None:
        config = load_pool(pool)
        workflows = [one for one in workflows if check_workflow(one.name, config).plan is not None]
    if json:
        found = [{"name": w.name, "about": w.about, "steps": len(w.steps)} for w in workflows]
        print_json(found)
        return
    for one in workflows:
        print(f"{one.name:22} {_steps(one):8} {one.about}")


def _steps(workflow: FixedWorkflow) -> str:
    return "1 step" if len(workflow.steps) == 1 else f"{len(workflow.steps)} steps"


@workflow_app.command("new")
def new_command(
    name: Annotated[str, typer.Argument(help="Its name; NAME.toml is written here.")],
    source: Annotated[
        str | None, typer.Option("--from", help="Begin with a copy of this name or file.")
    ] = None,
    run: Annotated[
        str | None, typer.Option("--from-run", metavar="RUN", help="Save the workflow of this run.")
    ] = None,
    question: Annotated[
        str | None,
        typer.Option("--from-question", help="Let the Conductor write one for this question."),
    ] = None,
    round_: RoundOption = None,
    roles: Annotated[
        bool,
        typer.Option("--roles", help="Ask for roles in place of names, so that it fits others."),
    ] = False,
    about: Annotated[str | None, typer.Option(help="What it is for, in a sentence.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write this file instead.")] = None,
    pool: Annotated[
        str | None,
        typer.Option("--pool", "-p", help="Whose workers are meant. Default: the run's, embedded."),
    ] = None,
    conductor: ConductorOption = None,
    max_usd: MaxUsdOption = None,
    max_tokens: MaxTokensOption = None,
    timeout: TimeoutOption = None,
    assume_price: AssumePriceOption = None,
    prices: PricesOption = None,
) -> None:
    """Write a workflow file: a sketch, a copy, or what a Conductor wrote."""
    check_name(name)
    if sum(given is not None for given in (source, run, question)) > 1:
        raise ConfigError("--from, --from-run and --from-question exclude each other")
    path = out or Path(f"{name}.toml")
    if path.exists():  # before anybody is paid
        raise ConfigError(f"{path} is there already; take another name, or move it away")
    if not path.parent.is_dir():
        raise ConfigError(f"cannot write {path}: there is no folder {path.parent}")
    if run is not None:
        workflow, pool, origin = _of_run(run, round_, pool)
    elif question is not None:
        limits = limits_of(max_usd, None, max_tokens, timeout, assume_price)
        config = load_pool(pool or "embedded")
        planning = planned_for(question, config, choose(config, None, conductor), limits, prices)
        try:
            planned = asyncio.run(planning)
        except (ParseError, WorkerError) as err:
            typer.echo(f"failed: {err}", err=True)
            raise typer.Exit(1) from err
        names = [spec.name for spec in config.workers]
        workflow = fixed_of(planned.workflow, names, "")
        origin = f"Written by the Conductor on the pool {config.name}."
        if planned.source == "fallback":
            origin = f"The fallback {planned.name}: no text of the Conductor held a workflow."
            typer.echo(origin, err=True)
    else:
        workflow = SKETCH if source is None else load_workflow(source)
        origin = "" if source is None else f"Began as a copy of {workflow.name}."
    if roles:
        workflow = by_roles(workflow, load_pool(pool or "embedded"))
    said = workflow.about if about is None else about
    workflow = FixedWorkflow(name, said or SKETCH.about, workflow.steps)
    write_workflow(path, workflow_text(workflow, origin))
    print(f"{path} is written: {_steps(workflow)}")
    if run is not None or question is not None:
        print("Its subtasks may quote the question; read them before you share it.")
    print(f"next: partbook workflow check {path}")


def _of_run(run: str, index: int | None, pool: str | None) -> tuple[FixedWorkflow, str, str]:
    from partbook.store import Store, default_url

    with Store.open(default_url()) as store:
        trace = store.load(run)
    workflow = fixed_of(workflow_in_run(trace, index), trace.workers, "")
    origin = f"Saved from run {trace.run_id} on the pool {trace.pool}."
    return workflow, pool or trace.pool, origin


@workflow_app.command("check")
def check_command(
    workflow: WorkflowArgument,
    pool: Annotated[
        str, typer.Option("--pool", "-p", help="Whose workers its steps would be.")
    ] = "embedded",
    json: JsonOption = False,
) -> None:
    """Say whether a workflow is right, and which worker of the pool each step would be.

    Exit status 2 if it is not.
    """
    config = load_pool(pool)
    found = check_workflow(workflow, config)
    if json:
        print_json(_found_to_dict(found, config))
        if found.faults:
            raise typer.Exit(2)
        return
    if found.faults:
        raise ConfigError("\n  ".join([f"{workflow}:", *found.faults]))
    _print_seats(found, config)


def _print_seats(found: Found, config: PoolConfig) -> None:
    from rich.table import Table
    from rich.text import Text

    console = open_console()
    if found.plan is not None:
        told = f"{head(found.workflow.name)}: {calls_of(found.plan)} on the pool {config.name}"
        console.print(Text(told, "bold"))
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for heading in ("step", "asks for", "gets", "model", "reads"):
        table.add_column(heading, overflow="fold")
    for i, (step, spec) in enumerate(zip(found.workflow.steps, found.seats, strict=True)):
        gets, model = ("", "") if spec is None else (spec.name, spec.model or spec.kind)
        reads = ", ".join(map(str, step.access)) or "-"
        named = (Text(head(word)) for word in (step.worker, gets, model))  # no markup
        table.add_row(str(i), *named, reads)
    console.print(table)
    for remark in found.remarks:
        console.print(Text(f"note: {head(remark)}", "yellow"))


def _found_to_dict(found: Found, config: PoolConfig) -> dict[str, Any]:
    return {
        "name": found.workflow.name,
        "pool": config.name,
        "valid": not found.faults,
        "faults": list(found.faults),
        "remarks": list(found.remarks),
        "steps": [
            {
                "asks_for": step.worker,
                "worker": None if spec is None else spec.name,
                "subtask": step.subtask,
                "access": list(step.access),
            }
            for step, spec in zip(found.workflow.steps, found.seats, strict=True)
        ],
    }


@workflow_app.command("show")
def show_command(
    workflow: Annotated[
        str, typer.Argument(help="A .toml file, a name that comes along, or a run's id.")
    ],
    pool: Annotated[
        str | None,
        typer.Option("--pool", "-p", help="Draw it on this pool. Default: on what it asks for."),
    ] = None,
    round_: RoundOption = None,
    json: JsonOption = False,
) -> None:
    """Draw a workflow, and say how many calls it makes."""
    name, plan, workers = _drawable(workflow, pool, round_)
    if json:
        data = {"name": name, "workers": workers} | workflow_to_dict(plan)
        print_json(data)
        return
    from rich.text import Text

    from partbook.cli.score import score

    console = open_console()
    console.print(Text(f"{head(name)}: {calls_of(plan)}", "bold"))
    console.print(score(plan, workers))


def _drawable(wanted: str, pool: str | None, index: int | None) -> tuple[str, Workflow, list[str]]:
    """What is to be drawn: its name, the plan, and who its numbers are."""
    if wanted in workflow_names() or wanted.endswith(".toml") or Path(wanted).exists():
        if pool is not None:
            config = load_pool(pool)
            found = check_workflow(wanted, config)
            if found.faults or found.plan is None:
                raise ConfigError("\n  ".join([f"{wanted}:", *found.faults]))
            return found.workflow.name, found.plan, list(closed_pool(config).names)
        workflow = load_workflow(wanted)
        plan, broken = structure(workflow)
        if broken:
            raise ConfigError(f"{wanted} has faults; partbook workflow check {wanted} names them")
        return workflow.name, plan, list(dict.fromkeys(step.worker for step in workflow.steps))
    from partbook.store import Store, default_url

    try:
        with Store.open(default_url()) as store:
            trace = store.load(wanted)
    except StoreError as err:
        near = difflib.get_close_matches(wanted, workflow_names(), n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise ConfigError(
            f"no workflow, file or run {wanted!r}; {hint}workflows: {', '.join(workflow_names())}; "
            f"of the runs: {err}"
        ) from err
    return f"run {trace.run_id}", workflow_in_run(trace, index), list(trace.workers)
