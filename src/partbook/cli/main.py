"""The `partbook` command: registers the commands, and turns errors into words and exit statuses.

Exit status 0: done. 1: it ran and failed. 2: something that the user can mend. 130: interrupted
(Typer sees to that one).
Whatever is slow to import is imported by the command that needs it.
"""

import os
import sys
from typing import Annotated

import typer

from partbook.cli.audit import audit_command
from partbook.cli.compare import compare_command
from partbook.cli.evaluate import evaluate_command
from partbook.cli.judge import judge_command
from partbook.cli.keys import keys_app
from partbook.cli.lab import lab_app
from partbook.cli.models import models_app
from partbook.cli.parse import parse_command
from partbook.cli.plain import clean, replace_unprintable
from partbook.cli.plan import plan_command
from partbook.cli.plugins import plugins_command
from partbook.cli.pool import pool_app
from partbook.cli.price import price_command
from partbook.cli.reproduce import reproduce_command
from partbook.cli.resume import resume_command
from partbook.cli.run import run_command
from partbook.cli.runs import runs_command
from partbook.cli.savings import savings_command
from partbook.cli.serve import serve_command
from partbook.cli.shadow import shadow_command
from partbook.cli.show import show_command
from partbook.cli.simulate import simulate_app
from partbook.cli.task import task_app
from partbook.cli.train import train_app
from partbook.cli.workflow import workflow_app
from partbook.collector import collect_seldom
from partbook.errors import PartbookError

__all__ = ["app", "main"]

app = typer.Typer(
    name="partbook",
    help="A Conductor writes a workflow in plain language; a pool of workers plays it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(f"partbook {version('partbook')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Print the version, and do nothing else.",
            callback=_print_version,
            is_eager=True,
        ),
    ] = False,
) -> None:
    pass


app.command("run")(run_command)
app.command("resume")(resume_command)
app.command("plan")(plan_command)
app.command("serve")(serve_command)
app.command("parse")(parse_command)
app.command("judge")(judge_command)
app.command("evaluate")(evaluate_command)
app.command("reproduce")(reproduce_command)
app.command("price")(price_command)
app.command("compare")(compare_command)
app.command("savings")(savings_command)
app.command("audit")(audit_command)
app.command("shadow")(shadow_command)
app.command("runs")(runs_command)
app.command("show")(show_command)
app.command("plugins")(plugins_command)
app.add_typer(keys_app, name="keys")
app.add_typer(pool_app, name="pool")
app.add_typer(workflow_app, name="workflow")
app.add_typer(models_app, name="models")
app.add_typer(task_app, name="task")
app.add_typer(lab_app, name="lab")
app.add_typer(train_app, name="train")
app.add_typer(simulate_app, name="simulate")


def main() -> None:
    """Run the command line."""
    collect_seldom()
    replace_unprintable()
    try:
        app()
    except PartbookError as err:
        # It may quote a file or a model.
        print(f"error: {clean(str(err))}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        # The reader of a pipe went away (`| head`); there is nobody left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
