"""A shadow experiment as one page: self-contained, without a request to anybody, fit for A4."""

from importlib.metadata import version

from partbook.economy.frame import framed, listed, top
from partbook.economy.shadow_words import (
    facts_line,
    findings,
    interval_text,
    means_line,
    told,
    uncertain,
    usd_text,
    verdict_line,
)
from partbook.economy.words import Language
from partbook.evaluate.reporting.markup import Markup, tag
from partbook.evaluate.reporting.page_parts import tile
from partbook.evaluate.shadowing.shadow import Tally

__all__ = ["as_shadow_page"]


def as_shadow_page(tally: Tally, language: Language) -> str:
    """The page as HTML; it holds no prompt and no answer."""
    title = told(language, "title")
    rows = [
        tag("tr", tag("td", what), tag("td", f"{count:,}"))
        for count, what in findings(tally, language)
    ]
    return framed(
        language,
        title,
        top(told(language, "kicker"), title, facts_line(tally, language), _tiles(tally, language)),
        tag("p", verdict_line(tally, language)),
        tag("h2", told(language, "head.counts")),
        tag("div", tag("table", tag("tbody", *rows)), class_="card scroll"),
        tag("p", means_line(tally, language)),
        tag("h2", told(language, "head.rule")),
        tag("p", told(language, "rule", pairs=tally.experiment.pairs)),
        tag("h2", told(language, "head.uncertain")),
        listed("ul", uncertain(tally, language), "findings"),
        tag("footer", f"Partbook {version('partbook')} · {tally.experiment.id}"),
    )


def _tiles(tally: Tally, language: Language) -> list[Markup]:
    kinds = {"better": "good", "worse": "bad", "open": "unsure"}
    share = tally.share
    rival, live = tally.mean("rival"), tally.mean("live")
    none = told(language, "none")
    found = [
        tile(
            told(language, "tile.share", rival=tally.experiment.rival),
            "–" if share is None else f"{100 * share:.0f} %",
            none if share is None else interval_text(tally, language),
            kinds[tally.verdict],
        ),
        tile(
            told(language, "tile.judged"),
            f"{tally.judged:,}",
            told(language, "of pairs", pairs=tally.experiment.pairs),
        ),
    ]
    if rival is None or live is None:
        return found
    beside = [usd_text(live[1], language), f"{live[2]:.1f}"]
    return [
        *found,
        tile(told(language, "tile.cost"), usd_text(rival[1], language),
             told(language, "beside", value=beside[0])),
        tile(told(language, "tile.seconds"), f"{rival[2]:.1f}",
             told(language, "beside", value=beside[1])),
    ]  # fmt: skip
