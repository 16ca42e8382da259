"""What a paper printed, beside what was measured here."""

from collections.abc import Sequence
from statistics import fmean

from partbook.evaluate.reporting.summary import Summary
from partbook.evaluate.running.protocol import Published

__all__ = ["published_rows"]


def published_rows(published: Sequence[Published], summary: Summary) -> list[tuple[str, ...]]:
    """A heading, then a row for each published system: `published | measured here` in each cell."""
    columns = list(dict.fromkeys(one.column for one in published))
    by_system: dict[str, dict[str, str]] = {}
    for one in published:
        ours = _ours(one, summary)
        by_system.setdefault(one.system, {})[one.column] = f"{one.value_text} | {ours}"
    rows: list[tuple[str, ...]] = [("system", *columns)]
    for system, cells in by_system.items():
        rows.append((system, *(cells.get(column, "") for column in columns)))
    return rows


def _ours(one: Published, summary: Summary) -> str:
    """What was measured here, in per cent; a dash where nothing was."""
    found = next((mine for mine in summary.systems if mine.system == one.ours), None)
    if found is None or not found.judged:
        return "–"
    if one.task == "avg":
        return f"{100 * fmean(s.accuracy for s in found.by_task.values()):.2f}"
    share = found.by_task.get(one.task)
    return "–" if share is None else f"{100 * share.accuracy:.2f}"
