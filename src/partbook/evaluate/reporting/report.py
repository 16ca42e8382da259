"""The report as data and as text: JSON, CSV and Markdown from one summary.

What depends on the clock stands apart, so that the table of an evaluation that was killed and taken
up again is, letter for letter, that of one that was not.
"""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from partbook.csv_cell import csv_cell
from partbook.evaluate.reporting.figures import Figures, Share, natural
from partbook.evaluate.reporting.published import published_rows
from partbook.evaluate.reporting.summary import Comparison, Summary
from partbook.evaluate.reporting.texts import (
    comparison_sentence,
    findings,
    money_text,
    number,
    p_text,
    percent,
    range_text,
    title,
)
from partbook.evaluate.running.protocol import Published
from partbook.spend_json import money

__all__ = [
    "HEADINGS",
    "as_csv",
    "as_data",
    "as_json",
    "as_markdown",
    "share_rows",
    "table_rows",
    "time_text",
    "worker_rows",
    "write_report",
]

HEADINGS = (
    "system",
    "right",
    "95 %",
    "valid",
    "right if valid",
    "steps",
    "calls",
    "tokens",
    "USD / problem",
    "bits",
    "regret",
    "not judged",
)
"""Of `table_rows`."""


def table_rows(summary: Summary) -> list[tuple[str, ...]]:
    """The main table, a row for each system; see `HEADINGS`."""
    return [_row(figures, summary.regret.get(figures.system)) for figures in summary.systems]


def as_data(summary: Summary, published: Sequence[Published] = ()) -> dict[str, Any]:
    """The whole report as JSON values; shares 0 to 1, money as exact digits."""
    return {
        "title": title(summary),
        "identity": dict(summary.identity),
        "problems": len(summary.problems),
        "repeats": summary.begun.repeats,
        "focus": summary.focus,
        "rival": summary.rival,
        "findings": findings(summary),
        "systems": [_figures_data(summary, figures) for figures in summary.systems],
        "comparisons": [
            asdict(one) | {"significant": one.significant} for one in summary.comparisons
        ],
        "oracle": None if summary.oracle is None else asdict(summary.oracle),
        "frontier": list(summary.frontier),
        "published": [asdict(one) for one in published],
    }


def as_json(summary: Summary, published: Sequence[Published] = ()) -> str:
    """The whole report as JSON."""
    return json.dumps(as_data(summary, published), indent=2, ensure_ascii=False) + "\n"


def as_csv(summary: Summary) -> str:
    """A row for each system, for a spreadsheet."""
    out = io.StringIO()
    names = (
        "system", "problems", "judged", "not_judged", "accuracy", "low", "high", "valid",
        "accuracy_given_valid", "steps", "calls", "conductor_calls", "prompt_tokens",
        "completion_tokens", "usd", "worker_bits", "plans", "regret", "frontier", "seconds",
    )  # fmt: skip
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    for figures in summary.systems:
        data = _figures_data(summary, figures)
        row = data | {"low": data["interval"][0], "high": data["interval"][1]}
        writer.writerow([csv_cell(v) if isinstance(v := row[name], str) else v for name in names])
    return out.getvalue()


def as_markdown(summary: Summary, published: Sequence[Published] = ()) -> str:
    """The report as Markdown."""
    parts = [f"# {title(summary)}"]
    parts.append("\n".join(f"- {_plain(sentence)}" for sentence in findings(summary)))
    parts.append(_table(HEADINGS, table_rows(summary)))
    if summary.comparisons:
        parts.append(f"## {_plain(summary.focus)} beside every other system")
        parts.append(
            _table(
                ("other", "difference", "95 %", "better", "worse", "p", "corrected p"),
                [_comparison_row(one) for one in summary.comparisons],
            )
        )
        parts.append(
            "\n".join(
                f"- {_plain(comparison_sentence(summary.focus, one))}"
                for one in summary.comparisons
            )
        )
    for heading, rows in _splits(summary):
        parts += [f"## {heading}", _table(rows[0], rows[1:])]
    parts += [f"## Time\n\n{_plain(time_text(summary))}"]
    if published:
        rows = published_rows(published, summary)
        parts += [
            "## Published and measured\n\nIn each cell: what "
            f"{_plain(published[0].source)} prints, then what was measured here. Nothing "
            "published was measured here.",
            _table(rows[0], rows[1:]),
        ]
    return "\n\n".join(parts) + "\n"


def write_report(summary: Summary, folder: Path, published: Sequence[Published] = ()) -> list[Path]:
    """Write `report.json`, `report.csv` and `report.md`; returns their paths."""
    texts = {
        "report.json": as_json(summary, published),
        "report.csv": as_csv(summary),
        "report.md": as_markdown(summary, published),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]


def time_text(summary: Summary) -> str:
    """Seconds of each system, in a line: they differ from run to run."""
    each = (f"{one.system} {number(one.seconds)}" for one in summary.systems if one.judged)
    shared = "equal calls" in summary.identity
    note = " A call that systems share took its time where it was made first." if shared else ""
    return f"Seconds per problem, waits included: {', '.join(each)}.{note}"


def share_rows(summary: Summary, kind: str) -> list[tuple[str, ...]]:
    """Accuracy of every system by task, difficulty or steps: a heading, then rows.

    Args:
        summary: what was found.
        kind: `task`, `difficulty` or `steps`.
    """
    shares: dict[str, dict[str, Share]] = {}
    for one in summary.systems:
        steps = {str(count): share for count, share in one.by_steps.items()}
        kinds = {"task": one.by_task, "difficulty": one.by_difficulty, "steps": steps}
        shares[one.system] = dict(kinds[kind])
    columns = sorted({name for found in shares.values() for name in found}, key=natural)
    rows: list[tuple[str, ...]] = [("system", *columns)]
    for system, found in shares.items():
        rows.append((system, *(_share_text(found.get(column)) for column in columns)))
    return rows


def worker_rows(summary: Summary) -> list[tuple[str, ...]]:
    """Shares of the workers' calls by system: a heading, then rows."""
    names = sorted({name for one in summary.systems for name in one.workers})
    rows: list[tuple[str, ...]] = [("system", *names)]
    for one in summary.systems:
        rows.append(
            (one.system, *(percent(one.workers[n]) if n in one.workers else "" for n in names))
        )
    return rows


def _splits(summary: Summary) -> list[tuple[str, list[tuple[str, ...]]]]:
    found = [("Workers' shares of the calls", worker_rows(summary))]
    for kind in ("task", "difficulty", "steps"):
        rows = share_rows(summary, kind)
        if len(rows[0]) > 2:
            found.append((f"Right answers by {kind} (and cells)", rows))
    return found


def _row(figures: Figures, regret: float | None) -> tuple[str, ...]:
    if not figures.judged:
        return (figures.system, *["–"] * (len(HEADINGS) - 2), str(figures.not_judged))
    return (
        figures.system,
        percent(figures.accuracy),
        range_text(*figures.interval),
        percent(figures.valid),
        percent(figures.given_valid),
        number(figures.steps),
        number(figures.calls),
        number(figures.tokens),
        money_text(figures.usd),
        f"{figures.worker_bits:.2f}",
        percent(regret),
        str(figures.not_judged),
    )


def _comparison_row(one: Comparison) -> tuple[str, ...]:
    low, high = one.interval
    return (
        one.other,
        f"{100 * one.difference:+.1f}",
        range_text(low, high),
        str(one.better),
        str(one.worse),
        p_text(one.p),
        p_text(one.corrected),
    )


def _figures_data(summary: Summary, figures: Figures) -> dict[str, Any]:
    data = asdict(figures)
    data["accuracy_given_valid"] = data.pop("given_valid")
    return data | {
        "usd": money(figures.usd),
        "not_judged": figures.not_judged,
        "regret": summary.regret.get(figures.system),
        "frontier": figures.system in summary.frontier,
    }


def _share_text(share: Share | None) -> str:
    return "" if share is None else f"{percent(share.accuracy)} ({share.count})"


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(map(_plain, headings)) + " |"]
    lines.append("|---|" + "---:|" * (len(headings) - 1))
    lines += ["| " + " | ".join(map(_plain, row)) + " |" for row in rows]
    return "\n".join(lines)


def _plain(text: str) -> str:
    """Text of unknown origin, made so that Markdown shows it as it is."""
    escaped = " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|")
    return escaped.replace("<", "&lt;").replace("*", "\\*").replace("`", "\\`")
