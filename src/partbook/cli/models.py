"""`partbook models`: the embedded models, what they are, and how they get here."""

import json
import sys
from typing import Annotated

import typer

from partbook.cli.plain import open_console
from partbook.errors import ConfigError
from partbook.models.registry import (
    KnownModel,
    find_model,
    is_present,
    known_models,
    model_path,
    models_dir,
)

__all__ = ["models_app"]

models_app = typer.Typer(
    name="models", help="Fetch and list the models that run on this machine.", no_args_is_help=True
)


@models_app.command("list")
def list_models(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, with hashes.")] = False,
) -> None:
    """List the known models and say which are here."""
    from rich.filesize import decimal
    from rich.table import Table

    if as_json:
        print(json.dumps([_as_json(model) for model in known_models()], indent=2))
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("name", "size", "licence", "file", "what"):
        table.add_column(heading, overflow="fold", justify="right" if heading == "size" else "left")
    for model in known_models():
        here = "here" if is_present(model) else "not pulled"
        table.add_row(model.name, decimal(model.size_bytes), model.licence, here, model.what)
    console = open_console()
    console.print(table)
    console.print(f"files are in {models_dir()}", soft_wrap=True, markup=False)


@models_app.command("pull")
def pull_models(
    names: Annotated[list[str] | None, typer.Argument(help="Models, as `list` names them.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Fetch all known models.")] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Compute the hash of what is here already.")
    ] = False,
) -> None:
    """Fetch models into the cache; go on where an interrupted fetch stopped."""
    if every == bool(names):
        raise ConfigError("name the models to pull, or say --all (see `partbook models list`)")
    # All names are looked up before the first byte, so that a typing error costs no wait.
    for model in known_models() if every else [find_model(name) for name in names or ()]:
        print(_pull_one(model, verify))


@models_app.command("path")
def print_path(name: Annotated[str, typer.Argument(help="A model that was pulled.")]) -> None:
    """Print where a model's file is."""
    print(model_path(name))


def _pull_one(model: KnownModel, verify: bool) -> str:
    """Fetch one model; a bar on a terminal, one line per event elsewhere."""
    from rich import progress as bar
    from rich.console import Console
    from rich.filesize import decimal

    from partbook.models.download import pull

    console = Console(stderr=True)

    def note(text: str) -> None:
        console.print(f"{model.name}: {text}", style="yellow", markup=False, soft_wrap=True)

    if not sys.stderr.isatty():
        print(f"{model.name}: {decimal(model.size_bytes)}, {model.licence}", file=sys.stderr)
        return str(pull(model, verify=verify, on_note=note))
    columns = (
        bar.TextColumn("{task.description}"),
        bar.BarColumn(),
        bar.DownloadColumn(),
        bar.TransferSpeedColumn(),
        bar.TimeRemainingColumn(),
    )
    with bar.Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(model.name, total=model.size_bytes)
        path = pull(
            model,
            verify=verify,
            on_note=note,
            on_progress=lambda here, total: progress.update(task, completed=here, total=total),
        )
    return str(path)


def _as_json(model: KnownModel) -> dict[str, str | int | None]:
    return {
        "name": model.name,
        "what": model.what,
        "licence": model.licence,
        "note": model.note,
        "size_bytes": model.size_bytes,
        "sha256": model.sha256,
        "path": str(model.path) if is_present(model) else None,
    }
