"""Reads the bills of providers into one.

What a file is, is seen from its content and never from its name. Whatever is wrong is said with the
file, the line and the column, because a bill that is read half is worse than none.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from partbook.economy.amounts import DecimalMark, Numbers
from partbook.economy.bill import Bill, Charge, Note, merged
from partbook.economy.decode import encoding_of, is_json
from partbook.economy.documents import objects_in
from partbook.economy.objects import ObjectReader
from partbook.economy.rows import BadCell, RowReader
from partbook.economy.tables import Table, find_table, rows_of
from partbook.errors import ConfigError
from partbook.price import EXACT

__all__ = ["Hints", "read_bill"]


@dataclass(frozen=True, slots=True)
class Hints:
    """How bills are to be read, where they do not say it themselves."""

    month: str = ""
    """The month of rows without a date, as 2026-10."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Names of columns by role, for a table of one's own; see `shapes.ROLES`."""
    mark: DecimalMark | None = None
    """The decimal mark; None: as the file's values show it."""
    rates: Mapping[str, Decimal] = field(default_factory=dict)
    """Dollars for one unit of a currency, by its code."""


def read_bill(paths: Sequence[Path], hints: Hints | None = None) -> Bill:
    """Read files into one bill.

    Raises:
        ConfigError: a file cannot be read, has no known shape, or a value of it makes no sense.
    """
    bills = []
    for path in paths:
        one, shape = _read(path, hints or Hints())
        if not one.cells:
            raise ConfigError(f"{path} ({shape}) has no row with a model, tokens or a cost")
        one.sources.append(f"{path.name} ({shape})")
        bills.append(one)
    return merged(bills)


def _read(path: Path, hints: Hints) -> tuple[Bill, str]:
    encoding = encoding_of(path)
    return (_read_json if is_json(path, encoding) else _read_table)(path, encoding, hints)


def _read_table(path: Path, encoding: str, hints: Hints) -> tuple[Bill, str]:
    table = find_table(path, encoding, hints.columns)
    numbers = Numbers(hints.mark or table.mark)
    reader = RowReader(table.shape, table.header, numbers, hints.month)
    if not reader.has("date") and not hints.month:
        raise ConfigError(
            f"{path}, line {table.line}: no column for the date; say which month the bill is of: "
            "--month 2026-10"
        )
    tally = _Tally(path, hints, _before(table))
    for line, row in rows_of(path, encoding, table):
        try:
            charge = reader.read(row)
            if charge is not None:
                tally.add(charge, reader, line)
        except BadCell as err:
            raise ConfigError(f"{path}, line {line}, {err}") from err
        except ConfigError as err:
            raise ConfigError(f"{path}, line {line}: {err}") from err
    # What a provider's columns mean is known; in a table of one's own, one may have been missed.
    used = reader.read_columns if table.shape.own else range(len(table.header))
    unused = [name for i, name in enumerate(table.header) if i not in used and name.strip()]
    tally.finish([reader], unused)
    return tally.bill, table.shape.name


def _read_json(path: Path, encoding: str, hints: Hints) -> tuple[Bill, str]:
    objects = ObjectReader(hints.month, hints.columns)
    tally = _Tally(path, hints, "")
    for line, item in objects_in(path, encoding):
        try:
            for charge, reader in objects.read(item):
                tally.add(charge, reader, line)
        except BadCell as err:
            raise ConfigError(f"{path}, line {line}, {err}") from err
        except ConfigError as err:
            raise ConfigError(f"{path}, line {line}: {err}") from err
    tally.finish(list(objects.readers.values()), [])
    return tally.bill, " + ".join(objects.readers) or "JSON"


def _before(table: Table) -> str:
    """The currency that the lines before the heading name."""
    for name, value in table.before.items():
        if name.casefold() == "currency":
            return value.upper()
    return ""


class _Tally:
    """One file's bill, in one currency."""

    def __init__(self, path: Path, hints: Hints, currency: str) -> None:
        self.bill = Bill()
        self._path = path
        self._hints = hints
        self._named = currency
        """The currency that the file names for all of its rows; empty: none."""
        self._first: tuple[str, int] | None = None
        self._rated: set[str] = set()
        self._assumed = False
        self._free = 0

    def add(self, charge: Charge, reader: RowReader, line: int) -> None:
        """Take a row, its money brought into the currency of the bill."""
        cost = charge.cost
        if cost is not None:
            code = self._code(reader, line)
            if code in self._hints.rates:
                self._rated.add(code)
                rate = self._hints.rates[code]
                charge = charge._replace(cost=EXACT.multiply(cost, rate))
            if cost == 0 and charge.usage is not None and charge.usage.total_tokens:
                self._free += 1
        self.bill.add(charge)

    def finish(self, readers: Sequence[RowReader], unused: Sequence[str]) -> None:
        """Note what a reader of the bill should know."""
        notes, name = self.bill.notes, self._path.name
        others = sum(reader.other_services for reader in readers)
        if others:
            notes.append(Note("other services", {"file": name, "count": f"{others:,}"}))
        if self._free:
            notes.append(Note("free rows", {"file": name, "count": f"{self._free:,}"}))
        if unused:
            notes.append(Note("unused", {"file": name, "columns": ", ".join(unused)}))
        if self._first is not None:
            self.bill.currency = "USD" if self._rated else self._first[0]
        for code in sorted(self._rated):
            rate = format(self._hints.rates[code], "f")
            notes.append(Note("rate", {"file": name, "currency": code, "rate": rate}))
        if self._assumed:
            notes.append(Note("assumed dollars", {"file": name}))

    def _code(self, reader: RowReader, line: int) -> str:
        """The currency of the row that was read last."""
        code = reader.said or self._named or reader.currency
        if not code:
            code, self._assumed = "USD", not reader.shape.dollars
        if self._first is None:
            self._first = (code, line)
        first, rates = self._first[0], self._hints.rates
        if code != first and not all(one == "USD" or one in rates for one in (code, first)):
            other = code if code != "USD" else first
            raise ConfigError(
                f"the currency is {code}, and {first} in line {self._first[1]}; a bill has one "
                f"currency, or say what one {other} is worth in dollars: --rate {other}=..."
            )
        return code
