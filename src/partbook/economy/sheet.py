"""The answer as CSV and as JSON: exact numbers, each with its formula, its inputs and its range."""

import csv
import io
from typing import Any

from partbook.csv_cell import csv_cell
from partbook.economy.answer import Answer
from partbook.economy.bill import Note
from partbook.economy.figure import Figure, shown
from partbook.economy.wishes import Wishes
from partbook.economy.words import Language, inputs_of, label, note, say
from partbook.spend_json import money

__all__ = ["COLUMNS", "as_csv", "as_data"]

COLUMNS = (
    "key", "kind", "figure", "value", "unit", "low", "high", "range", "formula", "inputs",
    "unknown",
)  # fmt: skip


def as_csv(answer: Answer, wishes: Wishes, language: Language) -> str:
    """One line for each figure. An unknown value is empty, and why stands in the last column."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for figure in answer.figures:
        low, high = figure.range or (None, None)
        writer.writerow(
            map(
                csv_cell,
                (
                    figure.key,
                    figure.kind,
                    label(figure, language, wishes.fewer),
                    _exact(figure),
                    figure.unit,
                    "" if low is None else shown(low),
                    "" if high is None else shown(high),
                    figure.range_of,
                    figure.formula,
                    inputs_of(figure),
                    _why(figure, language),
                ),
            )
        )
    return text.getvalue()


def as_data(answer: Answer, wishes: Wishes, language: Language) -> dict[str, Any]:
    """The answer as JSON values; money and other numbers are texts, so that none is rounded."""
    unit = answer.base.currency or "USD"
    return {
        "month": answer.month,
        "currency": unit,
        "sources": list(answer.bill.sources),
        "models": [
            {
                "model": cell.name or None,
                "calls": cell.calls,
                "prompt_tokens": None if cell.usage is None else cell.usage.prompt_tokens,
                "cached_tokens": None if cell.usage is None else cell.usage.cached_tokens,
                "completion_tokens": None if cell.usage is None else cell.usage.completion_tokens,
                "charges": money(cell.charges),
                "credits": money(cell.credits),
            }
            for cell in answer.cells
        ],
        "figures": [_figure(figure, wishes, language) for figure in answer.figures],
        "warnings": [_note(one, language, unit) for one in answer.warnings],
        "notes": [_note(one, language, unit) for one in answer.notes],
    }


def _figure(figure: Figure, wishes: Wishes, language: Language) -> dict[str, Any]:
    low, high = figure.range or (None, None)
    return {
        "key": figure.key,
        "kind": figure.kind,
        "figure": label(figure, language, wishes.fewer),
        "about": dict(figure.about),
        "value": _exact(figure) or None,
        "unit": figure.unit,
        "low": None if low is None else shown(low),
        "high": None if high is None else shown(high),
        "range": figure.range_of or None,
        "formula": figure.formula,
        "inputs": dict(figure.inputs),
        "unknown": _why(figure, language) or None,
    }


def _note(one: Note, language: Language, unit: str) -> dict[str, str]:
    return {"key": one.key, "text": note(one, language, unit)}


def _exact(figure: Figure) -> str:
    return "" if figure.value is None else shown(figure.value)


def _why(figure: Figure, language: Language) -> str:
    if figure.value is not None or not figure.why:
        return ""
    return say(language, figure.why, figure.about)
