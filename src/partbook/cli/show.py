"""`partbook show`: one run, from the question to the answer."""

import json
from typing import Annotated

import typer

from partbook.cli.drawing import drawn_trace
from partbook.cli.plain import open_console
from partbook.errors import StoreError
from partbook.trace_json import trace_to_dict

__all__ = ["show_command"]


def show_command(
    run: Annotated[
        str, typer.Argument(help="The run's id, or the beginning of it. Default: the last run.")
    ] = "",
    messages: Annotated[
        bool, typer.Option("--messages", help="Show every message that the workers saw.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the trace as JSON.")] = False,
) -> None:
    """Show one run: its workflow, who answered what, and what it took."""
    from partbook.store import Store, default_url

    with Store.open(default_url()) as store:
        trace = store.load(run) if run else store.latest()
    if trace is None:
        raise StoreError("there are no runs yet; ask a question first")
    if as_json:
        typer.echo(json.dumps(trace_to_dict(trace), indent=2))
        return
    open_console().print(drawn_trace(trace, messages=messages))
