"""Parts of the page: tiles, tables, bars, shares."""

from collections.abc import Sequence

from partbook.evaluate.reporting.figures import Figures, Share, natural
from partbook.evaluate.reporting.markup import Markup, join, tag
from partbook.evaluate.reporting.summary import Summary
from partbook.evaluate.reporting.texts import money_text, number, percent, range_text

__all__ = ["bars", "heat_table", "main_table", "plain_table", "tile", "worker_stacks"]

_COLOURS = 10
"""Of the style sheet; the last one is for all further workers."""

_WIDE = 84
"""Pixels of a bar in the table, as in the style sheet."""


def tile(name: str, figure: str, note: str, kind: str = "") -> Markup:
    """A figure that is read first."""
    return tag(
        "div",
        tag("div", name, class_="name"),
        tag("div", figure, class_="figure"),
        tag("div", note, class_="note"),
        class_=f"tile {kind}".strip(),
    )


def main_table(summary: Summary) -> Markup:
    """All systems, best first."""
    ordered = sorted(summary.systems, key=lambda one: (-one.accuracy, one.system))
    missing = any(one.not_judged for one in ordered)
    valid = any(one.valid is not None for one in ordered)
    names = ["system", "", "right", "95 %"]
    names += ["valid", "right if valid"] if valid else []
    names += ["steps", "calls", "tokens", "USD / 1000", "bits", "regret"]
    names += ["not judged"] if missing else []
    rows = [_main_row(one, summary, valid, missing) for one in ordered]
    return tag("table", _heading(names), tag("tbody", *rows))


def heat_table(summary: Summary, kind: str) -> Markup:
    """Right answers by difficulty or by task, shaded, with the mean steps.

    Args:
        summary: what was found.
        kind: `difficulty` or `task`.
    """
    by = {
        one.system: one.by_task if kind == "task" else one.by_difficulty for one in summary.systems
    }
    columns = sorted({name for found in by.values() for name in found}, key=natural)
    rows = []
    for one in sorted(summary.systems, key=lambda one: (-one.accuracy, one.system)):
        cells = [_heat(by[one.system].get(name)) for name in columns]
        rows.append(tag("tr", tag("td", one.system), *cells, class_=_row_class(one, summary)))
    heading = _heading(["system", *columns], centred=True)
    return tag("table", heading, tag("tbody", *rows), class_="heats")


def plain_table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> Markup:
    """A table of text."""
    body = [tag("tr", *(tag("td", text) for text in row)) for row in rows]
    return tag("table", _heading(names), tag("tbody", *body))


def bars(values: Sequence[tuple[str, float, str]], focus: str) -> Markup:
    """A bar for each (name, value, text), the longest first."""
    most = max((value for _, value, _ in values), default=0.0) or 1.0
    parts: list[Markup] = []
    for name, value, text in sorted(values, key=lambda one: -one[1]):
        kind = "focus" if name == focus else "rest"
        bar = tag("i", class_=kind, style=f"width:{100 * value / most:.1f}%")
        parts += [
            tag("div", name, class_="n focusname" if name == focus else "n", title=name),
            tag("div", bar, class_="track"),
            tag("div", text, class_="v"),
        ]
    return tag("div", *parts, class_="pair")


def worker_stacks(summary: Summary) -> Markup:
    """Shares of the calls as one bar a system, with a legend.

    Systems that only ever ask one worker are left out: their bar would say nothing.
    """
    names = sorted({name for one in summary.systems for name in one.workers})
    colour = {name: f"w{min(i, _COLOURS - 1)}" for i, name in enumerate(names)}
    legend = [tag("span", tag("i", class_=colour[name]), name) for name in names]
    parts: list[Markup] = []
    for one in summary.systems:
        if one.alone or not one.workers:
            continue
        pieces = [
            tag(
                "i",
                class_=colour[name],
                style=f"width:{100 * share:.2f}%",
                title=f"{name} {percent(share)}",
            )
            for name, share in one.workers.items()
        ]
        parts += [
            tag(
                "div",
                one.system,
                class_="n focusname" if one.system == summary.focus else "n",
                title=one.system,
            ),
            tag("div", *pieces, class_="track stack"),
            tag("div", f"{one.worker_bits:.2f} bits", class_="v"),
        ]
    return join(tag("div", *legend, class_="legend"), tag("div", *parts, class_="pair"))


def _heading(names: Sequence[str], *, centred: bool = False) -> Markup:
    style = {"style": "text-align:center"} if centred else {}
    shown = [_breakable(name) if centred else name for name in names]
    cells = [tag("th", name, **(style if i else {})) for i, name in enumerate(shown)]
    return tag("thead", tag("tr", *cells))


def _breakable(name: str) -> str:
    """A name that may be broken behind its slashes and underscores, so that many stand abreast."""
    return name.replace("/", "/\u200b").replace("_", "_\u200b")


def _main_row(one: Figures, summary: Summary, valid: bool, missing: bool) -> Markup:
    name = join(one.system, *_tags(one, summary))
    if not one.judged:
        return tag("tr", tag("td", name), tag("td", "nothing judged yet", class_="low"))
    low, high = one.interval
    regret = summary.regret.get(one.system)
    cells = [
        tag("td", _bar(one.accuracy, low, high)),
        tag("td", percent(one.accuracy)),
        tag("td", range_text(low, high), class_="low"),
    ]
    if valid:
        cells += [tag("td", percent(one.valid)), tag("td", percent(one.given_valid))]
    cells += [
        tag("td", number(one.steps)),
        tag("td", number(one.calls)),
        tag("td", number(one.tokens)),
        tag("td", money_text(None if one.usd is None else 1000 * one.usd)),
        tag("td", f"{one.worker_bits:.2f}"),
        tag("td", "–" if regret is None else f"{100 * regret:.1f}"),
    ]
    if missing:
        cells.append(tag("td", str(one.not_judged)))
    return tag("tr", tag("td", name), *cells, class_=_row_class(one, summary))


def _tags(one: Figures, summary: Summary) -> list[Markup]:
    return (
        [tag("span", "◆", class_="mark", title="on the frontier")]
        if one.system in summary.frontier
        else []
    )


def _bar(value: float, low: float, high: float) -> Markup:
    reach = tag("b", style=f"left:{_WIDE * low:.1f}px;width:{_WIDE * (high - low):.1f}px")
    return tag("span", tag("i", style=f"width:{100 * value:.1f}%"), reach, class_="bar")


def _heat(share: Share | None) -> Markup:
    if share is None:
        return tag("td", "", class_="heat")
    style = f"background:rgba(var(--heat),{0.06 + 0.5 * share.accuracy:.2f})"
    said = f"{share.right} of {share.count} right"
    text = f"{100 * share.accuracy:.0f} % "
    return tag(
        "td", text, tag("small", f"{share.steps:.1f}"), class_="heat", style=style, title=said
    )


def _row_class(one: Figures, summary: Summary) -> str:
    return "focus" if one.system == summary.focus else "rest"
