"""Published: figures that a paper prints, to stand beside ours and never among them."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from partbook.evaluate.summary import Summary

__all__ = ["Published", "published_rows"]


@dataclass(frozen=True, slots=True)
class Published:
    """One published figure."""

    system: str
    """As the paper names it."""
    column: str
    """As the paper names it: a task, `avg`, `tokens`, ..."""
    value: float
    source: str
    """Paper and table."""
    error: float | None = None
    """What is printed after a ± sign."""
    ours: str = ""
    """Our system of the same kind; empty where there is none."""
    task: str = ""
    """Our task of that column; `avg` for the mean over tasks; empty where there is none."""

    @property
    def value_text(self) -> str:
        """The figure as it is printed."""
        return f"{self.value:g}" if self.error is None else f"{self.value:g} ± {self.error:g}"

    def ours_text(self, summary: Summary) -> str:
        """What was measured here, in per cent; a dash where nothing was."""
        found = next((one for one in summary.systems if one.system == self.ours), None)
        if found is None or not found.judged:
            return "–"
        if self.task == "avg":
            return f"{100 * fmean(s.accuracy for s in found.by_task.values()):.2f}"
        share = found.by_task.get(self.task)
        return "–" if share is None else f"{100 * share.accuracy:.2f}"


def published_rows(published: Sequence[Published], summary: Summary) -> list[tuple[str, ...]]:
    """A heading, then a row for each published system: `published | measured here` in each cell."""
    columns = list(dict.fromkeys(one.column for one in published))
    by_system: dict[str, dict[str, str]] = {}
    for one in published:
        ours = one.ours_text(summary)
        by_system.setdefault(one.system, {})[one.column] = f"{one.value_text} | {ours}"
    rows: list[tuple[str, ...]] = [("system", *columns)]
    for system, cells in by_system.items():
        rows.append((system, *(cells.get(column, "") for column in columns)))
    return rows
