"""Parameters that a model turned out to refuse: learned from its error, once, and remembered.

Reasoning models refuse `temperature`; one family of servers knows the token limit by one name and
the next by another. No list of models is kept, because it would be wrong next month: what is
refused by name is left out or renamed, and the call is made again at once. A value that is refused
because it is too large is the user's to mend and is not touched.
"""

import json
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import get_args

from partbook.models.fault import words_of
from partbook.models.wire import TokenLimitField

__all__ = ["Known", "Parameters", "refused_parameter"]

log = logging.getLogger(__name__)

_OPTIONAL = (
    "temperature",
    "top_p",
    "seed",
    "stop",
    "reasoning_effort",
    "stream_options",
)
_OTHER_NAME: Mapping[str, TokenLimitField] = MappingProxyType(
    {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
)

_CODES = ("unsupported_parameter", "unsupported_value", "unknown_parameter", "unrecognized")

_REFUSAL = re.compile(
    r"(?:not|n't|un|in)[ -]?support|unrecogni[sz]ed|unknown (?:parameter|name|field|argument)"
    r"|unexpected (?:parameter|field|keyword)|extra (?:inputs|fields)|not (?:permitted|allowed)"
    r"|deprecated|cannot both|only the default|cannot find field",
    re.IGNORECASE,
)
_NAMED = re.compile(rf"\b({'|'.join((*_OPTIONAL, *get_args(TokenLimitField)))})\b")


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of one model at one endpoint."""

    token_limit: TokenLimitField
    """How it calls the limit of the completion."""
    refused: frozenset[str] = frozenset()
    """Fields of the request that it does not take."""
    renamed: bool = False
    """Whether the name of the limit was learned: it changes once."""


class Parameters:
    """The memory of one model at one endpoint; the calls of all its workers share it."""

    def __init__(self, token_limit: TokenLimitField) -> None:
        self.known = Known(token_limit)

    def learn(self, sent: Known, request: bytes, reply: bytes, place: str) -> bool:
        """Read a refusal.

        Args:
            sent: what was known when the refused call was made.
            request: its body; only what is in it can have been refused.
            reply: the body of the reply, of status 400 or 422.
            place: model and endpoint, for the log.

        Returns:
            Whether a call made now would be another than the refused one.
        """
        name = refused_parameter(reply)
        # Inside a text the quotes would be escaped, so this is the field itself.
        if name is None or f'"{name}":'.encode() not in request:
            return False
        if self.known != sent:  # a call at the same time has learned meanwhile
            return True
        if name in _OTHER_NAME:
            other = _OTHER_NAME[name]
            if sent.renamed or sent.token_limit != name:
                return False
            self.known = replace(sent, token_limit=other, renamed=True)
            log.warning("%s knows %s as %s; it is called so from now on", place, name, other)
            return True
        if name in sent.refused:
            return False
        self.known = replace(sent, refused=sent.refused | {name})
        log.warning("%s refuses %s; it is left out from now on", place, name)
        return True


def refused_parameter(body: bytes) -> str | None:
    """The parameter that an error says the model does not take; None: it is about something else.

    >>> refused_parameter(b'{"error": {"message": "temperature is not supported"}}')
    'temperature'
    """
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        data = body.decode("utf-8", "replace")
    error = data.get("error", data) if isinstance(data, dict) else data
    fields = error if isinstance(error, dict) else {}
    # The place of a validator's error is no sentence: {"loc": ["body", "seed"], "msg": "..."}.
    detail = fields.get("detail")
    first = detail[0] if isinstance(detail, list) and detail else {}
    loc = first.get("loc") if isinstance(first, dict) else None
    words = words_of(data)
    code = fields.get("code")
    if not (_REFUSAL.search(words) or (isinstance(code, str) and code.startswith(_CODES))):
        return None
    place = " ".join(map(str, loc)) if isinstance(loc, list) else ""
    param = fields.get("param")
    for text in (param if isinstance(param, str) else "", place, words):
        if found := _NAMED.search(text):
            return found[1]
    return None
