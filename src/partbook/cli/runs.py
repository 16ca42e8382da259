"""`partbook runs`: lists the runs that are kept, and exports them."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from partbook.cli.drawing import STATUS_STYLES
from partbook.cli.figures import date, price
from partbook.cli.plain import head, open_console
from partbook.cli.runs_costs import CostsBy, CostsForm, print_costs
from partbook.errors import ConfigError
from partbook.spend_json import money
from partbook.trace_json import trace_to_dict

__all__ = ["runs_command", "short_ids"]

LISTED = 20
"""How many runs are listed where no limit is given."""

_SHORTEST_ID = 8


def runs_command(
    limit: Annotated[
        int | None,
        typer.Option(min=1, help=f"List at most this many. Default: {LISTED}; with --jsonl all."),
    ] = None,
    text: Annotated[
        str | None, typer.Option(help="Only runs whose question or answer contains this.")
    ] = None,
    worker: Annotated[
        str | None, typer.Option(help="Only runs in which this worker was called.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
    as_jsonl: Annotated[
        bool, typer.Option("--jsonl", help="Print whole traces, one JSON object a line.")
    ] = False,
    costs: Annotated[
        bool, typer.Option("--costs", help="Sum calls, tokens and money of all these runs.")
    ] = False,
    by: Annotated[CostsBy | None, typer.Option(help="With --costs: by what. Default: day.")] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="With --costs: print CSV.")] = False,
) -> None:
    """List the runs that are kept, the newest first, or sum what they took."""
    from partbook.store import Store, default_url

    if costs:
        if as_jsonl or limit is not None or (as_json and as_csv):
            raise ConfigError("--costs sums all runs, and prints a table, --json or --csv")
        form = CostsForm.JSON if as_json else CostsForm.CSV if as_csv else CostsForm.TABLE
        with Store.open(default_url()) as store:
            print_costs(store.with_tasks(text=text, worker=worker), by or CostsBy.DAY, form)
        return
    if by is not None or as_csv:
        raise ConfigError("--by and --csv are for --costs; add it")
    if as_json and as_jsonl:
        raise ConfigError("--json prints the list, --jsonl whole traces: give one of them")
    with Store.open(default_url()) as store:
        if as_jsonl:
            for trace in store.traces(limit, text=text, worker=worker):
                typer.echo(json.dumps(trace_to_dict(trace)))
            return
        rows = store.runs(limit or LISTED, text=text, worker=worker)
    if as_json:
        typer.echo(json.dumps([asdict(row) for row in rows], indent=2, default=_exact))
        return
    console = open_console()
    if not rows:
        console.print("No runs." if text or worker else "No runs yet.")
        return
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, expand=True)
    table.add_column("run", no_wrap=True)
    table.add_column("started", no_wrap=True)
    table.add_column("status", no_wrap=True)
    for heading in ("calls", "tokens", "price", "s"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("question", no_wrap=True, overflow="ellipsis", ratio=1)
    for row, short in zip(rows, short_ids([row.run_id for row in rows]), strict=True):
        table.add_row(
            Text(head(short), "bold"),
            date(row.started_at, "%m-%d %H:%M"),
            Text(row.status, STATUS_STYLES.get(row.status, "")),
            str(row.calls),
            f"{row.prompt_tokens + row.completion_tokens:,}",
            price(row.cost_usd) if row.cost_usd is not None else "?",
            f"{row.seconds:.1f}",
            Text(head(row.question)),
        )
    console.print(table)


def short_ids(run_ids: Sequence[str]) -> list[str]:
    """The beginnings of ids, equally long and long enough to tell these runs apart.

    >>> short_ids(["20261129-a1", "20261129-a2"])
    ['20261129-a1', '20261129-a2']
    """
    length = _SHORTEST_ID
    ordered = sorted(run_ids)
    for one, other in pairwise(ordered):
        same = next(
            (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
            min(len(one), len(other)),
        )
        length = max(length, same + 1)
    return [run_id[:length] for run_id in run_ids]


def _exact(value: Any) -> str | None:
    """Money as digits; nothing else in a row is foreign to JSON."""
    return money(value)
