"""`partbook keys`: who may ask a server, for how much, and how often."""

import datetime
from decimal import Decimal
from typing import Annotated

import typer

from partbook.cli.amounts import amount
from partbook.cli.plain import head, open_console
from partbook.spend_json import money

__all__ = ["keys_app"]

keys_app = typer.Typer(help="API keys of `partbook serve`.", no_args_is_help=True)


@keys_app.command("create")
def create_command(
    name: Annotated[str, typer.Argument(help="Who gets it.")],
    usd_per_day: Annotated[
        str | None, typer.Option("--usd-per-day", help="Most US dollars in a day (UTC).")
    ] = None,
    usd_per_month: Annotated[
        str | None, typer.Option("--usd-per-month", help="Most US dollars in a month.")
    ] = None,
    per_minute: Annotated[
        int | None, typer.Option("--requests-per-minute", min=1, help="Most requests a minute.")
    ] = None,
    worker: Annotated[
        list[str] | None,
        typer.Option("--worker", help="A worker that it may use; may be repeated. Without: all."),
    ] = None,
    traces: Annotated[
        bool,
        typer.Option("--traces", help="Show it whole traces, of all keys' runs: GET /v1/runs/ID."),
    ] = False,
) -> None:
    """Make a key and print it, once: the store keeps a hash of it."""
    from partbook.store import ApiKeys, default_url

    with ApiKeys.open(default_url()) as keys:
        kept, key = keys.create(
            name,
            usd_per_day=amount("--usd-per-day", usd_per_day),
            usd_per_month=amount("--usd-per-month", usd_per_month),
            requests_per_minute=per_minute,
            workers=tuple(worker) if worker else None,
            sees_traces=traces,
        )
    print(key)
    typer.echo(f"key {kept.key_id} for {name!r}; it is not shown again", err=True)


@keys_app.command("list")
def list_command() -> None:
    """List the keys, what they may, and what they have spent this month."""
    from rich.table import Table
    from rich.text import Text

    from partbook.store import ApiKeys, default_url

    month = datetime.datetime.now(datetime.UTC).date().isoformat()[:7]
    with ApiKeys.open(default_url()) as opened:
        keys, spent = opened.all_keys(), opened.spent(month)
    table = Table(box=None, pad_edge=False)
    headings = "id name state USD/day USD/month spent per_minute workers traces"
    for heading in headings.split():
        table.add_column(heading.replace("_", " "), overflow="fold")
    for key in keys:
        this_month = sum(spent.get(key.key_id, {}).values(), start=Decimal(0))
        table.add_row(
            key.key_id,
            Text(head(key.name)),
            "good" if key.revoked_at is None else "revoked",
            money(key.usd_per_day) or "-",
            money(key.usd_per_month) or "-",
            money(this_month),
            str(key.requests_per_minute or "-"),
            Text("all" if key.workers is None else head(", ".join(key.workers))),
            "yes" if key.sees_traces else "-",
        )
    open_console().print(table)


@keys_app.command("revoke")
def revoke_command(
    key: Annotated[str, typer.Argument(help="Its id, or its name where only one has it.")],
) -> None:
    """Let a key open nothing any more; a server that runs knows it within seconds."""
    from partbook.store import ApiKeys, default_url

    with ApiKeys.open(default_url()) as keys:
        revoked = keys.revoke(key)
    print(f"key {revoked.key_id} of {revoked.name!r} is revoked")
