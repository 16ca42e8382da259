"""Markup: HTML and SVG from values, in which text stays text.

Whatever a model or a data set says goes through `tag` as plain text and is escaped there. Only what
`tag` itself has made is taken as it is, which the type says.
"""

from html import escape

__all__ = ["Markup", "join", "tag"]


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


def _text(value: str | float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
