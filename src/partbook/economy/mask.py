"""Masks personal data in texts: addresses, numbers of persons, cards and telephones, keys.

Patterns find what has a form of its own. Names and addresses of houses have none and stay.
"""

import re

__all__ = ["mask"]

_PATTERNS = (
    ("[email]", re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}")),
    ("[key]", re.compile(r"\b(?:sk|pk|ghp|xox[bp]|AKIA|AIza)[-_]?[\w-]{16,}")),
    ("[person number]", re.compile(r"(?<!\d)\d{6}-[1-8]\d{6}(?!\d)")),
    ("[card]", re.compile(r"(?<!\d)(?:\d[ -]?){13,18}\d(?!\d)")),
    ("[ip]", re.compile(r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])")),
    ("[phone]", re.compile(
        r"(?<![\w-])(?:\+\d{1,3}[ -]?(?:\(0\)[ -]?)?\d{1,4}|\(0\d{1,3}\)|0\d{1,3})"
        r"[ -]?\d{3,4}[ -]?\d{4}(?!\d)"
    )),
)  # fmt: skip


def mask(text: str) -> str:
    """A text without personal data that has a form of its own.

    >>> mask("Mail kim@example.com or 010-1234-5678, id 900101-1234567")
    'Mail [email] or [phone], id [person number]'
    """
    for name, pattern in _PATTERNS:
        text = pattern.sub(name, text)
    return text
