"""What every page of this package has: its style, its top, lists of texts."""

from collections.abc import Iterable, Sequence
from importlib.resources import files

from partbook.economy.words import Language
from partbook.evaluate.reporting.markup import Markup, document, join, tag

__all__ = ["framed", "in_code", "listed", "top"]


def framed(language: Language, title: str, *parts: str) -> str:
    """The page as HTML."""
    style = "".join(
        files(package).joinpath("page.css").read_text(encoding="utf-8")
        for package in ("partbook.evaluate.reporting", "partbook.economy")
    )
    return document(language, f"{title} · Partbook", style, tag("main", *parts))


def top(kicker: str, title: str, facts: str, tiles: Sequence[Markup]) -> Markup:
    """What a page is about, in a few numbers."""
    return join(
        tag("div", kicker, class_="kicker"),
        tag("h1", title),
        tag("div", facts, class_="facts"),
        tag("div", *tiles, class_="tiles"),
    )


def listed(kind: str, texts: Iterable[str], class_: str) -> Markup:
    """A list (`ul` or `ol`) of texts."""
    return tag(kind, *(tag("li", *in_code(text)) for text in texts), class_=class_)


def in_code(text: str) -> list[str]:
    """Pieces of a text, of which those between backticks are code."""
    return [tag("code", piece) if i % 2 else piece for i, piece in enumerate(text.split("`"))]
