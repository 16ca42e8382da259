"""Stages: pieces of work with a folder each, done several at a time and never twice.

A stage is finished once its folder has the mark; one that was cut short is done again, and goes on
where its work can go on. Each runs in a process of its own with one thread: nets this small gain
nothing from a second one.
"""

import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from time import monotonic
from traceback import format_exc

from partbook.errors import ConfigError

__all__ = ["MARK", "TROUBLE", "Stage", "left", "run_stages"]

MARK = "finished"
"""The file that says that a stage's folder is whole."""

TROUBLE = "trouble.txt"
"""Why a stage failed."""

Work = Callable[[Path], None]
"""Fills a folder; can be sent to another process."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One piece of work."""

    name: str
    folder: Path
    work: Work
    needs: tuple[str, ...] = ()
    """Names of the stages before it."""
    minutes: float = 0.0
    """Of one core, roughly, at the full size."""

    @property
    def is_finished(self) -> bool:
        """Whether its folder has the mark."""
        return (self.folder / MARK).exists()


def left(stages: Sequence[Stage]) -> list[Stage]:
    """Those that are not finished."""
    return [stage for stage in stages if not stage.is_finished]


def run_stages(stages: Sequence[Stage], report: Callable[[str], None], processes: int) -> None:
    """Do what is not finished, each stage after those that it needs.

    Args:
        stages: each after the stages that it needs.
        report: receives lines for a person.
        processes: how many at a time; 0: in this process, one after another.

    Raises:
        ConfigError: a stage failed; those that were under way are ended, and go on next time.
    """
    waiting = left(stages)
    if processes == 0:
        for stage in waiting:
            report(f"{stage.name}: begun")
            _carry_out(stage)
        return
    os.environ["OMP_NUM_THREADS"] = "1"  # processes that are started from here on inherit it
    finished = {stage.name for stage in stages if stage.is_finished}
    running: dict[str, tuple[Stage, SpawnProcess, float]] = {}
    while waiting or running:
        for stage in _ready(waiting, finished)[: processes - len(running)]:
            waiting.remove(stage)
            report(f"{stage.name}: begun, {len(waiting)} stages wait")
            process = get_context("spawn").Process(
                target=_carry_out_here, args=(stage,), daemon=True
            )
            process.start()
            running[stage.name] = (stage, process, monotonic())
        wait([process.sentinel for _, process, _ in running.values()])
        for stage, process, since in list(running.values()):
            if process.is_alive():
                continue
            del running[stage.name]
            if not stage.is_finished:
                _give_up([one for _, one, _ in running.values()])
                raise ConfigError(f"{stage.name} failed: {_trouble(stage, process)}")
            finished.add(stage.name)
            report(f"{stage.name}: finished in {(monotonic() - since) / 60:.1f} min")


def _trouble(stage: Stage, process: SpawnProcess) -> str:
    """Where it says why; a process that was killed could write nothing."""
    path = stage.folder / TROUBLE
    if path.exists():
        return f"see {path}"
    code = process.exitcode or 0
    how = f"was killed by signal {-code}" if code < 0 else f"ended with status {code}"
    return f"its process {how}; the same command goes on"


def _give_up(processes: Sequence[SpawnProcess]) -> None:
    """End the other stages: what they have kept, the next run goes on from."""
    for process in processes:
        process.terminate()
    for process in processes:
        process.join()


def _ready(waiting: Sequence[Stage], finished: set[str]) -> list[Stage]:
    return [stage for stage in waiting if finished.issuperset(stage.needs)]


def _carry_out_here(stage: Stage) -> None:
    """In a process of its own, which takes what it has started with it when it is ended."""
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    _carry_out(stage)


def _carry_out(stage: Stage) -> None:
    stage.folder.mkdir(parents=True, exist_ok=True)
    (stage.folder / TROUBLE).unlink(missing_ok=True)  # that of an earlier try
    try:
        stage.work(stage.folder)
    except Exception:
        (stage.folder / TROUBLE).write_text(format_exc(), encoding="utf-8")
        raise
    (stage.folder / MARK).touch()
