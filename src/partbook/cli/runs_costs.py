"""`partbook runs --costs`: what the runs that are kept took, by day, worker, model or task.

A call whose price or usage is unknown is counted beside the sums, and is in none of them. The
numbers of CSV and JSON are exact; money in the table is rounded.
"""

import csv
import json
import sys
from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from rich.table import Table
from rich.text import Text

from partbook.cli.figures import price
from partbook.cli.plain import clean, head, open_console
from partbook.csv_cell import csv_cell
from partbook.ledger import Costs, Total
from partbook.spend_json import money
from partbook.trace import Trace

__all__ = ["CostsBy", "CostsForm", "print_costs"]


class CostsBy(StrEnum):
    """What costs are summed by."""

    DAY = "day"
    WORKER = "worker"
    MODEL = "model"
    TASK = "task"


class CostsForm(StrEnum):
    """How the sums are printed."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"


def print_costs(runs: Iterable[tuple[Trace, str | None]], by: CostsBy, form: CostsForm) -> None:
    """Sum runs, each with its task or None, and print the sums.

    Args:
        runs: read one by one; none is kept.
        by: what is summed.
        form: a table for a person, or CSV or JSON with exact numbers.
    """
    costs = Costs(by.value)
    for trace, task in runs:
        costs.add(trace, task)
    if form is CostsForm.JSON:
        groups = [{by.value: key or None, **_figures(sum_)} for key, sum_ in costs.groups.items()]
        print(json.dumps({"by": by.value, "groups": groups, "total": _figures(costs.total)}))
    elif form is CostsForm.CSV:
        # The csv module ends its lines itself, as RFC 4180 has it; a terminal's reader is content
        # with the newline alone.
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow([by.value, *_figures(Total())])
        for key, total in costs.groups.items():
            # A provider chooses its model's name.
            writer.writerow([csv_cell(clean(key)), *_figures(total).values()])
    else:
        _print_table(costs, by)


def _figures(total: Total) -> dict[str, Any]:
    """The exact numbers, by the names that CSV and JSON give them."""
    return {
        "runs": total.runs,
        "calls": total.calls,
        "prompt_tokens": total.prompt_tokens,
        "cached_tokens": total.cached_tokens,
        "cache_write_tokens": total.cache_write_tokens,
        "completion_tokens": total.completion_tokens,
        "reasoning_tokens": total.reasoning_tokens,
        "cost_usd": money(total.cost_usd),
        "known_usd": money(total.known_usd),
        "calls_of_unknown_cost": total.unknown_cost,
        "calls_of_unknown_usage": total.unknown_usage,
    }


def _print_table(costs: Costs, by: CostsBy) -> None:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(by.value, overflow="fold")
    for heading in ("runs", "calls", "tokens read", "cached", "written", "price"):
        table.add_column(heading, justify="right", no_wrap=True)
    for key, total in costs.groups.items():
        table.add_row(Text(head(key) or "unknown"), *_cells(total))
    table.add_row(Text("in all", "bold"), *_cells(costs.total))
    open_console().print(table)


def _cells(total: Total) -> list[str]:
    return [
        f"{total.runs:,}",
        f"{total.calls:,}",
        _known(total.prompt_tokens, total),
        _known(total.cached_tokens, total),
        _known(total.completion_tokens, total),
        _price(total),
    ]


def _known(tokens: int, total: Total) -> str:
    return f"{tokens:,}+?" if total.unknown_usage else f"{tokens:,}"


def _price(total: Total) -> str:
    if not total.unknown_cost:
        return price(total.known_usd)
    if total.unknown_cost >= total.calls:
        return "unknown"
    calls = "call" if total.unknown_cost == 1 else "calls"
    return f"{price(total.known_usd)} + {total.unknown_cost} {calls} unknown"
