"""Several seeds of a preset from one warm start, and the table that says what they learned.

Every seed is a process of its own with one thread: nets this small gain nothing from a second
one. There is one process more than cores, so that with three seeds on two cores none waits alone
for the last. The table is of test problems, and its baselines answer the same ones.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from partbook.errors import ConfigError
from partbook.lab import lab_table
from partbook.lab.table import Row as Baseline
from partbook.train.course import exam_rows
from partbook.train.exam import Exam, taken_by
from partbook.train.measure import Ceiling, Figures
from partbook.train.preset import Preset
from partbook.train.run import Report, make_warm_start
from partbook.train.run_folder import RunFolder

__all__ = ["Line", "comparison", "run_seeds", "table_text"]

_BASELINES = ("random plan", "right parts, cards believed", "optimum")


@dataclass(frozen=True, slots=True)
class Line:
    """One system of the table."""

    system: str
    accuracy: float
    low: float
    high: float
    steps: float
    valid: float | None = None
    """None: it is no policy."""
    given_valid: float | None = None
    worker_bits: float | None = None
    regret: float | None = None
    plans: int | None = None
    by_difficulty: tuple[float, ...] = ()


def run_seeds(
    name: str,
    out: Path,
    seeds: Sequence[int],
    changes: Sequence[str],
    preset: Preset,
    report: Report,
) -> None:
    """Make the warm start where it is missing, then train all seeds, several at a time.

    Args:
        name: the preset's name.
        out: gets `warm-start` and a folder per seed.
        seeds: one run each; those that are finished are left alone.
        changes: as `load_preset` takes them.
        preset: the preset with the changes.
        report: receives lines for a person.

    Raises:
        ConfigError: a run failed; its log is named.
    """
    warm = out / "warm-start"
    if not (warm / "config.json").exists():
        make_warm_start(preset, warm, 0, report)

    def one(seed: int) -> int:
        folder = RunFolder(out / f"seed-{seed}")
        if (folder.policy / "config.json").exists():
            return 0
        command = [sys.executable, "-m", "partbook", "train", "--preset", name]
        command += ["--seed", str(seed), "--out", str(folder.path), "--warm", str(warm)]
        command += [part for change in changes for part in ("--set", change)]
        if folder.metrics_file.exists():
            command.append("--resume")
        folder.path.mkdir(parents=True, exist_ok=True)
        with (folder.path / "log.txt").open("a", encoding="utf-8") as log:
            environment = {**os.environ, "OMP_NUM_THREADS": "1"}
            return subprocess.run(command, stdout=log, stderr=log, env=environment).returncode

    with ThreadPoolExecutor((os.cpu_count() or 1) + 1) as pool:
        for seed, status in zip(seeds, pool.map(one, seeds), strict=True):
            report(f"seed {seed}: {'done' if status == 0 else 'failed'}")
            if status:
                raise ConfigError(f"seed {seed} failed; see {out / f'seed-{seed}' / 'log.txt'}")


def comparison(
    out: Path, seeds: Sequence[int], preset: Preset, problems: int, report: Report
) -> list[Line]:
    """Let the warm start and every trained policy answer test problems, beside the baselines."""
    exam = Exam.of(exam_rows(preset, "test", problems, 0))
    folders = {"warm start": out / "warm-start"}
    folders |= {f"seed {seed}": RunFolder(out / f"seed-{seed}").policy for seed in seeds}
    examined = [
        (f"{system}, {way}", folder, draw)
        for system, folder in folders.items()
        for way, draw in (("greedy", None), ("sampled", 1))
    ]
    lines: list[Line] = []
    # Processes, and fresh ones: threads of one net wait for each other.
    with ProcessPoolExecutor(os.cpu_count() or 1, get_context("spawn")) as pool:
        found = [pool.submit(taken_by, folder, exam, preset, draw) for _, folder, draw in examined]
        for (system, _, _), figures in zip(examined, found, strict=True):
            lines.append(_line(system, figures.result()))
            report(f"{system}: {problems} test problems")
    rows = lab_table(problems, 0)
    alone = max((row for row in rows if row.system.endswith(" alone")), key=_accuracy)
    constant = max((row for row in rows if row.system.endswith(" checks")), key=_accuracy)
    known = [row for row in rows if row.system in _BASELINES]
    lines += [_baseline("best single worker", alone), _baseline("best constant plan", constant)]
    return [*lines, *(_baseline("", row, exam.best) for row in known)]


def _accuracy(row: Baseline) -> float:
    return row.accuracy


def _line(system: str, found: Figures) -> Line:
    return Line(
        system,
        found.accuracy,
        found.low,
        found.high,
        found.steps,
        found.valid,
        found.accuracy_given_valid,
        found.worker_bits,
        found.regret,
        found.plans,
        tuple(found.by_difficulty.values()),
    )


def _baseline(prefix: str, row: Baseline, best: Ceiling | None = None) -> Line:
    name = f"{prefix}: {row.system}" if prefix else row.system
    bits = best.worker_bits if best is not None and row.system == "optimum" else None
    return Line(
        name, row.accuracy, row.low, row.high, row.steps, worker_bits=bits,
        by_difficulty=row.by_difficulty,
    )  # fmt: skip


def table_text(lines: Sequence[Line]) -> str:
    """The table as Markdown."""
    head = (
        "| system | right | 95 % interval | given valid | valid | 1 | 2 | 3 | 4 | steps "
        "| bits | plans | regret |"
    )
    text = [head, "|---|" + "---|" * 12]
    for line in lines:
        levels = " | ".join(f"{share:.2f}" for share in line.by_difficulty)
        cells = [
            line.system,
            f"{line.accuracy:.3f}",
            f"{line.low:.3f} to {line.high:.3f}",
            _shown(line.given_valid),
            _shown(line.valid),
            levels,
            f"{line.steps:.2f}",
            _shown(line.worker_bits),
            "" if line.plans is None else str(line.plans),
            _shown(line.regret),
        ]
        text.append(f"| {' | '.join(cells)} |")
    return "\n".join(text) + "\n"


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
