"""`partbook resume`: goes on with a run that was cut short, and pays for nothing a second time."""

import sys
from typing import Annotated

import typer

from partbook.cli.playing import JsonOption, Playing, ShowOption, is_answered, is_visible, print_end
from partbook.cli.setup import Setup
from partbook.errors import ConfigError

__all__ = ["resume_command"]


def resume_command(
    run: Annotated[str, typer.Argument(help="The run's id, or the beginning of it.")],
    show: ShowOption = None,
    json: JsonOption = False,
) -> None:
    """Go on with a run that was cut short: killed, interrupted, or failed by a worker.

    Workflow and answers that came are taken as they are, and what was spent counts against the
    run's limits. A call that was in flight is made again; its provider may bill both. Of a run that
    is over, the answer is printed.
    """
    visible = is_visible(show, json)
    from partbook.store import Store, default_url

    with Store.open(default_url()) as store:
        reopened = store.reopen(run)
        trace = reopened.trace
        if reopened.journal is None or reopened.setup is None:
            if reopened.setup is None and trace.status != "answered":
                raise ConfigError(f"run {trace.run_id} was not kept with what is needed to go on")
            print(f"run {trace.run_id} is over ({trace.status}); nobody is asked", file=sys.stderr)
            print_end(trace, json=json, visible=visible)
            answered = is_answered(trace)
        else:
            setup = Setup.from_json(reopened.setup)
            setup.check_unchanged()
            playing = Playing(
                trace.question, setup, store, reopened.journal, visible, json, earlier=trace
            )
            answered = playing.play()
    if not answered:
        raise typer.Exit(1)
