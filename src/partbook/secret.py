"""Secret: an API key that no `repr`, log line or answer shows by accident.

A key leaves this process in one header and nowhere else. Everything that comes back from a provider
may quote it, as it is, percent-encoded or in base64; `hide` takes these out, and `Hider` does so in
a text that arrives in pieces. What else a provider may do to a key (reverse it, spell it letter by
letter) is not recognised.
"""

import base64
import re
from urllib.parse import quote

from partbook.errors import ConfigError

__all__ = ["HIDDEN", "Hider", "Secret"]

HIDDEN = "[key]"
"""What stands in the place of a key."""

LEAST_CHARS = 16
"""Shorter keys are placeholders (`EMPTY`, `ollama`) that an answer may hold by right."""

_CUT_CHARS = 8
"""So much of a key's beginning is hidden where a message was cut off in the middle of it."""


class Secret:
    """A key. Two of them are never compared and never written out; `reveal` is the only way in."""

    __slots__ = ("_forms", "_text")

    def __init__(self, text: str) -> None:
        """Take the bare key.

        Raises:
            ConfigError: it is empty or cannot stand in a header; the message does not quote it.
        """
        if not text:
            raise ConfigError("an API key is empty")
        if not (text.isascii() and text.isprintable() and " " not in text):
            raise ConfigError(
                "an API key holds spaces, line breaks or characters outside ASCII; expected the "
                "bare key"
            )
        self._text = text
        longest_first = sorted(_spellings(text), key=lambda form: (-len(form), form))
        self._forms = tuple(longest_first) if len(text) >= LEAST_CHARS else ()

    def reveal(self) -> str:
        """The key itself, for the header of a request."""
        return self._text

    def __repr__(self) -> str:
        return f"Secret({HIDDEN})"

    def __reduce__(self) -> str:
        raise TypeError("a key is not to be written anywhere")

    def hide(self, text: str) -> str:
        """The text without the key.

        >>> Secret("sk-0123456789abcdef").hide("You sent sk-0123456789abcdef.")
        'You sent [key].'
        """
        for form in self._forms:
            if form in text:
                text = text.replace(form, HIDDEN)
        return text

    def hide_in_error(self, text: str) -> str:
        """The text without the key, short keys and beginnings of the key included.

        A message is cut at a length, perhaps in the middle of a key.
        """
        text = self.hide(text).replace(self._text, HIDDEN)
        for form in self._forms:
            text = _without_beginnings(text, form)
        return text

    def may_begin_at(self, text: str) -> int:
        """Where the end of a text begins that further text could make a key; its length if nowhere.

        >>> Secret("sk-0123456789abcdef").may_begin_at("Send sk-01")
        5
        """
        first = len(text)
        for form in self._forms:
            i = text.find(form[0], max(0, len(text) - len(form) + 1))
            while 0 <= i < first:
                if form.startswith(text[i:]):
                    first = i
                i = text.find(form[0], i + 1)
        return first


class Hider:
    """Takes a key out of a text that arrives in pieces; what may become a key is held back."""

    def __init__(self, secret: Secret) -> None:
        self._secret = secret
        self._held = ""

    def feed(self, piece: str) -> str:
        """What can be shown after the next piece; may be empty."""
        text = self._secret.hide(self._held + piece)
        end = self._secret.may_begin_at(text)
        self._held = text[end:]
        return text[:end]

    def close(self) -> str:
        """What was held back and is no key."""
        text, self._held = self._held, ""
        return text


def _spellings(text: str) -> set[str]:
    found = {text, text.replace("/", "\\/")}  # the latter is how some write JSON
    for safe in ("", "/"):
        quoted = quote(text, safe=safe)
        found |= {quoted, re.sub("%..", lambda code: code[0].lower(), quoted)}
    data = text.encode()
    # Without padding: what follows the key may change it, and it tells nothing.
    found.add(base64.b64encode(data).decode().rstrip("="))
    found.add(base64.urlsafe_b64encode(data).decode().rstrip("="))
    return found


def _without_beginnings(text: str, form: str) -> str:
    """The text without what begins like this, as far as it is alike."""
    start = text.find(form[:_CUT_CHARS])
    while start >= 0:
        end = start + _CUT_CHARS
        while text[start : end + 1] == form[: end + 1 - start] and end < min(
            len(text), start + len(form)
        ):
            end += 1
        text = text[:start] + HIDDEN + text[end:]
        start = text.find(form[:_CUT_CHARS], start + len(HIDDEN))
    return text
