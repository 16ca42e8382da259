"""From a row of a table to a charge.

A `RowReader` knows where the columns of one table stand, so that a row costs little; a bill may
have millions. What a provider's words for a class of tokens mean is in `wording.py`.
"""

from collections.abc import Sequence
from decimal import Decimal

from partbook.economy.amounts import SYMBOLS, Numbers, currency_in, month_of
from partbook.economy.bill import Charge
from partbook.economy.shapes import Role, Shape, plain_name
from partbook.economy.wording import TokenClass, class_in, is_model_service, parts_of_sku
from partbook.message import Usage

__all__ = ["BadCell", "RowReader"]


class BadCell(ValueError):
    """A cell that cannot be read."""

    def __init__(self, column: str, found: str, expected: str) -> None:
        super().__init__(f"column {column!r}: {expected}, found {found[:60]!r}")


class RowReader:
    """Reads the rows of one table.

    Args:
        shape: what its columns mean.
        header: their names, as they are written.
        numbers: how its numbers are written.
        month: the month of rows without a date, as 2026-10; empty: each needs a date.
    """

    def __init__(
        self, shape: Shape, header: Sequence[str], numbers: Numbers, month: str = ""
    ) -> None:
        self.shape = shape
        self.header = tuple(header)
        self.said = ""
        """The currency that the row read last names, by code or sign; empty: none."""
        self.other_services = 0
        """Rows of services that are no language models'."""
        self._numbers = numbers
        self._month = month
        plain = [plain_name(name) for name in header]
        self._at: dict[Role, int] = {}
        for role, names in shape.columns.items():
            index = next((plain.index(name) for name in names if name in plain), None)
            if index is not None:
                self._at[role] = index
        self._wide_as = 1 + max(self._at.values(), default=0)
        cost = self._at.get("cost")
        self.currency = "" if cost is None else currency_in(header[cost])
        """The one that the cost column's name gives; empty: none."""

    def has(self, role: Role) -> bool:
        """Whether the table has a column for this."""
        return role in self._at

    @property
    def read_columns(self) -> set[int]:
        """Indices of the columns that are read."""
        return set(self._at.values())

    def read(self, row: Sequence[str]) -> Charge | None:
        """What a row says; None: it is no charge.

        Raises:
            BadCell: says which column, what was expected and what was found.
        """
        if not any(row):
            return None
        self.said = ""
        if len(row) < self._wide_as:
            raise BadCell(self.header[len(row)], " | ".join(row), "a cell was expected")
        if self.shape.form == "wide":
            return self._wide(row)
        if self.shape.form == "token type":
            return self._token_type(row)
        if self.shape.form == "line item":
            return self._line_item(row)
        return self._sku(row)

    def _wide(self, row: Sequence[str]) -> Charge | None:
        model = self._text(row, "model")
        calls = self._count(row, "calls")
        read, written = self._count(row, "read"), self._count(row, "written")
        cost = self._cost(row)
        if not model and not calls and not read and not written and not cost:
            return None
        usage = None
        if read is not None and written is not None:
            cached = self._count(row, "cached") or 0
            short, hour = self._count(row, "cache_write") or 0, self._count(row, "cache_write_1h")
            extra = short + (hour or 0)
            if self.shape.apart:
                read += cached + extra
            else:
                # Some gateways leave cached tokens out of those that were read.
                read = max(read, cached + extra)
            usage = Usage(read, written, cached, 0, extra, hour or 0)
        month, day = self._date(row)
        if calls is None and self.shape.calls_per_row:
            calls = self.shape.calls_per_row
        return Charge(month, day, model, calls, usage, cost)

    def _token_type(self, row: Sequence[str]) -> Charge | None:
        cost = self._cost(row)
        if cost is None:
            return None
        kind = self._text(row, "kind").casefold()
        # Searches and code execution are no tokens; fewer calls need not mean fewer of them.
        model = self._text(row, "model") if kind in ("", "token", "tokens", "standard") else ""
        return Charge(*self._date(row), model, None, None, cost)

    def _line_item(self, row: Sequence[str]) -> Charge | None:
        cost = self._cost(row)
        item = self._text(row, "model")
        if cost is None:
            return None
        model, _, said = item.rpartition(", ")
        kind = class_in(said)
        if not model or kind is None:
            return Charge(*self._date(row), "" if not model else item, None, None, cost)
        usage = None
        if self._text(row, "unit").casefold() in ("token", "tokens"):
            usage = _usage(kind, self._count(row, "amount"))
        return Charge(*self._date(row), model, None, usage, cost)

    def _sku(self, row: Sequence[str]) -> Charge | None:
        sku, service = self._text(row, "model"), self._text(row, "service")
        if not sku:
            return None  # a sum
        if self.has("service") and not is_model_service(service):
            self.other_services += 1
            return None
        cost = self._cost(row)
        model, kind = parts_of_sku(sku)
        usage = None
        unit = self._text(row, "unit").casefold()
        if kind is not None and unit in ("", "count", "token", "tokens"):
            usage = _usage(kind, self._count(row, "amount"))
        return Charge(*self._date(row), model, None, usage, cost)

    def _text(self, row: Sequence[str], role: Role) -> str:
        index = self._at.get(role)
        text = "" if index is None else row[index].strip()
        if text.isprintable():
            return text
        # What moves a terminal's cursor or breaks a line is no part of a name.
        return "".join(sign if sign.isprintable() else " " for sign in text).strip()

    def _count(self, row: Sequence[str], role: Role) -> int | None:
        text = self._text(row, role)
        if not text:
            return None
        try:
            return self._numbers.whole(text)
        except ValueError as err:
            raise self._bad(role, text, err) from err

    def _cost(self, row: Sequence[str]) -> Decimal | None:
        cost = self._money(row, "cost")
        more = self._money(row, "more_cost")
        if more:
            cost = more if cost is None else cost + more
        said = self._text(row, "currency")
        if said and cost is not None:
            self.said = SYMBOLS.get(said, said.upper()[:12])
        return cost

    def _money(self, row: Sequence[str], role: Role) -> Decimal | None:
        text = self._text(row, role)
        if not text:
            return None
        try:
            value, currency = self._numbers.money(text)
        except ValueError as err:
            raise self._bad(role, text, err) from err
        if currency:
            self.said = currency
        return value

    def _date(self, row: Sequence[str]) -> tuple[str, int]:
        text = self._text(row, "date")
        if not text and self._month:
            return self._month, 0
        if text[10:11] in ("T", " ") and text[4:5] == text[7:8] == "-":
            text = text[:10]  # the same day many times, so that it is read once
        try:
            return month_of(text)
        except ValueError as err:
            raise self._bad("date", text, err) from err

    def _bad(self, role: Role, found: str, err: ValueError) -> BadCell:
        index = self._at.get(role)
        return BadCell("(none)" if index is None else self.header[index], found, str(err))


def _usage(kind: TokenClass, amount: int | None) -> Usage | None:
    if amount is None:
        return None
    if kind == "written":
        return Usage(0, amount)
    if kind == "cached":
        return Usage(amount, 0, amount)
    return Usage(amount)
