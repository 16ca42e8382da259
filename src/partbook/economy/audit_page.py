"""The audit as one page: self-contained, without a request to anybody, fit for A4.

Prompts may be anybody's; they are text here and cut to an example each.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal
from importlib.metadata import version

from partbook.economy.audit import Audit, Candidate
from partbook.economy.audit_words import told
from partbook.economy.conducted import Conducted
from partbook.economy.frame import framed, listed, top
from partbook.economy.words import Language, amount
from partbook.evaluate.reporting.markup import Markup, join, tag
from partbook.evaluate.reporting.page_parts import tile

__all__ = ["as_audit_page", "conducted_lines", "spent_text"]


def as_audit_page(
    found: Audit,
    conducted: Conducted | None,
    most: int,
    shown: Callable[[str], str],
    language: Language,
) -> str:
    """The page as HTML.

    Args:
        found: by the rules.
        conducted: by a Conductor; None: none was asked.
        most: how many kinds are listed.
        shown: what becomes of an example, as a mask.
        language: of the page.
    """
    title = told(language, "title")
    facts = told(language, "found", several=found.several, prompts=found.prompts)
    kinds = found.candidates[:most]
    uncertain = [told(language, "note")]
    if found.unknown_costs:
        uncertain.append(told(language, "unknown", count=found.unknown_costs))
    if conducted is not None:
        uncertain.append(told(language, "conductor note"))
    steps = [told(language, f"next.{i}") for i in (1, 2, 3)]
    return framed(
        language,
        title,
        top(told(language, "kicker"), title, facts, _tiles(found, conducted, language)),
        _section(language, "kinds", _kinds(kinds, conducted, language)),
        _section(language, "examples", _examples(kinds, shown)),
        _conductor(found, conducted, shown, language),
        _section(language, "uncertain", listed("ul", uncertain, "findings")),
        _section(language, "next", listed("ol", steps, "weeks")),
        tag("footer", f"{told(language, 'footer')} · Partbook {version('partbook')}"),
    )


def conducted_lines(found: Audit, conducted: Conducted, language: Language) -> list[str]:
    """What is said of a Conductor's reading, line by line."""
    read = len(conducted.sketches)
    lines = [
        told(
            language, "conductor", name=conducted.name, read=read, prompts=found.prompts,
            several=conducted.several, rules=conducted.by_rules, both=conducted.both,
        )
    ]  # fmt: skip
    if conducted.no_plan:
        lines.append(told(language, "conductor none", count=conducted.no_plan))
    if conducted.stopped:
        why = conducted.stopped
        lines.append(told(language, "conductor stopped", read=read, drawn=conducted.drawn, why=why))
    usd = amount(conducted.known_usd, "USD", language)
    if conducted.unknown_costs:
        usd = told(language, "some unknown", usd=usd, count=conducted.unknown_costs)
    lines.append(told(language, "conductor cost", calls=conducted.calls, usd=usd))
    return lines


def spent_text(one: Candidate, value: Decimal, language: Language) -> str:
    """An amount of a kind of work; `?` where no cost of it is known."""
    return amount(value, "USD", language) if one.unknown_costs < one.prompts else "?"


def _tiles(found: Audit, conducted: Conducted | None, language: Language) -> list[Markup]:
    spent = sum((one.known_usd for one in found.candidates), start=Decimal(0))
    known = found.unknown_costs < found.prompts
    all_usd = amount(found.known_usd, "USD", language)
    tiles = [
        tile(told(language, "tile.prompts"), f"{found.prompts:,}", ""),
        tile(
            told(language, "tile.several"),
            f"{found.several:,}",
            told(language, "of", count=found.prompts),
        ),
        tile(
            told(language, "tile.spent"),
            amount(spent, "USD", language) if known else "?",
            told(language, "known", amount=all_usd) if known else "",
        ),
    ]
    if conducted is not None:
        read = told(language, "of", count=len(conducted.sketches))
        tiles.append(tile(told(language, "tile.conductor"), f"{conducted.several:,}", read))
    return tiles


def _kinds(kinds: Sequence[Candidate], conducted: Conducted | None, language: Language) -> Markup:
    keys = ["stages", "prompts", "spent", "calls", "cost", "workflow"]
    keys += [] if conducted is None else ["agreed"]
    heading = tag("tr", *(tag("th", told(language, f"column.{key}")) for key in keys))
    rows = []
    for one in kinds:
        cells = [one.name, f"{one.prompts:,}", spent_text(one, one.known_usd, language)]
        cells += [f"{one.calls_split:,}", spent_text(one, one.split_usd, language), one.workflow]
        if conducted is not None:
            read, agreed = conducted.agreed(one.name)
            cells.append(f"{agreed} / {read}")
        rows.append(tag("tr", *(tag("td", cell) for cell in cells)))
    table = tag("table", tag("thead", heading), tag("tbody", *rows))
    return tag("div", table, class_="card scroll")


def _examples(kinds: Sequence[Candidate], shown: Callable[[str], str]) -> Markup:
    items = [tag("li", tag("b", one.name), f": {shown(one.example)}") for one in kinds]
    return tag("ul", *items, class_="findings")


def _conductor(
    found: Audit, conducted: Conducted | None, shown: Callable[[str], str], language: Language
) -> Markup:
    if conducted is None:
        return join()
    lines = [tag("p", line) for line in conducted_lines(found, conducted, language)]
    alone = conducted.alone()
    if alone:
        items = [
            tag("li", tag("b", f"{one.name} ({one.prompts:,})"), f": {shown(one.example)} — ",
                tag("code", one.workflow))
            for one in alone[:10]
        ]  # fmt: skip
        lines.append(tag("p", told(language, "conductor alone")))
        lines.append(tag("ul", *items, class_="findings"))
    return _section(language, "conductor", *lines)


def _section(language: Language, key: str, *parts: str) -> Markup:
    return tag("section", tag("h2", told(language, f"head.{key}")), *parts)
