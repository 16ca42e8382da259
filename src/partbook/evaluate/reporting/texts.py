"""How figures are written for people, and the sentences that say what was found.

The same words stand in the terminal, in Markdown and on the page. A difference that chance may well
explain is called just that, whatever its size.
"""

from decimal import Decimal

from partbook.evaluate.reporting.figures import Figures
from partbook.evaluate.reporting.summary import SIGNIFICANT, Comparison, Summary

__all__ = [
    "comparison_sentence",
    "findings",
    "money_text",
    "number",
    "p_text",
    "percent",
    "range_text",
    "title",
]


def percent(share: float | None) -> str:
    """A share in per cent; a dash where there is none.

    >>> percent(0.1234), percent(None)
    ('12.3 %', '–')
    """
    return "–" if share is None else f"{100 * share:.1f} %"


def range_text(low: float, high: float) -> str:
    """Two shares as a range in per cent.

    >>> range_text(0.1, 0.25)
    '10.0 to 25.0'
    """
    return f"{100 * low:.1f} to {100 * high:.1f}"


def number(value: float) -> str:
    """A figure with as many digits as are worth reading.

    >>> number(3.14159), number(1234.5), number(12.3)
    ('3.14', '1,234', '12.3')
    """
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def money_text(usd: Decimal | float | None) -> str:
    """Dollars with three significant digits; `unknown` where they are.

    >>> money_text(Decimal("0.0012345")), money_text(None), money_text(Decimal(0))
    ('$0.00123', 'unknown', '$0')
    """
    if usd is None:
        return "unknown"
    value = float(usd)
    if value == 0:
        return "$0"
    if value >= 100:
        return f"${value:,.0f}"
    if value >= 1:
        return f"${value:.2f}"
    digits = 2
    while value * 10**digits < 100 and digits < 9:
        digits += 1
    return f"${value:.{digits}f}"


def p_text(p: float) -> str:
    """A p-value.

    >>> p_text(0.0000001), p_text(0.0421)
    ('< 0.001', '0.042')
    """
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


_NAMED_TASKS = 3
"""More of them would be no title."""


def title(summary: Summary) -> str:
    """What was evaluated on what."""
    names = list(dict.fromkeys(line.task for line in summary.problems.values()))
    tasks = ", ".join(names) if len(names) <= _NAMED_TASKS else f"{len(names)} tasks"
    count = len(summary.problems)
    repeats = "" if summary.begun.repeats == 1 else f", {summary.begun.repeats} times each"
    systems = _counted(len(summary.systems), "system")
    return f"{systems} on {_counted(count, 'problem')} of {tasks}{repeats}"


def comparison_sentence(focus: str, one: Comparison) -> str:
    """What a comparison says, in words."""
    points = abs(100 * one.difference)
    where = f"{_counted(one.better, 'problem')} to {one.worse}"
    if one.difference == 0:
        return f"{focus} and {one.other} are equally often right ({where})."
    way = "better" if one.difference > 0 else "worse"
    said = f"{focus} is {points:.1f} points {way} than {one.other} ({where}"
    if one.significant:
        return f"{said}; corrected p {p_text(one.corrected)})."
    return f"{said}), which chance explains well enough (corrected p {p_text(one.corrected)})."


def findings(summary: Summary) -> list[str]:
    """The few sentences that somebody reads who reads no table."""
    focus = summary.of(summary.focus)
    found = [_opening(focus)]
    rival = next((one for one in summary.comparisons if one.other == summary.rival), None)
    if rival is not None:
        kind = "the best worker alone" if summary.of(rival.other).alone else "the best other system"
        found.append(f"Beside {kind}: {comparison_sentence(focus.system, rival)}")
        found += _money(focus, summary.of(rival.other))
    unclear = [one.other for one in summary.comparisons if not one.significant]
    if unclear:
        found.append(
            f"Not significant (corrected p {SIGNIFICANT} or more), so nothing should be made of "
            f"the difference between {focus.system} and {', '.join(unclear)}."
        )
    if focus.valid is not None:
        found.append(
            f"{percent(focus.valid)} of its Conductor's texts hold a workflow; where they do, "
            f"{percent(focus.given_valid)} of the answers are right. Its workers' shares have "
            f"{focus.worker_bits:.2f} bits."
        )
    if summary.oracle is not None:
        found.append(_oracle(summary))
    if summary.missing:
        found.append(
            f"{_counted(summary.missing, 'cell')} not judged, which count nowhere; the same "
            "command tries them again."
        )
    return found


def _counted(count: int, name: str) -> str:
    return f"{count:,} {name}" if count == 1 else f"{count:,} {name}s"


def _opening(focus: Figures) -> str:
    return (
        f"{focus.system} answers {percent(focus.accuracy)} of the problems right (95 %: "
        f"{range_text(*focus.interval)}), with {number(focus.calls)} calls, "
        f"{number(focus.tokens)} tokens and {_spent(focus)} per problem."
    )


def _spent(focus: Figures) -> str:
    return "unknown money" if focus.usd is None else money_text(focus.usd)


def _money(focus: Figures, rival: Figures) -> list[str]:
    if focus.usd is None or rival.usd is None:
        return ["What it costs beside that is unknown: not all prices are known."]
    if not focus.usd or not rival.usd:
        return []
    times = float(focus.usd / rival.usd)
    said = f"{times:.1f} times" if times >= 1 else f"{100 * times:.0f} % of"
    included = ", its Conductor included" if focus.conducts else ""
    return [f"It costs {said} what {rival.system} costs{included}."]


def _oracle(summary: Summary) -> str:
    oracle = summary.oracle
    assert oracle is not None
    said = (
        f"Whoever always picked the worker that was right would reach {percent(oracle.measured)}; "
        "that figure counts luck in picking"
    )
    if oracle.corrected is None:
        return f"{said}, and with one repeat it cannot be corrected."
    return f"{said}. Corrected for it: {percent(oracle.corrected)}."
