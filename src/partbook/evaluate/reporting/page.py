"""The report as one page for people who decide: self-contained, without a request to anybody.

What is most important comes first: who is right how often and for how much, then whether that may
be chance, then who did the work, then problems with the workflows that were played. Everything that
a model or a data set said is text on it, never HTML.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.resources import files

from partbook.evaluate.reporting.figures import Figures
from partbook.evaluate.reporting.markup import Markup, document, join, tag
from partbook.evaluate.reporting.page_cases import case_list
from partbook.evaluate.reporting.page_parts import (
    bars,
    heat_table,
    main_table,
    plain_table,
    tile,
    worker_stacks,
)
from partbook.evaluate.reporting.plots import differences_plot, frontier_plot
from partbook.evaluate.reporting.published import published_rows
from partbook.evaluate.reporting.report import time_text
from partbook.evaluate.reporting.summary import Summary, cost_axis
from partbook.evaluate.reporting.texts import (
    findings,
    money_text,
    number,
    percent,
    range_text,
    title,
)
from partbook.evaluate.running.protocol import Published

__all__ = ["as_page"]

_SHORT = 160
"""Characters of a fact that is named at the top; a longer one stands at the end."""


def as_page(summary: Summary, published: Sequence[Published] = ()) -> str:
    """The page as HTML."""
    style = files("partbook.evaluate.reporting").joinpath("page.css").read_text(encoding="utf-8")
    main = tag(
        "main",
        _top(summary),
        _quality(summary),
        _comparisons(summary),
        _table(summary),
        _spent(summary),
        _difficulty(summary),
        _workers(summary),
        _cases(summary),
        _published(summary, published),
        _method(summary),
    )
    return document("en", f"{title(summary)} · Partbook", style, main)


def _top(summary: Summary) -> Markup:
    focus = summary.of(summary.focus)
    tiles = [
        tile(
            f"{focus.system} is right",
            percent(focus.accuracy),
            f"95 % interval {range_text(*focus.interval)}",
        ),
        *_rival_tile(summary),
        _cost_tile(focus),
        *_format_tile(focus),
    ]
    facts = [f"{name}: {text}" for name, text in _facts(summary) if len(text) <= _SHORT]
    return join(
        tag("div", "Partbook evaluation", class_="kicker"),
        tag("h1", title(summary)),
        tag("div", " · ".join(facts), class_="facts"),
        tag("div", *tiles, class_="tiles"),
        _warning(summary),
        tag("ul", *(tag("li", sentence) for sentence in findings(summary)), class_="findings"),
    )


def _facts(summary: Summary) -> list[tuple[str, str]]:
    """What the evaluation is, by name, without what is not set and without the workers."""
    return [
        (name, text)
        for name, text in summary.identity.items()
        if text != "none" and not name.startswith(("worker ", "number "))
    ]


def _rival_tile(summary: Summary) -> list[Markup]:
    one = next((one for one in summary.comparisons if one.other == summary.rival), None)
    if one is None:
        return []
    kind = "unsure" if not one.significant else "good" if one.difference > 0 else "bad"
    chance = "not significant" if not one.significant else "significant"
    return [
        tile(
            f"Beside {one.other}",
            f"{100 * one.difference:+.1f} points",
            f"{chance}; 95 % interval {range_text(*one.interval)}",
            kind,
        )
    ]


def _cost_tile(focus: Figures) -> Markup:
    each = f"{number(focus.calls)} calls and {number(focus.tokens)} tokens per problem"
    if focus.usd:
        return tile("1000 problems cost", money_text(1000 * focus.usd), each)
    free = "unknown prices" if focus.usd is None else "no money"
    return tile("A problem takes", f"{number(focus.tokens)} tokens", f"{each}; {free}")


def _format_tile(focus: Figures) -> list[Markup]:
    if focus.valid is None:
        return []
    note = f"{percent(focus.given_valid)} right where they do; {focus.worker_bits:.2f} bits"
    return [tile("Its texts hold a workflow", percent(focus.valid), note)]


def _warning(summary: Summary) -> Markup:
    if not summary.missing:
        return join()
    asked = sum(one.asked for one in summary.systems)
    said = (
        f"{summary.missing} of {asked} answers are not judged: a worker was down, a limit of the "
        "whole run was reached, or the run was cut short. They count nowhere below."
    )
    return tag("div", said, class_="warn")


def _quality(summary: Summary) -> Markup:
    axis = cost_axis(summary.systems)
    money, little = ("money", "little money") if axis == "usd" else ("tokens", "few tokens")
    return _section(
        f"Quality against {money}",
        f"Higher is better, further left is cheaper. The dashed line is the frontier: no system "
        f"above it for as {little}. Thin lines are 95 % intervals; hollow points are single "
        "workers.",
        tag("div", frontier_plot(summary), class_="card"),
    )


def _comparisons(summary: Summary) -> Markup:
    if not summary.comparisons:
        return join()
    unsure = [one.other for one in summary.comparisons if not one.significant]
    said = (
        f"Not significant, and so no difference to build on: {', '.join(unsure)}."
        if unsure
        else "All differences are significant after correction for the number of comparisons."
    )
    return _section(
        f"{summary.focus} beside every other system",
        "Difference in right answers, in points, on the same problems. Grey: chance explains it "
        "well enough (n. s.).",
        tag("div", differences_plot(summary), class_="card"),
        tag("p", said),
    )


def _table(summary: Summary) -> Markup:
    return _section(
        "All systems",
        "Calls, tokens, steps and money are per problem and include the Conductor's own. Bits: "
        "entropy of the workers' shares; 0 is always the same worker. Regret: points lost against "
        "the best measured worker of each problem; below 0: better than all of them. ◆: on the "
        "frontier.",
        tag("div", main_table(summary), class_="card scroll"),
    )


def _spent(summary: Summary) -> Markup:
    judged = [one for one in summary.systems if one.judged]
    calls = bars([(one.system, one.calls, number(one.calls)) for one in judged], summary.focus)
    tokens = bars([(one.system, one.tokens, number(one.tokens)) for one in judged], summary.focus)
    return _section(
        "Calls and tokens",
        "What a problem takes, on average.",
        tag(
            "div",
            tag("div", tag("h3", "Calls per problem"), calls),
            tag("div", tag("h3", "Tokens per problem"), tokens),
            class_="card columns",
        ),
    )


def _difficulty(summary: Summary) -> Markup:
    parts = []
    if any(one.by_difficulty for one in summary.systems):
        parts += [
            tag("h3", "Right answers by difficulty"),
            tag("div", heat_table(summary, "difficulty"), class_="scroll"),
        ]
    if len({line.task for line in summary.problems.values()}) > 1:
        parts += [
            tag("h3", "Right answers by task"),
            tag("div", heat_table(summary, "task"), class_="scroll"),
        ]
    if not parts:
        return join()
    return _section(
        "Steps and difficulty",
        "Small figures are the mean number of steps that were played there. Difficulty is what the "
        "source of a problem says, where it says anything.",
        tag("div", *parts, class_="card"),
    )


def _workers(summary: Summary) -> Markup:
    return _section(
        "Who did the work",
        "Shares of the workers' calls, without the Conductor's own.",
        tag("div", worker_stacks(summary), class_="card"),
    )


def _cases(summary: Summary) -> Markup:
    if not summary.rival:
        return join()
    parts = []
    for heading, cases in (
        (f"{summary.focus} is right, {summary.rival} is wrong", summary.wins),
        (f"{summary.focus} is wrong, {summary.rival} is right", summary.losses),
    ):
        if cases:
            parts += [tag("h3", heading), tag("div", *case_list(cases), class_="card")]
    if not parts:
        return join()
    return _section(
        "Where it wins and where it loses",
        "Some problems on which the two differ, short questions first, with what was played.",
        *parts,
    )


def _published(summary: Summary, published: Sequence[Published]) -> Markup:
    if not published:
        return join()
    rows = published_rows(published, summary)
    return _section(
        "Published and measured",
        f"In each cell: what {published[0].source} prints, then what was measured here; a dash "
        "where nothing was. Nothing published was measured here.",
        tag("div", plain_table(rows[0], rows[1:]), class_="card scroll"),
    )


def _method(summary: Summary) -> Markup:
    begun = datetime.fromtimestamp(summary.begun.at, UTC).strftime("%Y-%m-%d %H:%M UTC")
    repeats = summary.begun.repeats
    interval = "Wilson's" if repeats == 1 else "a bootstrap over problems"
    test = "McNemar's exact test" if repeats == 1 else "sign flips by problem"
    lines = [
        f"Intervals of right answers are {interval}; of differences, a paired bootstrap over "
        f"problems. Tests are {test}, two-sided, corrected by Holm over {len(summary.comparisons)} "
        "comparisons.",
        "All systems met the same problems, workers, limits and judges. An outage is not a wrong "
        "answer: such cells are not judged and count nowhere.",
        "Money is the list price of the tokens that were read and written, failed calls included.",
        time_text(summary),
    ]
    lines += [f"{name}: {text}." for name, text in _facts(summary) if len(text) > _SHORT]
    if summary.oracle is not None:
        lines.append(
            "The best worker of each problem, as measured, is an upper bound, for it counts luck "
            "in picking. The corrected figure picks by the other repeats and counts on the one "
            "left out."
        )
    return join(
        _section("How it was measured", "", tag("ul", *(tag("li", line) for line in lines))),
        tag("footer", f"Begun {begun} · Partbook {version('partbook')}"),
    )


def _section(heading: str, lead: str, *parts: str) -> Markup:
    said = [tag("p", lead, class_="lead")] if lead else []
    return tag("section", tag("h2", heading), *said, *parts)
