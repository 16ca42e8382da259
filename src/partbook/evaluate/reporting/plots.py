"""Plots as SVG, drawn by hand: quality against money, and differences with their intervals.

Colours are names of classes, so that the page can show them in light and in dark.
"""

from collections.abc import Callable, Sequence
from math import ceil, floor, log10

from partbook.evaluate.reporting.figures import Figures
from partbook.evaluate.reporting.markup import Markup, join, tag
from partbook.evaluate.reporting.plot_labels import Box, Name, labels, short
from partbook.evaluate.reporting.summary import Comparison, Summary, cost, cost_axis
from partbook.evaluate.reporting.texts import money_text, number, p_text, percent, range_text

__all__ = ["differences_plot", "frontier_plot"]

_WIDTH, _HEIGHT, _ROW = 1000.0, 480.0, 26.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 56.0, 24.0, 16.0, 56.0


def frontier_plot(summary: Summary) -> Markup:
    """Accuracy of every system against what a problem costs, on a logarithmic axis.

    What is free stands at the left edge; what has no known price is left out.
    """
    axis = cost_axis(summary.systems)
    shown = [
        (one, spent)
        for one in summary.systems
        if one.judged and (spent := cost(one, axis)) is not None
    ]
    paid = [spent for _, spent in shown if spent > 0] or [1.0]
    low, high = log10(min(paid)), log10(max(paid))
    pad = max(0.15, 0.08 * (high - low))
    low, high = low - pad, high + pad
    top = min(1.0, ceil(10 * max(one.interval[1] for one, _ in shown) + 0.2) / 10)

    def x(spent: float) -> float:
        share = (log10(spent) - low) / (high - low) if spent > 0 else 0.0
        return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)

    def y(accuracy: float) -> float:
        return _TOP + (1 - accuracy / top) * (_HEIGHT - _TOP - _BOTTOM)

    name = "US dollars per 1000 problems" if axis == "usd" else "tokens per problem"
    parts = [_grid(low, high, top, x, y, axis), _axis_names(name)]
    if any(spent == 0 for _, spent in shown):
        parts.append(_tick("0" if axis == "tokens" else "free", x(0)))
    on = [
        (x(spent), y(one.accuracy))
        for one, spent in sorted(shown, key=lambda pair: pair[1])
        if one.system in summary.frontier
    ]
    if len(on) > 1:
        parts.append(tag("path", d=_staircase(on), class_="frontier"))
    for one, spent in shown:
        px, (below, above) = x(spent), one.interval
        parts.append(tag("line", x1=px, x2=px, y1=y(below), y2=y(above), class_="whisker"))
    for one, spent in shown:
        kind = _kind(one, summary)
        said = tag(
            "title", f"{one.system}: {percent(one.accuracy)} right, {_cost_text(spent, axis)}"
        )
        at = {"cx": x(spent), "cy": y(one.accuracy), "r": 7 if kind == "focus" else 5}
        parts.append(tag("circle", said, class_=f"point {kind}", **at))
    frame = Box(_LEFT, 0, _WIDTH, _HEIGHT - _BOTTOM)
    first = {summary.focus: 0} | {name: 1 for name in summary.frontier if name != summary.focus}
    names = [
        Name(one.system, x(spent), y(one.accuracy), _kind(one, summary), first.get(one.system, 2))
        for one, spent in shown
    ]
    parts += labels(names, frame)
    label = f"Accuracy against {name}, one point for each system."
    return tag(
        "svg", *parts, viewBox=f"0 0 {_WIDTH:.0f} {_HEIGHT:.0f}", role="img", aria_label=label
    )


def differences_plot(summary: Summary) -> Markup:
    """The focus minus every other system, with 95 % intervals; grey where chance may explain it."""
    rows = sorted(summary.comparisons, key=lambda one: -one.difference)
    low = min(-0.02, *(one.interval[0] for one in rows))
    high = max(0.02, *(one.interval[1] for one in rows))
    left, right = 230.0, 150.0
    unit = (_WIDTH - left - right) / (high - low) / 1.04
    middle = left - low * unit
    whole = _ROW * len(rows) + 40
    parts = []
    for mark in _ticks(low, high):
        px = middle + mark * unit
        parts += [
            tag("line", x1=px, x2=px, y1=8, y2=whole - 28, class_="zero" if mark == 0 else "grid"),
            tag(
                "text",
                f"{100 * mark:+.0f}" if mark else "0",
                x=px,
                y=whole - 10,
                class_="tick",
                text_anchor="middle",
            ),
        ]
    for i, one in enumerate(rows):
        parts += _difference(one, 22 + i * _ROW, lambda value: middle + value * unit, left)
    label = f"Accuracy of {summary.focus} minus that of each other system, in points."
    box = f"0 0 {_WIDTH:.0f} {whole:.0f}"
    return tag("svg", *parts, viewBox=box, role="img", aria_label=label)


def _difference(
    one: Comparison, y: float, x: Callable[[float], float], left: float
) -> list[Markup]:
    kind = "unsure" if not one.significant else "ahead" if one.difference > 0 else "behind"
    low, high = one.interval
    said = f"{100 * one.difference:+.1f} points, 95 %: {range_text(low, high)}"
    dot = tag("title", said)
    chance = f"p {p_text(one.corrected)}" if one.significant else "n. s."
    figure = f"{100 * one.difference:+.1f}"
    ends = {"x1": x(low), "x2": x(high), "y1": y, "y2": y}
    return [
        tag("text", short(one.other, 32), x=left - 14, y=y + 4, class_="name", text_anchor="end"),
        tag("line", class_=f"reach {kind}", **ends),
        tag("circle", dot, cx=x(one.difference), cy=y, r=5, class_=f"dot {kind}"),
        tag("text", figure, x=_WIDTH - 98, y=y + 4, class_=f"value {kind}", text_anchor="end"),
        tag("text", chance, x=_WIDTH - 84, y=y + 4, class_="tick"),
    ]


def _kind(one: Figures, summary: Summary) -> str:
    if one.system == summary.focus:
        return "focus"
    return "alone" if one.alone else "other"


def _cost_text(spent: float, axis: str) -> str:
    return f"{number(spent)} tokens" if axis == "tokens" else f"{money_text(1000 * spent)} per 1000"


def _mark_text(spent: float, axis: str) -> str:
    """A round value on the axis."""
    return f"{spent:,.0f}" if axis == "tokens" else f"${1000 * spent:,.9g}"


def _grid(
    low: float,
    high: float,
    top: float,
    x: Callable[[float], float],
    y: Callable[[float], float],
    axis: str,
) -> Markup:
    parts = []
    step = 0.1 if top <= 0.6 else 0.2
    for i in range(round(top / step) + 1):
        py = y(i * step)
        parts += [
            tag("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=py, y2=py, class_="grid"),
            tag(
                "text",
                f"{100 * i * step:.0f} %",
                x=_LEFT - 10,
                y=py + 4,
                class_="tick",
                text_anchor="end",
            ),
        ]
    for value in _decades(low, high):
        px = x(value)
        parts += [
            tag("line", x1=px, x2=px, y1=_TOP, y2=_HEIGHT - _BOTTOM, class_="grid"),
            _tick(_mark_text(value, axis), px),
        ]
    return join(*parts)


def _tick(text: str, x: float) -> Markup:
    """A mark below the axis of costs."""
    y = _HEIGHT - _BOTTOM + 20
    return tag("text", text, x=x, y=y, class_="tick", text_anchor="middle")


def _axis_names(name: str) -> Markup:
    return tag(
        "text",
        f"{name}  →  dearer",
        x=_WIDTH - _RIGHT,
        y=_HEIGHT - 10,
        class_="axis",
        text_anchor="end",
    )


def _decades(low: float, high: float) -> list[float]:
    """Round values of a logarithmic axis: 1, 2, 5 of each decade, or only 1 where that is many."""
    steps = (1, 2, 5) if high - low < 2.5 else (1,)
    values = [m * 10.0**e for e in range(floor(low), ceil(high) + 1) for m in steps]
    return [value for value in values if low <= log10(value) <= high]


def _ticks(low: float, high: float) -> list[float]:
    steps = (0.02, 0.05, 0.1, 0.2, 0.25, 0.5)
    step = next((step for step in steps if (high - low) / step <= 9), 0.5)
    return [i * step for i in range(ceil(low / step), floor(high / step) + 1)]


def _staircase(points: Sequence[tuple[float, float]]) -> str:
    """Along the frontier: what its money buys, until the next one is paid for."""
    path = [f"M{points[0][0]:.1f},{points[0][1]:.1f}"]
    for px, py in points[1:]:
        path += [f"H{px:.1f}", f"V{py:.1f}"]
    path.append(f"H{_WIDTH - _RIGHT:.1f}")
    return "".join(path)
