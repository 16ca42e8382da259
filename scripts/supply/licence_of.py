"""The licence of an installed package as an SPDX expression, from its own metadata.

Metadata say it in four ways, newest first: `License-Expression`, a short `License`, the whole text
in `License`, and classifiers. What is none of these is unknown, and unknown is never guessed.
"""

from importlib.metadata import Distribution

from license_expression import (
    ExpressionError,
    LicenseExpression,
    LicenseWithExceptionSymbol,
    get_spdx_licensing,
)

__all__ = ["allowed", "licence_of", "parts"]

_SPDX = get_spdx_licensing()

_WORDS = {
    "apache": "Apache-2.0",
    "apache 2.0": "Apache-2.0",
    "apache 2.0 license": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "bsd": "LicenseRef-BSD",
    "bsd license": "LicenseRef-BSD",
    "bsd 2-clause license": "BSD-2-Clause",
    "3-clause bsd license": "BSD-3-Clause",
    "bsd 3-clause license": "BSD-3-Clause",
    "gnu general public license (gpl)": "GPL-1.0-or-later",
    "isc license": "ISC",
    "isc license (iscl)": "ISC",
    "mit license": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "public domain": "LicenseRef-Public-Domain",
    "python software foundation license": "PSF-2.0",
    "the unlicense (unlicense)": "Unlicense",
}
"""What people write, in lower case, and what they mean."""


def licence_of(package: Distribution) -> str:
    """The SPDX expression of a package; empty where its metadata name no licence that is known."""
    said = package.metadata
    if expression := said.get("License-Expression"):
        return _spdx(expression)
    text = (said.get("License") or "").strip()
    first_line = text.split("\n", 1)[0].strip()
    if found := _spdx(text) or _WORDS.get(first_line.lower(), ""):
        return found
    rows = [row for row in said.get_all("Classifier") or [] if row.startswith("License :: ")]
    known = [_WORDS.get(row.rsplit(" :: ", 1)[1].lower(), "") for row in rows]
    # Several classifiers may be a choice or all hold; all is the stricter reading.
    return " AND ".join(dict.fromkeys(known)) if all(known) else ""


def _spdx(text: str) -> str:
    if not text or "\n" in text:
        return ""
    try:
        parsed = _SPDX.parse(text, validate=True)
    except ExpressionError:
        return ""
    return str(parsed)


def parts(expression: str) -> list[str]:
    """The single licences of an expression, `A WITH B` counting as one, in the order of names."""
    return sorted({str(one) for one in _SPDX.parse(expression).get_literals()})


def allowed(expression: str, permitted: frozenset[str]) -> bool:
    """Whether what is permitted satisfies an expression: all sides of AND, one side of OR."""
    return _holds(_SPDX.parse(expression), permitted)


def _holds(term: LicenseExpression, permitted: frozenset[str]) -> bool:
    if isinstance(term, _SPDX.AND):
        return all(_holds(one, permitted) for one in term.args)
    if isinstance(term, _SPDX.OR):
        return any(_holds(one, permitted) for one in term.args)
    if isinstance(term, LicenseWithExceptionSymbol):
        return str(term) in permitted
    return str(term) in permitted
