"""The shapes that bills come in: which columns make one, and what each of them means.

Names are compared without case, and with a space for every `_`. docs/savings.md says where each
shape was seen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

__all__ = ["PLAIN", "ROLES", "SHAPES", "Role", "Shape", "plain_name", "shape_of"]

Role = Literal[
    "date", "model", "calls", "read", "cached", "cache_write", "cache_write_1h", "written", "cost",
    "more_cost", "currency", "amount", "unit", "service", "kind",
]  # fmt: skip
"""What a column tells. `amount` is the number of tokens of a row that has only one class of them,
`unit` what is counted; `more_cost` is added to the cost."""

ROLES: Mapping[str, str] = {
    "date": "day or month",
    "model": "model",
    "calls": "number of calls",
    "read": "tokens read",
    "cached": "tokens read from a cache",
    "written": "tokens written",
    "cost": "cost",
    "currency": "currency",
}
"""What `--column` can name."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of table."""

    name: str
    marks: tuple[str, ...]
    """Columns that together make it this shape."""
    columns: Mapping[Role, tuple[str, ...]]
    """Column names by what they tell, the first that is there counts."""
    form: Literal["wide", "token type", "line item", "sku"] = "wide"
    """`wide`: all tokens of a row in columns of their own; else each row has one class of them."""
    calls_per_row: int | None = None
    """1 where each row is a call."""
    apart: bool = False
    """Whether cached tokens stand beside `read` and not within it."""
    own: bool = False
    """Whether it is a person's own table, not a provider's."""
    dollars: bool = False
    """Whether its money is in US dollars where nothing else is said."""


_OPENAI_DATE = ("start time iso", "start time")

SHAPES: tuple[Shape, ...] = (
    Shape(
        "OpenAI usage",
        ("num model requests", "input tokens", "output tokens"),
        {
            "date": (*_OPENAI_DATE, "date"),
            "model": ("model",),
            "calls": ("num model requests",),
            "read": ("input tokens",),
            "cached": ("input cached tokens",),
            "cache_write": ("input cache write tokens",),
            "written": ("output tokens",),
        },
    ),
    Shape(
        "OpenAI costs",
        ("amount value", "line item"),
        {
            "date": _OPENAI_DATE,
            "model": ("line item",),
            "cost": ("amount value",),
            "currency": ("amount currency",),
            "amount": ("quantity",),
            "unit": ("quantity unit",),
        },
        form="line item",
    ),
    Shape(
        "Anthropic usage",
        ("usage date utc", "usage input tokens no cache", "usage output tokens"),
        {
            "date": ("usage date utc",),
            "model": ("model version", "model"),
            "read": ("usage input tokens no cache",),
            "cached": ("usage input tokens cache read",),
            "cache_write": ("usage input tokens cache write 5m",),
            "cache_write_1h": ("usage input tokens cache write 1h",),
            "written": ("usage output tokens",),
        },
        apart=True,
    ),
    Shape(
        "Anthropic costs",
        ("usage date utc", "cost usd"),
        {
            "date": ("usage date utc",),
            "model": ("model", "model version"),
            "cost": ("cost usd",),
            "kind": ("cost type",),
        },
        form="token type",
    ),
    Shape(
        "Google Cloud billing",
        ("sku description",),
        {
            "date": ("date", "month", "usage start date"),
            "model": ("sku description",),
            "service": ("service description",),
            "amount": ("usage amount",),
            "unit": ("usage unit",),
            "cost": ("unrounded subtotal", "subtotal", "unrounded cost", "cost"),
            "kind": ("cost type",),
            "currency": ("currency",),
        },
        form="sku",
    ),
    Shape(
        "OpenRouter activity, by request",
        ("generation id", "cost total"),
        {
            "date": ("created at",),
            "model": ("model permaslug", "model"),
            "read": ("tokens prompt",),
            "cached": ("tokens cached",),
            "written": ("tokens completion",),
            "cost": ("cost total",),
            "more_cost": ("byok usage inference",),
        },
        calls_per_row=1,
        dollars=True,
    ),
    Shape(
        "OpenRouter activity, by day",
        ("date", "usage", "requests", "prompt tokens"),
        {
            "date": ("date",),
            "model": ("slug", "model"),
            "calls": ("requests",),
            "read": ("prompt tokens",),
            "written": ("completion tokens",),
            "cost": ("usage",),
            "more_cost": ("byok usage", "byok usage inference"),
        },
        dollars=True,
    ),
    Shape(
        "LiteLLM spend logs",
        ("request id", "spend", "starttime"),
        {
            "date": ("starttime",),
            "model": ("model",),
            "read": ("prompt tokens",),
            "written": ("completion tokens",),
            "cost": ("spend",),
        },
        calls_per_row=1,
        dollars=True,
    ),
    Shape(
        "LiteLLM daily spend",
        ("date", "spend", "api requests"),
        {
            "date": ("date",),
            "model": ("model",),
            "calls": ("api requests",),
            "read": ("prompt tokens",),
            "cached": ("cache read input tokens",),
            "cache_write": ("cache creation input tokens",),
            "written": ("completion tokens",),
            "cost": ("spend",),
        },
        dollars=True,
    ),
)
"""In the order in which they are tried."""

PLAIN = Shape(
    "table",
    (),
    {
        "date": ("month", "date", "day", "월", "날짜", "일자", "연월"),
        "model": ("model", "model name", "model id", "모델", "모델명"),
        "calls": (
            "calls", "requests", "num requests", "count", "호출 수", "호출수", "호출", "호출 건수",
            "요청 수", "요청수",
        ),
        "read": (
            "prompt tokens", "input tokens", "tokens read", "tokens in", "입력 토큰", "입력토큰",
        ),
        "cached": (
            "cached tokens", "cached input tokens", "cached", "캐시 토큰", "캐시토큰",
            "캐시된 입력 토큰",
        ),
        "cache_write": ("cache write tokens",),
        "written": (
            "completion tokens", "output tokens", "tokens written", "tokens out", "출력 토큰",
            "출력토큰",
        ),
        "cost": ("cost", "cost usd", "amount", "price", "usd", "spend", "비용", "금액", "요금"),
        "currency": ("currency", "통화"),
    },
    own=True,
)  # fmt: skip
"""A table of one's own: a model, and its cost or its tokens."""


def plain_name(name: str) -> str:
    """A column's name as it is compared; what stands in brackets at its end is a unit.

    >>> plain_name(" Unrounded_Cost ($)"), plain_name("start_time")
    ('unrounded cost', 'start time')
    """
    bare = name.strip().strip("\ufeff").casefold().replace("_", " ")
    if bare.endswith(")") and "(" in bare:
        bare = bare[: bare.rindex("(")]
    return " ".join(bare.split())


def shape_of(names: Sequence[str], own: Mapping[str, str] | None = None) -> Shape | None:
    """The shape of a table.

    Args:
        names: of its columns, as `plain_name` gives them.
        own: names of columns by role, which make it a table of one's own.

    Returns:
        None: it is none that is known.
    """
    there = set(names)
    if own:
        columns = dict(PLAIN.columns)
        for role in columns:
            if role in own:
                columns[role] = (plain_name(own[role]),)
        plain = replace(PLAIN, columns=columns)
        named = all(plain_name(name) in there for name in own.values())
        return plain if named and _is_plain(plain, there) else None
    for shape in SHAPES:
        if there.issuperset(shape.marks) and _has(shape, "model", there):
            return shape
    return PLAIN if _is_plain(PLAIN, there) else None


def _is_plain(shape: Shape, there: set[str]) -> bool:
    tokens = _has(shape, "read", there) and _has(shape, "written", there)
    return _has(shape, "model", there) and (_has(shape, "cost", there) or tokens)


def _has(shape: Shape, role: Role, there: set[str]) -> bool:
    return any(name in there for name in shape.columns.get(role, ()))
