"""`partbook parse`: the workflow in a Conductor's text, or what is wrong with it."""

import sys
from typing import Annotated

import typer

from partbook.cli.plain import head, print_json
from partbook.errors import ParseError
from partbook.parse import MAX_CHARS, parse
from partbook.trace_json import workflow_to_dict

__all__ = ["parse_command"]

_MOST_BYTES = 4 * (MAX_CHARS + 1)
"""Enough to see that a text is too long; UTF-8 has at most four for a character."""


def parse_command(
    workers: Annotated[
        int, typer.Option("--workers", min=1, help="Size of the pool: workers are 0 to N-1.")
    ],
    json: Annotated[bool, typer.Option("--json", help="Print the workflow as JSON.")] = False,
) -> None:
    """Read a Conductor's text on standard input and print the workflow in it."""
    data = typer.get_binary_stream("stdin").read(_MOST_BYTES)
    text = data.decode("utf-8", errors="replace")
    try:
        workflow = parse(text, workers)
    except ParseError as err:
        if json:
            found = {"error": str(err), "reason": err.reason}
            print_json(found)
        else:
            print(f"error: {head(str(err))}", file=sys.stderr)
        raise typer.Exit(1) from err
    if json:
        print_json(workflow_to_dict(workflow))
        return
    for i, step in enumerate(workflow.steps):
        reads = f", reads {', '.join(map(str, step.access))}" if step.access else ""
        print(f"step {i}, worker {step.worker}{reads}: {head(step.subtask)}")
