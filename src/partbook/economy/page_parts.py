"""Parts of the page: the bill by model, a figure with its bar, the table of formulas."""

from collections.abc import Sequence
from decimal import Decimal

from partbook.economy.answer import Answer
from partbook.economy.bill import Cell, total_of
from partbook.economy.figure import Figure
from partbook.economy.wishes import Wishes
from partbook.economy.words import (
    Language,
    amount,
    inputs_of,
    is_letter,
    label,
    range_of,
    say,
    value_of,
)
from partbook.evaluate.reporting.markup import Markup, join, tag

__all__ = ["formula_table", "letters", "line", "model_table", "money_bar", "pool_table"]

_MODELS = 12
"""How many models the table lists; the others are one row."""


def model_table(answer: Answer, language: Language) -> Markup:
    """Charges, calls and tokens of the month by model, with a bar each."""
    shown, rest = list(answer.cells[:_MODELS]), answer.cells[_MODELS:]
    if rest:
        other = total_of(rest)
        other.name = say(language, "rest", {"count": str(len(rest))})
        shown.append(other)
    most = max((cell.charges or Decimal(0) for cell in shown), default=Decimal(0)) or Decimal(1)
    unit = answer.base.currency or "USD"
    names = [say(language, f"column.{key}") for key in ("model", "calls", "tokens", "cost")]
    heading = tag(
        "tr", tag("th", names[0]), tag("th", ""), *(tag("th", name) for name in names[1:])
    )
    rows = [_model_row(cell, most, unit, language) for cell in shown]
    return tag("table", tag("thead", heading), tag("tbody", *rows))


def _model_row(cell: Cell, most: Decimal, unit: str, language: Language) -> Markup:
    unknown = say(language, "unknown")
    share = (cell.charges or Decimal(0)) / most
    bar = tag("span", tag("i", style=f"width:{100 * share:.1f}%"), class_="bar")
    tokens = None if cell.usage is None else cell.usage.total_tokens
    return tag(
        "tr",
        tag("td", cell.name or "–"),
        tag("td", bar),
        tag("td", unknown if cell.calls is None else f"{cell.calls:,}"),
        tag("td", unknown if tokens is None else f"{tokens:,}"),
        tag("td", unknown if cell.charges is None else amount(cell.charges, unit, language)),
    )


def pool_table(figures: Sequence[Figure], now: Figure | None, language: Language) -> Markup:
    """The month by each worker of a pool, the cheapest first; unknown prices last."""
    costs = [figure.value for figure in figures if figure.value is not None]
    most = max(costs, default=Decimal(0)) or Decimal(1)
    spend = None if now is None or now.unit != "USD" else now.value
    rows = []
    for figure in sorted(figures, key=lambda one: (one.value is None, one.value or Decimal(0))):
        value = figure.value or Decimal(0)
        dearer = spend is not None and value > spend
        bar = tag("i", class_="more" if dearer else "less", style=f"width:{_share(value, most)}%")
        rows.append(
            tag(
                "tr",
                tag("td", figure.about["worker"]),
                tag("td", tag("div", bar, class_="money wide")),
                tag("td", value_of(figure, language)),
            )
        )
    return tag("table", tag("tbody", *rows))


def line(figure: Figure, wishes: Wishes, language: Language, bar: Markup) -> Markup:
    """A figure with its label, its range and a bar."""
    kind = "value" if figure.value is not None else "value unknown"
    said = range_of(figure, language)
    return tag(
        "div",
        tag("div", label(figure, language, wishes.fewer), class_="label"),
        tag("div", value_of(figure, language), class_=kind),
        bar,
        *([tag("div", said, class_="range")] if said else []),
        class_="line",
    )


def money_bar(figure: Figure, value: Decimal, most: Decimal, kind: str) -> Markup:
    """A bar on the scale of the month, with a line for the range."""
    parts = [tag("i", class_=kind, style=f"width:{_share(value, most)}%")]
    if figure.range is not None:
        low, high = figure.range
        left, right = _share(low, most), _share(high, most)
        parts.append(tag("b", style=f"left:{left}%;width:{right - left:.1f}%"))
    return tag("div", *parts, class_="money")


def _share(value: Decimal, most: Decimal) -> float:
    return round(min(100.0, max(0.0, float(100 * value / most))), 1)


def formula_table(figures: Sequence[Figure], wishes: Wishes, language: Language) -> Markup:
    """Every figure with its formula and its inputs."""
    keys = ("figure", "value", "range", "formula", "inputs")
    names = [say(language, f"column.{key}") for key in keys]
    heading = tag(
        "tr", tag("th", names[0]), tag("th", ""), *(tag("th", name) for name in names[1:])
    )
    rows = [
        tag(
            "tr",
            tag("td", label(figure, language, wishes.fewer)),
            tag("td", tag("span", say(language, f"kind.{figure.kind}"),
                          class_=f"badge {figure.kind}")),
            tag("td", value_of(figure, language)),
            tag("td", range_of(figure, language)),
            tag("td", tag("code", figure.formula)),
            tag("td", tag("code", inputs_of(figure))),
        )
        for figure in figures
    ]  # fmt: skip
    return tag("table", tag("thead", heading), tag("tbody", *rows), class_="formulas")


def letters(figures: Sequence[Figure], language: Language) -> Markup:
    """What the letters of these figures' formulas mean."""
    used = dict.fromkeys(name for figure in figures for name in figure.inputs)
    parts = [
        join(tag("dt", name), tag("dd", say(language, f"letter.{name}")))
        for name in used
        if is_letter(name)
    ]
    return tag("dl", *parts, class_="letters")
