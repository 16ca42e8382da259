"""A cell of CSV that no spreadsheet takes for a formula."""

import re

__all__ = ["csv_cell"]

_NUMBER = re.compile(r"-[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?")


def csv_cell(text: str) -> str:
    """The text, quoted where a spreadsheet would run it; a number below 0 is one all the same.

    >>> csv_cell("=HYPERLINK(A1)"), csv_cell("-1.5"), csv_cell("-1+2")
    ("'=HYPERLINK(A1)", '-1.5', "'-1+2")
    """
    runs = text.startswith(("=", "+", "-", "@", "\t", "\r")) and not _NUMBER.fullmatch(text)
    return f"'{text}" if runs else text
