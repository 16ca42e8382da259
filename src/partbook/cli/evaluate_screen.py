"""What `partbook evaluate` shows: progress, the estimate, the tables."""

import sys
import time
from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from partbook.cli.plain import clean, head, open_console
from partbook.evaluate.reporting.published import published_rows
from partbook.evaluate.reporting.report import HEADINGS, share_rows, table_rows, time_text
from partbook.evaluate.reporting.summary import Summary
from partbook.evaluate.reporting.texts import findings, money_text, number, title
from partbook.evaluate.running.estimate import Estimate
from partbook.evaluate.running.protocol import Published
from partbook.evaluate.running.runner import Progress
from partbook.price import total_usd

__all__ = ["ProgressLine", "console", "show_estimate", "show_summary"]

EVERY_S = 10.0
"""Between two lines of progress where they cannot be written over each other."""

_WIDE = 200
"""Columns where nobody looks at a terminal."""


def console() -> Console:
    """Where everything is printed; a pipe is not folded."""
    opened = open_console()
    if not opened.is_terminal:
        opened.width = _WIDE
    return opened


class ProgressLine:
    """One line that says how far it is; on a terminal, always the same one."""

    def __init__(self) -> None:
        self._written = 0.0
        self._terminal = sys.stderr.isatty()

    def show(self, progress: Progress) -> None:
        """Write it, unless it was written a moment ago."""
        now = time.monotonic()
        pause = 0.2 if self._terminal else EVERY_S
        last = progress.done == progress.total
        if now - self._written < pause and not last:
            return
        self._written = now
        left = "" if progress.left_s is None or last else f", {_duration(progress.left_s)} left"
        lost = f", {progress.not_judged} not judged" if progress.not_judged else ""
        line = (
            f"{progress.done} of {progress.total} cells{lost}, {progress.rate:.1f} a second, "
            f"{money_text(progress.usd)} so far{left}"
        )
        if self._terminal:
            print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)
        else:
            print(line, file=sys.stderr, flush=True)

    def say(self, text: str) -> None:
        """Write a line of its own."""
        self.end()
        self._written = 0.0
        print(clean(text), file=sys.stderr, flush=True)

    def end(self) -> None:
        """Leave the line."""
        if self._terminal and self._written:
            print(file=sys.stderr)


def show_estimate(estimates: Sequence[Estimate], notes: Sequence[str], tokens: int) -> None:
    """Print what an evaluation will take."""
    table = _table(("system", "calls", "tokens read", "tokens written", "USD", "USD at most"))
    for one in estimates:
        table.add_row(*map(escape, _estimate_row(one)))
    table.add_section()
    table.add_row(*map(escape, _estimate_row(_total(estimates))))
    out = console()
    out.print(table)
    for note in notes:
        out.print(clean(note), markup=False, soft_wrap=True)
    out.print(
        f"Rehearsed with answers of {tokens} tokens; at most: every answer at its limit. Retries "
        "and judging come on top. Nothing was spent.",
        markup=False,
        soft_wrap=True,
    )


def show_summary(summary: Summary, published: Sequence[Published] = ()) -> None:
    """Print what was found."""
    out = console()
    out.print(f"\n{clean(title(summary))}\n", markup=False)
    rows = table_rows(summary)
    empty = [all(row[i] in ("–", "0") for row in rows) for i in range(len(HEADINGS))]
    kept = [i for i in range(len(HEADINGS)) if not empty[i]]
    table = _table([HEADINGS[i] for i in kept])
    for row in rows:
        style = "bold" if row[0] == summary.focus else ""
        table.add_row(*(escape(head(row[i])) for i in kept), style=style)
    out.print(table)
    for kind in ("task", "difficulty"):
        split = share_rows(summary, kind)
        if len(split[0]) > 2:
            out.print(f"\nRight answers by {kind} (and cells)", markup=False)
            _print_rows(out, split)
    out.print()
    for sentence in findings(summary):
        out.print(f"- {clean(sentence)}", markup=False, soft_wrap=True)
    if published:
        out.print("\nPublished figures, none of them measured here | measured here", markup=False)
        _print_rows(out, published_rows(published, summary))
    out.print(f"\n{clean(time_text(summary))}", markup=False, soft_wrap=True)


def _print_rows(out: Console, rows: Sequence[Sequence[str]]) -> None:
    table = _table(rows[0])
    for row in rows[1:]:
        table.add_row(*(escape(head(text)) for text in row))
    out.print(table)


def _table(headings: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False)
    for i, heading in enumerate(headings):
        table.add_column(
            escape(head(heading)),
            justify="right" if i else "left",
            no_wrap=bool(i),
            overflow="fold",
        )
    return table


def _estimate_row(one: Estimate) -> tuple[str, ...]:
    return (
        one.system,
        number(one.calls),
        number(one.prompt_tokens),
        number(one.completion_tokens),
        money_text(one.usd),
        money_text(one.most_usd),
    )


def _total(estimates: Sequence[Estimate]) -> Estimate:
    return Estimate(
        "all",
        sum(one.calls for one in estimates),
        sum(one.prompt_tokens for one in estimates),
        sum(one.completion_tokens for one in estimates),
        total_usd(one.usd for one in estimates),
        total_usd(one.most_usd for one in estimates),
    )


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
