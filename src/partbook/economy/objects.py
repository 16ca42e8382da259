"""Charges from the answers of providers' usage and cost APIs.

A flat object is read like the row of a table with its keys as columns. The buckets of OpenAI and
Anthropic hold a list of results beside the time that they are for.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from partbook.economy.amounts import Numbers
from partbook.economy.bill import Charge
from partbook.economy.rows import BadCell, RowReader
from partbook.economy.shapes import Shape, plain_name, shape_of

__all__ = ["ObjectReader"]

_CENTS = Decimal(100)

_ANTHROPIC_USAGE = Shape(
    "Anthropic usage API",
    (),
    {
        "date": ("starting_at",),
        "model": ("model",),
        "read": ("uncached_input_tokens",),
        "cached": ("cache_read_input_tokens",),
        "cache_write": ("ephemeral_5m_input_tokens",),
        "cache_write_1h": ("ephemeral_1h_input_tokens",),
        "written": ("output_tokens",),
    },
    apart=True,
)
_ANTHROPIC_COSTS = Shape(
    "Anthropic cost API",
    (),
    {
        "date": ("starting_at",),
        "model": ("model",),
        "cost": ("amount",),
        "currency": ("currency",),
        "kind": ("cost_type",),
    },
    form="token type",
)


class ObjectReader:
    """Reads the objects of one file.

    Args:
        month: the month of objects without a date, as 2026-10; empty: each needs one.
        own: names of keys by role, see `shapes.shape_of`.
    """

    def __init__(self, month: str = "", own: Mapping[str, str] | None = None) -> None:
        self.readers: dict[str, RowReader] = {}
        """Those that were used, by the names of their shapes."""
        self._month = month
        self._own = own
        self._known: dict[tuple[str, ...], RowReader] = {}

    def read(self, item: Mapping[str, Any]) -> Iterator[tuple[Charge, RowReader]]:
        """The charges of one object, each with who has read it.

        Raises:
            BadCell: says which key, what was expected and what was found.
        """
        results = item.get("results")
        if isinstance(results, list) and ("start_time" in item or "starting_at" in item):
            for result in results:
                if not isinstance(result, Mapping):
                    raise BadCell("results", str(result), "a list of objects was expected")
                yield from self._result(item, result)
            return
        yield from self._flat(item, None)

    def _result(
        self, bucket: Mapping[str, Any], result: Mapping[str, Any]
    ) -> Iterator[tuple[Charge, RowReader]]:
        if "starting_at" in bucket:
            flat = {"starting_at": bucket["starting_at"], **result}
            if "amount" not in result:
                flat |= _inner(result, "cache_creation")
                yield from self._flat(flat, _ANTHROPIC_USAGE)
                return
            for charge, reader in self._flat(flat, _ANTHROPIC_COSTS):
                # The cost report counts in the smallest unit of the currency.
                cents = charge.cost
                yield charge._replace(cost=None if cents is None else cents / _CENTS), reader
            return
        flat = {"start_time": bucket["start_time"], **result}
        if isinstance(result.get("amount"), Mapping):
            amount = result["amount"]
            flat |= {
                "amount_value": amount.get("value"),
                "amount_currency": amount.get("currency"),
                "line_item": result.get("line_item") or "",
            }
            if "quantity" in result:
                flat.setdefault("quantity_unit", "tokens")
        yield from self._flat(flat, None)

    def _flat(
        self, item: Mapping[str, Any], shape: Shape | None
    ) -> Iterator[tuple[Charge, RowReader]]:
        keys = tuple(item)
        reader = self._known.get(keys)
        if reader is None:
            reader = self._known[keys] = self._reader(keys, shape)
        charge = reader.read([_text(value) for value in item.values()])
        if charge is not None:
            yield charge, reader

    def _reader(self, keys: Sequence[str], shape: Shape | None) -> RowReader:
        if shape is not None:
            names = {
                role: tuple(map(plain_name, columns)) for role, columns in shape.columns.items()
            }
            shape = replace(shape, columns=names)
        else:
            shape = shape_of([plain_name(key) for key in keys], self._own)
        if shape is None:
            listed = ", ".join(map(repr, keys[:30])) or "none"
            raise BadCell("(keys)", listed, "an object of a known usage or cost API was expected")
        reader = RowReader(shape, keys, Numbers(), self._month)
        self.readers.setdefault(shape.name, reader)
        return reader


def _inner(result: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    inner = result.get(key)
    return inner if isinstance(inner, Mapping) else {}


def _text(value: object) -> str:
    """A value as a cell of a table; what is no text or number is none."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return ""
    return str(value)
