"""What `partbook simulate` prints for a person: tables, and where their figures are from."""

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from partbook.cli.figures import price
from partbook.cli.plain import head, open_console
from partbook.cli.simulate_json import SERVED, each, hourly, over
from partbook.simulate.outcome import Bound, Span, Use, mean_usd
from partbook.simulate.serving import Served, Stage
from partbook.simulate.staging import unpriced

if TYPE_CHECKING:
    from partbook.simulate.training import Course, Trained
    from partbook.train.needs import Needs

__all__ = ["print_serving", "print_training"]

_MIB, _GIB = 2**20, 2**30

_UNKNOWN = (
    "no price known for {}: unknown is not 0; name it with a `price` in the pool file, in your "
    "prices file or in --figures, or with --assume-price IN/OUT"
)


def print_serving(
    stage: Stage, found: Mapping[float, Sequence[Served]], limits: Sequence[Bound], minutes: float
) -> None:
    """Print a column a rate, then the workers at the last of them."""
    console = open_console()
    seeds = len(next(iter(found.values())))
    _print_sources(console, stage)
    _say(console, f"{minutes:g} minutes of requests; {_seeds(seeds)}")
    console.print()
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("requests a second")
    for rate in found:
        table.add_column(f"{rate:g}", justify="right")
    rows: dict[str, Callable[[Sequence[Served]], str]] = {
        "answered a second": lambda seen: _span(over(seen, SERVED["per_s"])),
        "p50, s": lambda seen: _span(over(seen, SERVED["p50_s"])),
        "p95, s": lambda seen: _span(over(seen, SERVED["p95_s"])),
        "p99, s": lambda seen: _span(over(seen, SERVED["p99_s"])),
        "of it waiting, mean, s": lambda seen: _span(over(seen, SERVED["waited_s"])),
        "dollars an hour": lambda seen: _usd(hourly(seen)),
        "dollars a request": lambda seen: _usd(each(seen)),
        "tokens a request": _tokens,
        "at once, at most": lambda seen: _span(over(seen, lambda one: one.peak)),
        "memory of the server": lambda seen: _memory(stage, seen),
        "its processors": lambda seen: _share(over(seen, lambda one: one.endpoint_busy).mean),
    }
    for label, value in rows.items():
        table.add_row(label, *(Text(value(seen)) for seen in found.values()))
    console.print(table)
    rate, seen = list(found.items())[-1]
    console.print()
    _say(console, f"at {rate:g} requests a second, beside their limits:")
    _print_workers(console, [one.uses for one in seen], limits)
    _print_full(console, limits, "requests")
    for rate, seen in found.items():
        _warn(console, rate, seen, limits)
    _print_prices(console, stage)


def print_training(
    name: str,
    stage: Stage,
    course: "Course",
    found: Sequence["Trained"],
    limits: Sequence[Bound],
    needs: "Needs",
) -> None:
    """Print what a run takes, then its workers."""
    console = open_console()
    first = found[0]
    _say(console, f"preset {name}: {course.rollouts:,} rollouts in {course.steps:,} steps of "
         f"{course.problems} x {course.group}")  # fmt: skip
    _print_sources(console, stage)
    policy = course.policy
    _say(console, f"policy: {policy.generate_s:g} s to write a step, {policy.update_s:g} s to be "
         f"updated, {policy.source}; {_overlap(course)}")  # fmt: skip
    _say(console, f"{first.played_steps} of the steps are played, the others are like them; "
         f"{_seeds(len(found))}")  # fmt: skip
    console.print()
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, show_header=False)
    hours = Span.of([one.seconds / 3600 for one in found])
    rows = {
        "time": f"{_span(hours)} hours, {_span(over(found, lambda one: one.step_s))} s a step",
        "policy writes": _span(over(found, lambda one: 100 * one.generating)) + " % of the time",
        "policy is updated": _span(over(found, lambda one: 100 * one.updating)) + " %",
        "policy waits": _span(over(found, lambda one: 100 * one.waiting)) + " %",
        "a rollout": _span(over(found, lambda one: one.rollout_s)) + " s",
        "rollouts lost": _span(over(found, lambda one: 100 * one.lost)) + " %, and "
        + _span(over(found, lambda one: 100 * one.lost_groups)) + " % of the groups with them",
        "calls": _count(found, lambda one: one.calls),
        "tokens": f"{_count(found, lambda one: one.prompt_tokens)} read, "
        f"{_count(found, lambda one: one.completion_tokens)} written",
        "dollars": _usd(mean_usd([one.usd for one in found])),
        "memory": f"{needs.memory_bytes / _GIB:,.2f} GiB for weights, gradients and moments; "
        f"{(needs.work_bytes + needs.program_bytes) / _GIB:,.2f} GiB more in each process",
        "disk": f"{needs.disk_bytes / _GIB:,.2f} GiB",
    }  # fmt: skip
    for label, value in rows.items():
        table.add_row(label, Text(value))
    console.print(table)
    console.print()
    _print_workers(console, [one.uses for one in found], limits)
    _print_full(console, limits, "rollouts")
    _print_prices(console, stage)


def _memory(stage: Stage, seen: Sequence[Served]) -> str:
    endpoint = stage.endpoint
    if not endpoint.request_bytes:
        return "unknown"
    peak = max(one.peak for one in seen)
    total = endpoint.processes * endpoint.base_bytes + peak * endpoint.request_bytes
    return f"{total / _MIB:,.0f} MiB"


def _tokens(seen: Sequence[Served]) -> str:
    requests = sum(one.requests for one in seen)
    read = sum(one.prompt_tokens for one in seen) / requests
    written = sum(one.completion_tokens for one in seen) / requests
    return f"{read:,.0f} + {written:,.0f}"


def _print_sources(console: Console, stage: Stage) -> None:
    """Say where the figures are from."""
    _say(console, f"workflows: {stage.mix.source}")
    by_source: dict[str, list[str]] = {}
    for worker in stage.workers.values():
        by_source.setdefault(worker.calls.source, []).append(worker.name)
    if stage.proposals is not None:
        by_source.setdefault(stage.proposals.source, []).append("the Conductor's calls")
    for source, names in by_source.items():
        _say(console, f"calls: {source}: {', '.join(names)}")


def _print_workers(
    console: Console, seen: Sequence[Sequence[Use]], limits: Sequence[Bound]
) -> None:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("worker", overflow="fold")
    for heading in (
        "calls",
        "failed",
        "turns",
        "rpm",
        "tpm",
        "provider",
        "wait, s",
        "p95",
        "full at",
    ):
        table.add_column(heading, justify="right", no_wrap=True)
    for number, use in enumerate(seen[0]):
        same = [uses[number] for uses in seen]
        full = next((bound for bound in limits if bound.worker == use.worker), None)
        table.add_row(
            Text(head(use.worker)),
            f"{over(same, lambda one: one.calls).mean:.2f}",
            _share(over(same, lambda one: one.faults).mean),
            _share(over(same, lambda one: one.busy).mean),
            _share(use.requests),
            _share(use.tokens),
            _share(use.provider),
            f"{over(same, lambda one: one.wait_s).mean:.2f}",
            f"{over(same, lambda one: one.wait_p95_s).mean:.2f}",
            "-" if full is None else f"{full.per_s:.3g}/s",
        )
    console.print(table)


def _print_full(console: Console, limits: Sequence[Bound], what: str) -> None:
    if not limits:
        _say(console, "no limit is known that would be reached")
        return
    first = limits[0]
    said = f"full first: {first.worker} ({first.limit}), at {first.per_s:.3g} {what} a second"
    _say(console, said, "bold")


def _warn(console: Console, rate: float, seen: Sequence[Served], limits: Sequence[Bound]) -> None:
    """Say what is wrong at a rate, if anything is."""
    one = seen[0]
    lost = {"failed": one.failed, "cut off at their deadline": one.timed_out,
            "refused": one.refused}  # fmt: skip
    said = [f"{number:,} {word}" for word, number in lost.items() if number]
    if limits and rate > limits[0].per_s:
        said.insert(0, f"more than {limits[0].worker} can do; {one.left:,} requests were under way "
                    "when the last one came, and waits grow as long as they come")  # fmt: skip
    if said:
        _say(console, f"! at {rate:g} requests/s, of {one.requests:,}: {'; '.join(said)}", "yellow")


def _print_prices(console: Console, stage: Stage) -> None:
    if names := unpriced(stage):
        _say(console, f"! {_UNKNOWN.format(', '.join(names))}", "yellow")


def _overlap(course: "Course") -> str:
    groups = "groups are played as soon as they are written" if course.by_group else ""
    ahead = f"it writes {course.ahead} steps ahead" if course.ahead else ""
    return "; ".join(filter(None, (groups, ahead))) or "it waits for the last rollout of each step"


def _seeds(number: int) -> str:
    return "1 seed" if number == 1 else f"{number} seeds: mean (smallest to largest)"


def _span(span: Span) -> str:
    if math.isnan(span.mean):
        return "none"
    return _words([f"{value:.3g}" if value < 1000 else f"{value:,.0f}" for value in span])


def _usd(span: Span | None) -> str:
    if span is None:
        return "unknown"
    return _words([price(Decimal(str(value))) for value in span])


def _words(span: list[str]) -> str:
    mean, low, high = span
    return mean if low == high else f"{mean} ({low}-{high.removeprefix('$')})"


def _count(found: Sequence[Any], get: Callable[[Any], float]) -> str:
    return f"{over(found, get).mean:,.0f}"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"


def _say(console: Console, text: str, style: str = "") -> None:
    console.print(Text(head(text), style))
