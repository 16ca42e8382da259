"""Compares engines that play the same workflow, as ratios within one run.

    python bench/run.py                                  all engines
    python bench/run.py --engines aiohttp openai path/to/engine.py
    TOTAL=500 python bench/run.py --repeats 1            a quick look

Each engine plays three model calls a workflow on one mock server that answers after 50 ms (see
`driver.py`). `aiohttp` is what all others are compared with, so it always runs. It, `partbook` and
engines given as a file run in this interpreter; each rival runs in a virtual environment of its
own under `bench/out/venvs`, which is made on first use with the versions below.

The whole set runs `--repeats` times, interleaved, so that what else the machine does meets all
engines alike; a ratio is taken within one such round, and the table shows the median over the
rounds and the range. All rows go to `bench/out/orchestration.jsonl`.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from figures import keep

HERE = Path(__file__).resolve().parent
OUT = HERE / "out"
BASELINE = "aiohttp"
OURS = "partbook"
RIVALS = ("langgraph", "agent_framework", "pydantic_graph", "dspy", "dspy-litellm")
DEFAULT = ("aiohttp", "partbook", "partbook-store", "partbook-journal", "openai", *RIVALS)

VARIANTS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "partbook-store": ("partbook", {"STORE": "1"}),
    "partbook-journal": ("partbook", {"STORE": "journal"}),
    "dspy-litellm": ("dspy", {"ENGINE": "litellm"}),
    "aiohttp-seldom": ("aiohttp", {"COLLECT": "seldom"}),
    "partbook-seldom": ("partbook", {"COLLECT": "seldom"}),
}
"""Engines that are another one in another environment."""

NEEDS: Mapping[str, tuple[str, ...]] = {
    "openai": ("openai[aiohttp]==3.57.0",),
    "langgraph": ("langgraph==1.2.24", "openai[aiohttp]==3.57.0"),
    "agent_framework": ("agent-framework-core==1.23.0", "agent-framework-openai==1.17.0"),
    "pydantic_graph": ("pydantic-graph==2.68.0", "pydantic-ai-slim[openai]==2.68.0"),
    "dspy": ("dspy==3.4.1",),
}
"""What pip installs into a rival's environment."""

QUIET = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "OMP_NUM_THREADS": "1"}
"""What keeps a rival from asking the network for its price table while it is measured."""

FEWER = 5
"""A rival plays this many times fewer workflows: each takes several times as much CPU time."""

LIMIT_S = 300
"""Longest time for one engine's measurement."""

Row = dict[str, Any]


def main() -> None:
    options = parse()
    OUT.mkdir(exist_ok=True)
    engines = [BASELINE, *(name for name in options.engines if name != BASELINE)]
    pythons = {engine: interpreter(engine) for engine in engines}
    about = machine()
    print(", ".join(f"{name} {value}" for name, value in about.items()), flush=True)
    rows: list[Row] = []
    out = OUT / "orchestration.jsonl"
    with mock_server(options.latency_ms) as base_url, out.open("w") as file:
        sizes = {"TOTAL": options.total, "SEQ": options.seq, "CONC": options.conc}
        env = {"MOCK_BASE": base_url, **{name: str(value) for name, value in sizes.items()}}
        for round_ in range(options.repeats):
            for engine in engines:
                row = {"round": round_, "file": engine, "load_before": os.getloadavg()[0]}
                few = {"TOTAL": str(max(1, options.total // FEWER))} if is_rival(engine) else {}
                row |= measure(engine, pythons[engine], env | few)
                rows.append(row)
                file.write(json.dumps(row | {"machine": about, "sizes": sizes}) + "\n")
                file.flush()
                print(progress(row), file=sys.stderr, flush=True)
    print(table(engines, rows))
    keep({"engines": [summary(engine, rows) for engine in engines], "sizes": sizes})
    print(f"load at the end {os.getloadavg()[0]:.2f}; rows in {out}")
    if any("failed" in row or wrong(row) for row in rows):
        sys.exit("some engine failed or gave wrong answers: its figures mean nothing")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    add = parser.add_argument
    add("--engines", nargs="+", default=default_engines(), help="names, or files of engines")
    add("--repeats", type=int, default=3, help="rounds")
    add("--total", type=int, default=env_int("TOTAL", 2000), help="workflows at full concurrency")
    add("--seq", type=int, default=env_int("SEQ", 40), help="workflows one after another")
    add("--conc", type=int, default=env_int("CONC", 200), help="workflows at once")
    add("--latency-ms", type=float, default=50, help="what a model call takes")
    return parser.parse_args()


def env_int(name: str, default: int) -> int:
    return int(os.environ.get(name, default))


def default_engines() -> list[str]:
    return list(DEFAULT)


def interpreter(engine: str) -> Path:
    """The Python that has what an engine needs; makes a rival's environment on first use."""
    name, _ = VARIANTS.get(engine, (engine, {}))
    if name not in NEEDS:
        return Path(sys.executable)
    venv, wanted = OUT / "venvs" / name, "\n".join(NEEDS[name])
    python = venv / "bin" / "python"
    ready = venv / "ready"
    if not ready.exists() or ready.read_text() != wanted:
        print(f"installing {', '.join(NEEDS[name])}", file=sys.stderr, flush=True)
        for command in (
            [sys.executable, "-m", "venv", "--clear", str(venv)],
            [str(python), "-m", "pip", "install", "--quiet", *NEEDS[name]],
        ):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
        ready.write_text(wanted)
    return python


def is_rival(engine: str) -> bool:
    return VARIANTS.get(engine, (engine,))[0] in NEEDS


@contextmanager
def mock_server(latency_ms: float) -> Iterator[str]:
    """Run the mock server, and give its base URL."""
    command = [sys.executable, str(HERE / "mock_server.py"), "0", str(latency_ms)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def measure(engine: str, python: Path, env: Mapping[str, str]) -> Row:
    """One row of `driver.py`, or the reason why there is none."""
    name, more = VARIANTS.get(engine, (engine, {}))
    script = Path(name) if name.endswith(".py") else HERE / f"engine_{name}.py"
    try:
        done = subprocess.run(
            [str(python), str(script)],
            env={**os.environ, **QUIET, **env, **more, "PYTHONPATH": str(HERE)},
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"failed": f"took more than {LIMIT_S} s"}
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or not lines:
        return {"failed": (done.stderr.strip().splitlines() or ["no output"])[-1][:300]}
    return json.loads(lines[-1])


def wrong(row: Row) -> int:
    """Errors, requests too few or too many, and last steps that did not see all earlier answers."""
    return row["errors"] + abs(row["requests_missing"]) + abs(row["last_steps_blind"])


def progress(row: Row) -> str:
    if "failed" in row:
        return f"round {row['round']}  {row['file']}: FAILED: {row['failed']}"
    return (
        f"round {row['round']}  {row['engine']}: {row['cpu_ms_per_workflow']} CPU ms a workflow, "
        f"{row['seq_median_ms']} ms, load before {row['load_before']:.2f}"
    )


def table(engines: Sequence[str], rows: Sequence[Row]) -> str:
    """One line an engine: medians over the rounds, with the range of each ratio."""
    lines = [
        f"{'engine':<28}{'CPU ms/workflow':>16}{'ratio to aiohttp':>24}"
        f"{'ms more than aiohttp':>26}{'peak MB':>9}{'ratio':>7}{'wrong':>7}"
    ]
    by_round = {row["round"]: row for row in rows if row["file"] == BASELINE}
    for engine in engines:
        pairs = [
            (row, by_round[row["round"]])
            for row in rows
            if row["file"] == engine and "failed" not in row | by_round[row["round"]]
        ]
        if not pairs:
            lines.append(f"{engine:<28}failed")
            continue
        mine = [row for row, _ in pairs]
        cpu = [row["cpu_ms_per_workflow"] / base["cpu_ms_per_workflow"] for row, base in pairs]
        more_ms = [row["seq_median_ms"] - base["seq_median_ms"] for row, base in pairs]
        rss = [row["peak_rss_mb"] / base["peak_rss_mb"] for row, base in pairs]
        lines.append(
            f"{mine[0]['engine']:<28}"
            f"{statistics.median(row['cpu_ms_per_workflow'] for row in mine):>16.2f}"
            f"{spread(cpu):>24}{spread(more_ms):>26}"
            f"{statistics.median(row['peak_rss_mb'] for row in mine):>9.0f}"
            f"{statistics.median(rss):>7.2f}{sum(map(wrong, mine)):>7}"
        )
    return "\n".join(lines)


def summary(engine: str, rows: Sequence[Row]) -> Row:
    """What the page shows of one engine; ratios as (median, least, greatest) over the rounds."""
    done = [row for row in rows if "failed" not in row]
    mine = {row["round"]: row for row in done if row["file"] == engine}
    found: Row = {"file": engine, "rival": is_rival(engine)}
    if not mine:
        return found | {"failed": True}
    for key, other in (("ratio", BASELINE), ("times", OURS)):
        theirs = {row["round"]: row["cpu_ms_per_workflow"] for row in done if row["file"] == other}
        both = [mine[i]["cpu_ms_per_workflow"] / theirs[i] for i in mine.keys() & theirs.keys()]
        found[key] = [statistics.median(both), min(both), max(both)] if both else None
    return found | {
        "engine": next(iter(mine.values()))["engine"],
        "cpu_ms": statistics.median(row["cpu_ms_per_workflow"] for row in mine.values()),
        "peak_mb": statistics.median(row["peak_rss_mb"] for row in mine.values()),
        "wrong": sum(map(wrong, mine.values())),
    }


def spread(values: Sequence[float]) -> str:
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def machine() -> dict[str, str]:
    model = "unknown"
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        model = names[0].partition(":")[2].strip() if names else model
    return {
        "cores": str(os.cpu_count()),
        "CPU": model,
        "load": f"{os.getloadavg()[0]:.2f}",
        "Python": platform.python_version(),
    }


if __name__ == "__main__":
    main()
