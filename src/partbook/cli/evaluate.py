"""`partbook evaluate`: systems beside each other on the same problems, resumable, with a report."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from partbook.cli.asking import (
    AssumePriceOption,
    MaxUsdOption,
    OnOption,
    PoolOption,
    PricesOption,
    limits_of,
)
from partbook.errors import ConfigError

if TYPE_CHECKING:
    from partbook.cli.evaluate_run import Evaluation, Settings
    from partbook.evaluate.running.protocol import Protocol, Published
    from partbook.evaluate.running.results import Results

__all__ = ["evaluate_command"]

DEFAULT_SYSTEMS = "worker:*,random"
"""What needs nothing but a pool."""

LAB_WORDS = 7
"""Words of a scripted worker's answer: its tokens."""


def evaluate_command(
    tasks: Annotated[
        list[str] | None,
        typer.Argument(metavar="TASK...", help="lab, a task's name, gym/NAME, or a task file."),
    ] = None,
    systems: Annotated[
        str, typer.Option("--systems", help="Systems, with commas between; see docs/systems.md.")
    ] = "",
    pool: PoolOption = "",
    conductor: Annotated[
        str, typer.Option("--conductor", "-c", help="Who conducts in `prompted`; as for `run`.")
    ] = "",
    policy: Annotated[
        str, typer.Option("--policy", help="Who conducts in `trained`; as --conductor.")
    ] = "",
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", min=1, help="Most problems of each task.")
    ] = None,
    split: Annotated[str, typer.Option(help="train, validation, test or all.")] = "",
    level: Annotated[int | None, typer.Option(min=0, help="Level of gym/NAME, from 0.")] = None,
    repeats: Annotated[
        int | None, typer.Option("--repeats", min=1, help="How often each problem is asked.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Of the problems and of all draws.")] = None,
    learn: Annotated[
        int | None,
        typer.Option(min=1, help="Problems of another split to learn from, for systems that do."),
    ] = None,
    match: Annotated[
        str,
        typer.Option(
            help="Most that each system may spend on a problem: calls=N, usd=X, tokens=N."
        ),
    ] = "",
    max_usd: MaxUsdOption = None,
    assume_price: AssumePriceOption = None,
    prices: PricesOption = None,
    timeout: Annotated[
        float | None,
        typer.Option("--timeout", min=0.001, help="Most seconds of a system for a problem."),
    ] = None,
    concurrency: Annotated[
        int | None, typer.Option("--concurrency", min=1, help="Problems in flight at once.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option("--config", help="A protocol file; options change its values.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder of the results; the same one goes on."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what it takes, and spend nothing.")
    ] = False,
    html: Annotated[bool, typer.Option("--html", help="Write report.html, too.")] = False,
    report: Annotated[
        Path | None, typer.Option("--report", help="Only report what is in this folder.")
    ] = None,
    focus: Annotated[
        str | None, typer.Option("--focus", help="The system that others are compared with.")
    ] = None,
    replay: Annotated[
        Path | None,
        typer.Option("--replay", help="Answer from another run's folder; no model is called."),
    ] = None,
    grader: Annotated[
        str, typer.Option(metavar="WORKER", help="Judges where a task has a rubric.")
    ] = "",
    encoder: Annotated[
        str, typer.Option(help="Sentence encoder of learned routers: minilm or words.")
    ] = "",
    on: OnOption = "",
) -> None:
    """Compare systems: workers, fixed workflows, rivals, Conductors.

    All of them meet the same problems, workers, limits and judges. Every answer is kept as soon as
    it is there: run the same command again and it goes on, and nothing is paid twice.

    Exit status 1: not all cells could be judged; the same command tries those again.
    """
    from partbook.cli.evaluate_run import Settings

    if report is not None:
        _report_only(report, focus, html, config)
        return
    limits = limits_of(max_usd, None, None, timeout, assume_price)
    protocol = _protocol(tasks or [], config, limit, split, level)
    changes: dict[str, object] = {
        "systems": systems,
        "pool": pool,
        "conductor": conductor,
        "policy": policy,
        "repeats": repeats,
        "seed": seed,
        "measured": learn,
        "match": match,
        "max_usd": limits.usd,
        "concurrency": concurrency,
    }
    # An option that was not given leaves the file's value.
    given = {name: value for name, value in changes.items() if value not in (None, "")}
    settings = Settings(timeout, limits.assumed_price, prices, encoder, grader, dry_run, on)
    _carry_out(replace(protocol, **given), settings, out, focus, html, replay)  # type: ignore[arg-type]


def _protocol(
    tasks: list[str],
    config: Path | None,
    limit: int | None,
    split: str,
    level: int | None,
) -> "Protocol":
    from partbook.evaluate.posed import LAB
    from partbook.evaluate.running.protocol import Protocol, TaskRequest, read_protocol

    if config is None and not tasks:
        raise ConfigError("name a task, like `partbook evaluate lab`, or a file with --config")
    if config is None:
        requests = tuple(TaskRequest(name, split or "test", limit, level) for name in tasks)
        protocol = Protocol(requests, DEFAULT_SYSTEMS)
        return replace(protocol, answer_tokens=LAB_WORDS) if set(tasks) == {LAB} else protocol
    protocol = read_protocol(config)
    known = [task.name for task in protocol.tasks]
    unknown = [name for name in tasks if name not in known]
    if unknown:
        raise ConfigError(f"{config} has no task {unknown[0]!r}; its tasks: {', '.join(known)}")
    requests = tuple(
        replace(
            task,
            limit=min(limit, task.limit or limit) if limit else task.limit,
            split=split or task.split,
            level=task.level if level is None else level,
        )
        for task in protocol.tasks
        if not tasks or task.name in tasks
    )
    return replace(protocol, tasks=requests)


def _carry_out(
    protocol: "Protocol",
    settings: "Settings",
    out: Path | None,
    focus: str | None,
    html: bool,
    replay: Path | None,
) -> None:
    from partbook.cli.evaluate_run import Evaluation
    from partbook.cli.evaluate_screen import ProgressLine, show_estimate
    from partbook.evaluate.running.results import RESULTS

    evaluation = Evaluation.of(protocol, settings)
    _check_focus(focus, evaluation)
    if settings.dry:
        estimates, notes = asyncio.run(evaluation.estimated())
        show_estimate(estimates, notes, protocol.answer_tokens)
        return
    folder = out or Path("runs/out") / (protocol.name or "evaluation")
    line = ProgressLine()
    try:
        ended, results = asyncio.run(evaluation.run(folder, line, replay))
    except (KeyboardInterrupt, ConfigError):
        if (folder / RESULTS).is_file():
            line.say(f"what was found so far is in {folder}; the same command goes on")
        raise
    finally:
        line.end()
    _show(results, focus, html, protocol.published)
    if ended.stopped:
        line.say(f"stopped: {ended.stopped}")
    if ended.missing:
        for reason, count in results.reasons().most_common(3):
            line.say(f"not judged {count} times: {reason}")
        line.say(f"{ended.missing} cells are not judged; the same command tries them again")
        raise typer.Exit(1)


def _check_focus(focus: str | None, evaluation: "Evaluation") -> None:
    """Refuse a focus that the report will not have, before anybody is paid."""
    names = [choice.name for choice in evaluation.choices]
    if focus is not None and focus not in names:
        raise ConfigError(f"--focus: no system {focus!r} here; there are {', '.join(names)}")


def _report_only(folder: Path, focus: str | None, html: bool, config: Path | None) -> None:
    from partbook.evaluate.running.protocol import read_protocol
    from partbook.evaluate.running.results import Results

    published = () if config is None else read_protocol(config).published
    _show(Results.read(folder), focus, html, published)


def _show(
    results: "Results", focus: str | None, html: bool, published: "tuple[Published, ...]"
) -> None:
    """Print the report and write its files."""
    from partbook.cli.evaluate_screen import show_summary
    from partbook.evaluate.reporting.page import as_page
    from partbook.evaluate.reporting.report import write_report
    from partbook.evaluate.reporting.summary import summarise

    summary = summarise(results, focus)
    show_summary(summary, published)
    written = write_report(summary, results.folder, published)
    if html:
        page = results.folder / "report.html"
        page.write_text(as_page(summary, published), encoding="utf-8")
        written.append(page)
    print(f"wrote {', '.join(map(str, written))}")
