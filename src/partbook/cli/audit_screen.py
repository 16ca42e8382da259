"""The answer of `partbook audit` in the terminal."""

from collections.abc import Callable

from rich.table import Table
from rich.text import Text

from partbook.cli.figures import price
from partbook.cli.plain import head, open_console
from partbook.economy.audit import Audit
from partbook.economy.audit_page import conducted_lines
from partbook.economy.audit_words import told
from partbook.economy.conducted import Conducted
from partbook.economy.words import Language

__all__ = ["print_audit"]

_ALONE = 5
"""Kinds of work that only the Conductor would split, listed at most."""


def print_audit(
    found: Audit,
    conducted: Conducted | None,
    top: int,
    shown: Callable[[str], str],
    language: Language,
) -> None:
    """Print the kinds of work, an example of each, what a Conductor says, and what is uncertain."""
    console = open_console()
    said = told(language, "found", several=found.several, prompts=found.prompts)
    console.print(Text(said, "bold"))
    kinds = found.candidates[:top]
    if kinds:
        console.print()
        console.print(_table(found, conducted, top, language))
        console.print()
    for one in kinds:
        console.print(Text.assemble((one.name, "bold"), f": {head(shown(one.example))}"))
    if conducted is not None:
        console.print()
        for line in conducted_lines(found, conducted, language):
            console.print(Text(head(line), "bold"))
        alone = conducted.alone()[:_ALONE]
        if alone:
            console.print(Text(told(language, "conductor alone")))
        for one in alone:
            example = f" ({one.prompts:,}): {head(shown(one.example))}"
            console.print(Text.assemble((head(one.name), "bold"), example))
    console.print()
    if found.unknown_costs:
        console.print(Text(told(language, "unknown", count=found.unknown_costs), "dim"))
    console.print(Text(told(language, "note"), "dim"))
    if conducted is not None:
        console.print(Text(told(language, "conductor note"), "dim"))


def _table(found: Audit, conducted: Conducted | None, top: int, language: Language) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    keys = ["stages", "prompts", "spent", "calls", "cost", "workflow"]
    keys += [] if conducted is None else ["agreed"]
    for key in keys:
        is_text = key in ("stages", "workflow")
        table.add_column(
            told(language, f"column.{key}"), justify="left" if is_text else "right", overflow="fold"
        )
    for one in found.candidates[:top]:
        known = one.unknown_costs < one.prompts
        cells = [
            one.name,
            f"{one.prompts:,}",
            price(one.known_usd) if known else "?",
            f"{one.calls_split:,}",
            price(one.split_usd) if known else "?",
            one.workflow,
        ]
        if conducted is not None:
            read, agreed = conducted.agreed(one.name)
            cells.append(f"{agreed} / {read}")
        table.add_row(*cells)
    return table
