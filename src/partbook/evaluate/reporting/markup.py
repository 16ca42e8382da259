"""Markup: HTML and SVG from values, in which text stays text.

Whatever a model or a data set says goes through `tag` as plain text and is escaped there. Only what
`tag` itself has made is taken as it is, which the type says.
"""

from html import escape

__all__ = ["Markup", "document", "join", "tag"]


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def tag(name: str, *children: str, **attributes: str | float) -> Markup:
    """An element.

    Args:
        name: of the element.
        children: text, which is escaped, or `Markup`, which is not.
        attributes: their values are escaped; `class_` is `class`, other underscores are dashes.

    >>> tag("p", "a < b ", tag("b", "c"), class_="note")
    '<p class="note">a &lt; b <b>c</b></p>'
    """
    listed = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_text(value))}"'
        for key, value in attributes.items()
    )
    return Markup(f"<{name}{listed}>{join(*children)}</{name}>")


def join(*children: str) -> Markup:
    """Several pieces, one after another."""
    return Markup(
        "".join(child if isinstance(child, Markup) else escape(child) for child in children)
    )


def document(language: str, title: str, style: str, main: Markup) -> str:
    """A whole page of one file, which loads nothing and runs no script, whatever stands in it.

    Args:
        language: of the page, as `en`.
        title: in the window's bar.
        style: all of its CSS.
        main: what is seen.
    """
    head = join(
        Markup('<meta charset="utf-8">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup(
            '<meta http-equiv="Content-Security-Policy" '
            "content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        ),
        tag("title", title),
        tag("style", Markup(style)),
    )
    body = tag("body", main)
    return f'<!doctype html>\n<html lang="{language}"><head>{head}</head>{body}</html>\n'


def _text(value: str | float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
