"""The answer of `partbook savings` in the terminal."""

from rich.table import Table
from rich.text import Text

from partbook.cli.plain import head, open_console
from partbook.economy.answer import Answer
from partbook.economy.figure import Figure
from partbook.economy.wishes import Wishes
from partbook.economy.words import (
    Language,
    inputs_of,
    label,
    note,
    range_of,
    say,
    value_of,
)

__all__ = ["print_answer"]

_STYLES = {"bill": "bold", "estimated": "bold cyan", "measured": "bold green"}


def print_answer(answer: Answer, wishes: Wishes, language: Language) -> None:
    """Print warnings, then figures by kind, each with its formula, then what is uncertain."""
    console = open_console()
    facts = {"month": answer.month, "sources": ", ".join(answer.bill.sources)}
    console.print(Text(head(say(language, "facts", facts)), "bold"))
    unit = answer.base.currency or "USD"
    for one in answer.warnings:
        console.print(Text(f"! {head(note(one, language, unit))}", "bold yellow"))
    for kind in ("bill", "estimated", "measured"):
        figures = [figure for figure in answer.figures if figure.kind == kind]
        if figures:
            console.print()
            console.print(Text(say(language, f"kind.{kind}"), _STYLES[kind]))
            console.print(_table(figures, wishes, language))
    console.print()
    for one in answer.notes:
        console.print(Text(f"- {head(note(one, language, unit))}", "dim"))


def _table(figures: list[Figure], wishes: Wishes, language: Language) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, show_header=False)
    table.add_column(overflow="fold", ratio=3)
    table.add_column(justify="right", overflow="fold", ratio=1, min_width=12)
    for figure in figures:
        name = Text(head(label(figure, language, wishes.fewer)))
        inputs = inputs_of(figure)
        how = f"{figure.formula}; {inputs}" if inputs else figure.formula
        for said in (range_of(figure, language), how):
            if said:
                name.append(f"\n  {head(said)}", "dim")
        unknown = value_of(figure, language)
        if figure.value is None:
            name.append(f"\n  {head(unknown)}", "yellow")
            unknown = "?"
        table.add_row(name, Text(head(unknown), "bold"))
    return table
