"""One page of figures: ours, the rivals, the limit, growth, the endpoint, the store, the judges.

    python bench/sheet.py             about twelve minutes on two idle cores
    python bench/sheet.py --quick     a minute; says whether everything runs, not how fast it is
    python bench/sheet.py --only growth store

Each part is a benchmark in a process of its own, one after another; it hands its figures over by
`figures.keep`. The page goes to `bench/out/bench.md`, the figures to `bench/out/bench.json`.
Where a figure has a bar, the page says whether it holds; a part that failed is missed, too. On a
machine that is busy, only ratios within a part mean something, and no quick figure means anything.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
OUT = HERE / "out"

MOST_RATIO = 1.5
"""Our CPU time per workflow, without the store, to that of raw aiohttp."""

LEAST_TIMES = 5.0
"""CPU time per workflow of each rival to ours."""

MOST_GROWTH = 1.2
"""CPU time of one of 1,000 workflows at once to that of one of 10."""

MOST_LISTING_MS = 50.0
"""Wall time until a list of 10,000 stored runs is there, in a program that runs already."""

LEAST_LAB_CALLS = 2000.0
"""Calls of the lab's workers in a second."""

Figures = Mapping[str, Any]


class Part(NamedTuple):
    name: str
    command: tuple[str, ...]
    """A script and its arguments."""
    quick: tuple[str, ...]
    """The arguments of a quick look."""


PARTS = (
    Part(
        "engines",
        ("run.py",),
        ("run.py", "--repeats", "1", "--total", "50", "--seq", "3", "--conc", "10"),
    ),
    Part("growth", ("growth.py",), ("growth.py", "--rounds", "1", "--part", "0.02")),
    Part("endpoint", ("serving.py",), ("serving.py", "60", "10")),
    Part("store", ("store.py",), ("store.py", "--writers", "5", "--runs", "200")),
    Part("judges", ("judges.py",), ("judges.py", "200")),
    Part("sandbox", ("sandbox.py",), ("sandbox.py", "2")),
    Part("lab", ("lab.py",), ("lab.py", "--calls", "500")),
)


def main() -> None:
    parser = argparse.ArgumentParser(description="One page of figures.")
    parser.add_argument("--quick", action="store_true", help="a minute: does everything run?")
    names = [part.name for part in PARTS]
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="PART")
    options = parser.parse_args()
    OUT.mkdir(exist_ok=True)
    about, begun = machine(), time.monotonic()
    parts: dict[str, Figures | None] = {}
    for part in PARTS:
        if part.name in options.only:
            print(f"{part.name} ...", file=sys.stderr, flush=True)
            parts[part.name] = measured(part.quick if options.quick else part.command)
    about |= {
        "load at the end": f"{os.getloadavg()[0]:.2f}",
        "minutes": f"{(time.monotonic() - begun) / 60:.1f}",
        "size": "a quick look: no figure means anything" if options.quick else "full",
    }
    text = page(about, parts)
    (OUT / "bench.md").write_text(text, encoding="utf-8")
    (OUT / "bench.json").write_text(json.dumps({"about": about, "parts": parts}), encoding="utf-8")
    print(text)
    if any(figures is None for figures in parts.values()):
        sys.exit("a part failed; what it said stands above")
    if not options.quick and MISSED in text:
        sys.exit("a bar is missed")


def measured(command: Sequence[str]) -> Figures | None:
    """The figures of one part; None: it failed. What it prints goes to stderr."""
    path = OUT / "figures.json"
    path.unlink(missing_ok=True)
    done = subprocess.run(
        [sys.executable, str(HERE / command[0]), *command[1:]],
        env=os.environ | {"FIGURES": str(path), "OMP_NUM_THREADS": "1"},
        stdout=sys.stderr,
        check=False,
    )
    # A bar that does not hold is said on the page; figures that mean nothing are not shown.
    if not path.exists() or (done.returncode and command[0] in ("run.py", "growth.py")):
        return None
    found: Figures = json.loads(path.read_text(encoding="utf-8"))
    return found


def machine() -> dict[str, str]:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(encoding="utf-8").splitlines() if cpuinfo.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "cores": str(os.cpu_count()),
        "CPU": names[0] if names else platform.processor(),
        "load at the start": f"{os.getloadavg()[0]:.2f}",
        "Python": platform.python_version(),
        "aiohttp": version("aiohttp"),
        "Partbook": version("partbook"),
    }


HOLDS, MISSED = "holds", "**missed**"


def page(about: Mapping[str, str], parts: Mapping[str, Figures | None]) -> str:
    """The whole page, as Markdown.

    Args:
        about: of the machine and the run, by name.
        parts: the figures of each part by its name; None: it failed.
    """
    lines = ["# Bench", "", ", ".join(f"{name} {value}" for name, value in about.items()), ""]
    for name, show in SECTIONS.items():
        if name in parts:
            figures = parts[name]
            lines += [f"## {name.capitalize()}", ""]
            lines += [f"failed: {MISSED}"] if figures is None else list(show(figures))
            lines.append("")
    return "\n".join(lines)


def engines(figures: Figures) -> Iterator[str]:
    yield "CPU time per workflow of three calls; ratios within a round: median (least to greatest)."
    yield ""
    yield "| engine | CPU ms | to raw aiohttp | to ours | peak MB | wrong | bar | |"
    yield "|---|---|---|---|---|---|---|---|"
    for row in figures["engines"]:
        if row.get("failed"):
            yield f"| {row['file']} | failed | | | | | | {MISSED} |"
            continue
        bar, verdict = "", ""
        if row["file"] == "partbook":
            bar, verdict = f"at most {MOST_RATIO:g} x aiohttp", held(row["ratio"][0] <= MOST_RATIO)
        elif row["rival"] and row["file"] != "openai" and row["times"]:
            bar = f"at least {LEAST_TIMES:g} x ours"
            verdict = held(row["times"][0] >= LEAST_TIMES)
        yield (
            f"| {row['engine']} | {row['cpu_ms']:.2f} | {spread(row['ratio'])} | "
            f"{spread(row['times'])} | {row['peak_mb']:.0f} | {row['wrong']} | {bar} | {verdict} |"
        )


def growth(figures: Figures) -> Iterator[str]:
    yield "| engine | at once | steps | CPU ms a workflow | peak MB | connections | workflows/s |"
    yield "|---|---|---|---|---|---|---|"
    for engine, found in figures["engines"].items():
        for at in found["points"]:
            yield (
                f"| {engine} | {at['concurrency']:,} | {at['steps']} | "
                f"{at['cpu_ms_per_workflow']:.2f} | {at['peak_rss_mb']:.0f} | "
                f"{at['connections']:.0f} | {at['workflows_per_s']:.0f} |"
            )
    yield ""
    yield "`seldom`: with the garbage collector as Partbook's commands set it."
    yield ""
    for engine, found in figures["engines"].items():
        if found["growth"] is not None:
            bar = f"; at most {MOST_GROWTH:g}: {held(found['growth'][0] <= MOST_GROWTH)}"
            yield (
                f"- {engine}: one of 1,000 at once takes {spread(found['growth'])} times the CPU "
                f"time of one of 10{bar if engine == 'partbook-seldom' else ''}."
            )


def endpoint(figures: Figures) -> Iterator[str]:
    yield (
        f"One worker behind `partbook serve`: {figures['cpu_ms']:.2f} CPU ms a request, "
        f"{figures['ratio']:.2f} times a bare proxy's; median {figures['more_ms']:+.1f} ms; "
        f"{figures['memory_mb']:.0f} MB."
    )


def store(figures: Figures) -> Iterator[str]:
    yield "| database | runs | lost | listing all, ms | CPU ms here | bar | |"
    yield "|---|---|---|---|---|---|---|"
    for row in figures["databases"]:
        fast = row["wall_ms"] < MOST_LISTING_MS and not row["lost"]
        yield (
            f"| {row['name']} | {row['runs']:,} | {row['lost']} | {row['wall_ms']:.1f} | "
            f"{row['cpu_ms']:.1f} | below {MOST_LISTING_MS:g} ms for 10,000 | {held(fast)} |"
        )


def judges(figures: Figures) -> Iterator[str]:
    rates = ", ".join(f"{name} {rate:,.0f}" for name, rate in figures.items())
    yield f"Verdicts a second: {rates}."


def sandbox(figures: Figures) -> Iterator[str]:
    fast = figures["worst_ms"] <= figures["bar_ms"]
    yield (
        f"The dearest kind of judgment takes {figures['worst_ms']:.1f} CPU ms beyond its program; "
        f"at most {figures['bar_ms']:g}: {held(fast)}."
    )


def lab(figures: Figures) -> Iterator[str]:
    yield (
        f"{figures['calls_per_s']:,.0f} worker calls a second, at least {LEAST_LAB_CALLS:,.0f}: "
        f"{held(figures['calls_per_s'] >= LEAST_LAB_CALLS)}; "
        f"{figures['problems_per_s']:,.0f} problems a second."
    )


SECTIONS = {
    "engines": engines,
    "growth": growth,
    "endpoint": endpoint,
    "store": store,
    "judges": judges,
    "sandbox": sandbox,
    "lab": lab,
}


def held(is_held: bool) -> str:
    return HOLDS if is_held else MISSED


def spread(values: Sequence[float] | None) -> str:
    if values is None:
        return "-"
    median, least, greatest = values
    return f"{median:.2f} ({least:.2f} to {greatest:.2f})"


if __name__ == "__main__":
    main()
