"""The answer as one page for a meeting: self-contained, without a request to anybody, fit for A4.

First what is spent and what would be, estimates on the left and measurements on the right; then
quality, what is uncertain, and what to do. Names of models come from a bill and are text here.
"""

from collections.abc import Sequence
from decimal import Decimal
from importlib.metadata import version

from partbook.economy.answer import Answer
from partbook.economy.figure import Figure
from partbook.economy.frame import framed, in_code, listed, top
from partbook.economy.page_parts import (
    formula_table,
    letters,
    line,
    model_table,
    money_bar,
    pool_table,
)
from partbook.economy.wishes import Wishes
from partbook.economy.words import Language, amount, note, percent, range_of, say, value_of
from partbook.evaluate.reporting.markup import Markup, join, tag
from partbook.evaluate.reporting.page_parts import tile

__all__ = ["as_page"]

_ESTIMATED = (
    "fewer.cost",
    "fewer.total",
    "one.cost",
    "fewer.gross",
    "fewer.conductor",
    "fewer.net",
    "fewer.most",
    "fewer.even",
    "listed",
)
_MEASURED = (
    "carried.cost",
    "carried.net",
    "carried.even",
    "run.baseline",
    "run.system",
    "run.ratio",
    "run.calls",
)
_BARRED = ("fewer.cost", "fewer.total", "one.cost", "carried.cost", "listed")
"""Figures that are costs of the same month, and so have one scale."""


def as_page(answer: Answer, wishes: Wishes, language: Language) -> str:
    """The page as HTML."""
    title = say(language, "title")
    return framed(
        language,
        f"{title} · {answer.month}",
        _top(answer, wishes, language, title),
        _spent(answer, language),
        _would(answer, wishes, language),
        _pool(answer, wishes, language),
        _section(language, "quality", tag("p", *in_code(_quality(answer, language)))),
        _uncertain(answer, language),
        _weeks(language),
        _figures(answer, wishes, language),
        tag("footer", f"{say(language, 'footer')} · Partbook {version('partbook')}"),
    )


def _top(answer: Answer, wishes: Wishes, language: Language, title: str) -> Markup:
    facts = {"month": answer.month, "sources": ", ".join(answer.bill.sources)}
    unit = _unit(answer)
    warnings = [tag("div", note(one, language, unit), class_="warn") for one in answer.warnings]
    tiles = _tiles(answer, wishes, language)
    return join(
        top(say(language, "kicker"), title, say(language, "facts", facts), tiles), *warnings
    )


def _tiles(answer: Answer, wishes: Wishes, language: Language) -> list[Markup]:
    spend, fewer = answer.of("spend"), answer.of("fewer.total") or answer.of("fewer.cost")
    carried, right = answer.of("carried.cost"), answer.of("run.points")
    none = say(language, "tile.not measured")
    found = [
        _tile(spend, say(language, "tile.spend", {"month": answer.month}), language, ""),
        _tile(fewer, say(language, "tile.estimated", {"fewer": percent(wishes.fewer)}), language,
              _sign(fewer, spend)),
    ]  # fmt: skip
    if carried is None or right is None:
        name = say(language, "tile.measured", {"system": ""}).rstrip(", ")
        return [*found, tile(name, "–", none), tile(say(language, "tile.quality"), "–", none)]
    system = {"system": carried.about["system"]}
    low = right.range[0] if right.range else Decimal(0)
    high = right.range[1] if right.range else Decimal(0)
    kind = "good" if low > 0 else "bad" if high < 0 else "unsure"
    return [
        *found,
        _tile(carried, say(language, "tile.measured", system), language, _sign(carried, spend)),
        _tile(right, say(language, "tile.quality"), language, kind),
    ]


def _tile(figure: Figure | None, name: str, language: Language, kind: str) -> Markup:
    if figure is None or figure.value is None:
        why = "" if figure is None else value_of(figure, language)
        return tile(name, "–", why)
    note_ = range_of(figure, language) or say(language, f"kind.{figure.kind}")
    return tile(name, amount(figure.value, figure.unit, language), note_, kind)


def _sign(figure: Figure | None, spend: Figure | None) -> str:
    """Whether a cost is below what is spent now, over its whole range."""
    if figure is None or spend is None or figure.value is None or spend.value is None:
        return ""
    low, high = figure.range or (figure.value, figure.value)
    return "good" if high < spend.value else "bad" if low > spend.value else "unsure"


def _spent(answer: Answer, language: Language) -> Markup:
    table = tag("div", model_table(answer, language), class_="card scroll")
    return _section(language, "spend", table, lead=True)


def _would(answer: Answer, wishes: Wishes, language: Language) -> Markup:
    costs = [f for f in answer.figures if f.key in _BARRED and f.unit == _unit(answer)]
    most = max((_most(f) for f in costs), default=Decimal(1))
    now = answer.of("spend")
    most = max(most, now.value if now and now.value else Decimal(0)) or Decimal(1)

    def column(kind: str, keys: Sequence[str]) -> Markup:
        ordered = [f for key in keys for f in answer.figures if f.key == key]
        rows = [line(f, wishes, language, _bar(f, now, most)) for f in ordered]
        if not rows:
            rows = [tag("p", *in_code(say(language, "not measured")), class_="label")]
        elif now is not None and now.value is not None:
            bar = money_bar(now, now.value, most, "now")
            rows.insert(0, line(now, wishes, language, bar))
        badge = tag("span", say(language, f"kind.{kind}"), class_=f"badge {kind}")
        return tag("div", badge, *rows, class_="card")

    halves = tag("div", column("estimated", _ESTIMATED), column("measured", _MEASURED),
                 class_="half")  # fmt: skip
    return _section(language, "would", halves, lead=True)


def _unit(answer: Answer) -> str:
    return answer.base.currency or "USD"


def _most(figure: Figure) -> Decimal:
    low, high = figure.range or (Decimal(0), Decimal(0))
    return max(figure.value or Decimal(0), low, high)


def _bar(figure: Figure, now: Figure | None, most: Decimal) -> Markup:
    if figure.key not in _BARRED or figure.value is None or now is None or now.value is None:
        return join()
    if figure.unit != now.unit:
        return join()
    return money_bar(figure, figure.value, most, "more" if figure.value > now.value else "less")


def _pool(answer: Answer, wishes: Wishes, language: Language) -> Markup:
    figures = [figure for figure in answer.figures if figure.key == "pool.worker"]
    if not figures:
        return join()
    lead = tag("p", say(language, "lead.pool", {"pool": wishes.pool}), class_="lead")
    table = tag("div", pool_table(figures, answer.of("spend"), language), class_="card scroll")
    return tag("section", tag("h2", say(language, "head.pool")), lead, table)


def _quality(answer: Answer, language: Language) -> str:
    found = answer.measured
    if found is None:
        return say(language, "quality.none")
    low, high = found.points_range
    values = {
        "system": found.system,
        "baseline": found.baseline,
        "ours": f"{100 * found.right[1]:.1f}",
        "theirs": f"{100 * found.right[0]:.1f}",
        "n": f"{found.problems:,}",
        "tasks": found.tasks,
        "low": f"{100 * low:+.1f}",
        "high": f"{100 * high:+.1f}",
    }
    return say(language, "quality", values)


def _uncertain(answer: Answer, language: Language) -> Markup:
    said = [note(one, language, _unit(answer)) for one in answer.notes]
    return _section(language, "uncertain", listed("ul", said, "findings"))


def _weeks(language: Language) -> Markup:
    steps = [say(language, f"week.{i}") for i in range(1, 5)]
    return _section(language, "weeks", listed("ol", steps, "weeks"))


def _figures(answer: Answer, wishes: Wishes, language: Language) -> Markup:
    table = formula_table(answer.figures, wishes, language)
    return _section(
        language,
        "figures",
        tag("div", table, class_="card scroll"),
        letters(answer.figures, language),
        lead=True,
    )


def _section(language: Language, key: str, *parts: str, lead: bool = False) -> Markup:
    said = [tag("p", say(language, f"lead.{key}"), class_="lead")] if lead else []
    return tag("section", tag("h2", say(language, f"head.{key}")), *said, *parts)
