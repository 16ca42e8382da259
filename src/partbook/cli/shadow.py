"""`partbook shadow`: how a shadow experiment stands, from its journal; the server need not run."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from partbook.cli.files import write_text
from partbook.cli.plain import head, open_console, print_json
from partbook.cli.savings import Lang
from partbook.errors import ConfigError

if TYPE_CHECKING:
    from partbook.economy.words import Language
    from partbook.evaluate.shadowing.shadow import Tally

__all__ = ["shadow_command"]


def shadow_command(
    journal: Annotated[
        Path | None,
        typer.Argument(help="The journal of `partbook serve --shadow`. Default: beside the store."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Show all experiments of the journal, not the last one.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object; with --all, one a line.")
    ] = False,
    html: Annotated[
        Path | None, typer.Option(help="Also write the report, as one HTML file.")
    ] = None,
    lang: Annotated[Lang, typer.Option(help="Language of what is said.")] = Lang.EN,
) -> None:
    """Show the running verdict on another system that is given a share of live requests.

    See docs/shadow.md.
    """
    from partbook.cli.serve_shadow import shadow_file
    from partbook.evaluate.shadowing.shadow_journal import read_tallies

    path = journal or shadow_file()
    if not path.exists():
        raise ConfigError(
            f"there is no {path}; a shadow begins with: partbook serve --shadow 5% "
            "--shadow-system single:WORKER --shadow-usd-per-day 1"
        )
    tallies = list(read_tallies(path).values())
    if not tallies:
        raise ConfigError(f"{path} is empty")
    shown = tallies if everything else tallies[-1:]
    if html is not None:
        from partbook.economy.shadow_page import as_shadow_page

        write_text("--html", html, as_shadow_page(shown[-1], lang.value))
    for i, tally in enumerate(shown):
        if as_json:
            print_json(tally.to_dict())
        else:
            if i:
                print()
            _print(tally, lang.value)


def _print(tally: "Tally", language: "Language") -> None:
    from partbook.economy.shadow_words import (
        facts_line,
        findings,
        interval_text,
        means_line,
        told,
        uncertain,
        verdict_line,
    )

    console = open_console()
    console.print(Text(head(facts_line(tally, language)), "bold"))
    share = tally.share
    name = head(told(language, "tile.share", rival=tally.experiment.rival))
    if share is None:
        console.print(Text(f"{name}: {told(language, 'none')}"))
    else:
        console.print(Text(f"{name}: {100 * share:.0f} % ({interval_text(tally, language)})"))
    console.print(Text(head(verdict_line(tally, language)), "bold"))
    console.print()
    for count, what in findings(tally, language):
        console.print(Text(f"{count:>7,}  {head(what)}"))
    means = means_line(tally, language)
    if means:
        console.print()
        console.print(Text(head(means)))
    console.print()
    for text in uncertain(tally, language):
        console.print(Text(f"- {head(text)}", "dim"))
