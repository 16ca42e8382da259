"""ChatRequest: the body and the headers of `POST /v1/chat/completions`, read and checked.

Every field is one of four: it is used; it has a value that asks for nothing (`n: 1`,
`logprobs: false`); it asks for something in the reply that cannot be given, and is refused; or it
is passed over, and then the reply's headers name it, or in strict mode the request is refused.
Nothing is dropped in silence.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, cast, get_args

from partbook.budget import Limits
from partbook.server.conversation import Conversation
from partbook.server.effort import EFFORTS
from partbook.server.fields import Fields
from partbook.server.messages import read_messages
from partbook.server.refusal import Refusal, bad_request
from partbook.server.wishes import Wishes, read_wishes

__all__ = ["ChatRequest", "FollowUp", "read_chat"]

FollowUp = Literal["plan", "keep", "easy"]
"""How a conversation goes on. `plan`: every turn is planned anew. `keep`: the plan and the workers
of the last turn are kept where nothing argues against it. `easy`: so too, and short messages go to
the worker who answered last, alone."""

MOST_CHOICES = 16
MOST_CALLS = 10_000
MOST_SECONDS = 86_400

_MOST_NAME_CHARS = 100
_MOST_LISTED_CHARS = 1000

AMOUNT = r"[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,2})?"
"""How a number is spelt as a text."""

_NOTHING: Mapping[str, tuple[Any, ...]] = {
    "frequency_penalty": (0,),
    "presence_penalty": (0,),
    "logit_bias": ({},),
    "logprobs": (False,),
    "top_logprobs": (0,),
    "functions": ([],),
    "function_call": ("none", "auto"),
    "modalities": (["text"],),
    "store": (False,),
    "service_tier": ("auto", "default"),
    "verbosity": ("medium",),
}
"""Values that ask for nothing which would not happen anyway."""

_LABELS = frozenset(
    {"user", "safety_identifier", "metadata", "prompt_cache_key", "prompt_cache_retention"}
)
"""Fields that are for the provider's own records, of which there are none here."""

_CANNOT = frozenset(
    {"functions", "function_call", "logprobs", "top_logprobs"}
    | {"modalities", "audio", "web_search_options"}
)
"""Fields that ask for something which a reply without it would not be right without."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """What one client wants."""

    model: str
    conversation: Conversation
    wishes: Wishes
    n: int = 1
    """How many answers of the last step."""
    stream: bool = False
    include_usage: bool = False
    effort: str | None = None
    """One of `EFFORTS`; None: the usual one."""
    limits: Limits = Limits()  # noqa: RUF009 - a frozen value
    """What this request may spend, as its sender says."""
    metadata: bool = False
    """Whether the reply is to say how it came about."""
    warnings: tuple[str, ...] = ()
    """Fields that were passed over."""
    follow_ups: FollowUp | None = None
    """None: as the server does it."""


def read_chat(
    body: Mapping[str, Any],
    headers: Mapping[str, str],
    *,
    strict: bool,
    passed_over: Sequence[str] = (),
) -> ChatRequest:
    """Read a request.

    Args:
        body: its JSON object.
        headers: by names in lower case; `x-partbook-...` says what the fields `max_usd`,
            `max_calls`, `timeout_s`, `partbook_metadata`, `partbook_strict` and
            `partbook_follow_ups` say.
        strict: whether what would be passed over is refused, where the request does not say.
        passed_over: fields that another API's reader has passed over already.

    Raises:
        Refusal: something in it is wrong or cannot be done; `param` names it.
    """
    fields = Fields(body)
    model = fields.text("model", 200)
    if not model:
        raise bad_request("model: a text was expected", "model", "missing_field")
    messages, in_messages = read_messages(fields.raw("messages"))
    wishes = read_wishes(fields)
    stream = fields.flag("stream") or False
    include_usage, unknown_options = _stream_options(fields, stream)
    effort = fields.text("reasoning_effort", 40)
    limits = _limits(fields, headers)
    metadata = _switch(fields, headers, "partbook_metadata", "x-partbook-metadata")
    follow_ups = _follow_ups(fields, headers)
    told_strict = _switch(fields, headers, "partbook_strict", "x-partbook-strict")
    n = fields.integer("n", 1, MOST_CHOICES) or 1
    names = (*passed_over, *in_messages, *unknown_options, *_others(fields.left()))
    warnings = tuple(dict.fromkeys(map(_shown, names)))
    if warnings and (strict if told_strict is None else told_strict):
        listed = ", ".join(warnings)[:_MOST_LISTED_CHARS]
        raise bad_request(
            f"not supported: {listed}; without strict mode they are passed over",
            warnings[0],
            "unsupported_parameter",
        )
    if effort is not None and effort not in EFFORTS:
        warnings += (f"reasoning_effort={effort}",)
        effort = None  # no worker would know it either
    return ChatRequest(
        model,
        Conversation(messages),
        wishes,
        n,
        stream,
        include_usage,
        effort,
        limits,
        bool(metadata),
        warnings,
        follow_ups,
    )


def _shown(name: str) -> str:
    """A field's name, which is the client's own, as a reply can hold it."""
    return name if name.isprintable() and len(name) <= _MOST_NAME_CHARS else "(a long name)"


def _others(left: Mapping[str, Any]) -> list[str]:
    """Names of the fields that are passed over.

    Raises:
        Refusal: one of them asks for something that cannot be left out.
    """
    names: list[str] = []
    for name, value in left.items():
        if name in _LABELS or any(_same(value, usual) for usual in _NOTHING.get(name, ())):
            continue
        if name in _CANNOT:
            raise bad_request(f"{name}: not supported", name, "unsupported_parameter")
        names.append(name)
    return names


def _same(value: object, usual: object) -> bool:
    # In Python True == 1 and False == 0; in JSON they are not.
    return isinstance(value, bool) == isinstance(usual, bool) and value == usual


def _stream_options(fields: Fields, stream: bool) -> tuple[bool, tuple[str, ...]]:
    options = fields.table("stream_options")
    if options is None:
        return False, ()
    if not stream:
        raise bad_request("stream_options: only with stream: true", "stream_options")
    inner = Fields(options)
    try:
        wanted = inner.flag("include_usage") or False
    except Refusal as err:
        where = "stream_options.include_usage"
        raise bad_request(f"{where}: true or false was expected", where) from err
    others = [name for name, value in inner.left().items() if value is not False]
    return wanted, tuple(f"stream_options.{name}" for name in others)


def _limits(fields: Fields, headers: Mapping[str, str]) -> Limits:
    max_usd = fields.raw("max_usd")
    usd = _money(headers.get("x-partbook-max-usd") if max_usd is None else max_usd)
    calls = fields.integer("max_calls", 0, MOST_CALLS)
    timeout_s = fields.number("timeout_s", 0.001, MOST_SECONDS)
    told = Fields({name: _number(headers.get(header)) for name, header in _LIMIT_HEADERS.items()})
    header_calls = told.integer("x-partbook-max-calls", 0, MOST_CALLS)
    header_s = told.number("x-partbook-timeout-s", 0.001, MOST_SECONDS)
    return Limits(
        usd,
        header_calls if calls is None else calls,
        None,
        header_s if timeout_s is None else timeout_s,
    )


_LIMIT_HEADERS = {name: name for name in ("x-partbook-max-calls", "x-partbook-timeout-s")}


def _number(text: str | None) -> float | str | None:
    # Python would also take "1_0", " 1" and digits of other scripts.
    return text if text is None or not _is_amount(text) else float(text)


def _money(value: object) -> Decimal | None:
    if value is None:
        return None
    if isinstance(value, str) and _is_amount(value):
        return Decimal(value)
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf:
        return Decimal(str(value))
    raise bad_request("max_usd: an amount of 0 or more was expected", "max_usd", "invalid_value")


def _is_amount(text: str) -> bool:
    return len(text) <= 40 and re.fullmatch(AMOUNT, text) is not None


def _follow_ups(fields: Fields, headers: Mapping[str, str]) -> FollowUp | None:
    field, header = "partbook_follow_ups", "x-partbook-follow-ups"
    told = fields.text(field, 20)
    where, value = (header, headers.get(header)) if told is None else (field, told)
    if value is None or value in get_args(FollowUp):
        return cast(FollowUp | None, value)
    raise bad_request(f"{where}: plan, keep or easy was expected", where, "invalid_value")


def _switch(fields: Fields, headers: Mapping[str, str], field: str, header: str) -> bool | None:
    value = fields.flag(field)
    told = headers.get(header)
    if value is not None or told is None:
        return value
    if told.lower() in ("1", "true", "0", "false"):
        return told.lower() in ("1", "true")
    raise bad_request(f"{header}: true or false was expected", header, "invalid_value")
