"""Work: what the stages do. Every piece is plain data that another process can carry out."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from partbook.claims.answers import Answer, answer_of, write_answers
from partbook.errors import ConfigError
from partbook.lab.pool import GUESTS
from partbook.models.trained import Trained
from partbook.train.ablation import revision
from partbook.train.environment import Outcome, lab_environment
from partbook.train.grpo import newest_checkpoint
from partbook.train.hush import hush
from partbook.train.policy import Net, open_net, rollouts, save_net
from partbook.train.preset import Preset
from partbook.train.recursion import answered
from partbook.train.row import LAB_WORKERS, Row, lab_rows
from partbook.train.run import make_warm_start, train
from partbook.train.run_folder import RunFolder
from partbook.train.second_look import Looked, looked_again, stands
from partbook.train.warm_start import warm_start

__all__ = [
    "ANSWERS",
    "FOURS",
    "GUEST_POOL",
    "TEST",
    "Examine",
    "LookAgain",
    "Rivals",
    "Teach",
    "Train",
    "Warm",
]

ANSWERS = "answers.jsonl"

TEST, FOURS, GUEST_POOL = "all", "fours", "guests"
"""Whom a problem's workflow may call: all eight; four of them, drawn anew for each problem; or
workers that were never in training."""

_FOUR = 4


@dataclass(frozen=True, slots=True)
class Warm:
    """Makes a warm start."""

    preset: Preset

    def __call__(self, folder: Path) -> None:
        """Fill the folder."""
        with _Log(folder) as say:
            make_warm_start(self.preset, folder, 0, say)


@dataclass(frozen=True, slots=True)
class Train:
    """Trains by reward, from a policy that is there."""

    preset: Preset
    seed: int
    warm: Path

    def __call__(self, folder: Path) -> None:
        """Fill the folder, or go on from its newest checkpoint.

        Raises:
            ConfigError: the run was stopped before its end.
        """
        resume = newest_checkpoint(folder) is not None
        if not resume and RunFolder(folder).metrics_file.exists():
            shutil.rmtree(folder)  # it was cut short before its first checkpoint
            folder.mkdir()
        with _Log(folder) as say:
            stopped = train(self.preset, folder, self.seed, say, warm=self.warm, resume=resume)
        if stopped:
            raise ConfigError(f"the run was stopped: {stopped}; see {folder / 'log.txt'}")


@dataclass(frozen=True, slots=True)
class Teach:
    """Shows a trained policy how second rounds look."""

    preset: Preset
    seed: int
    policy: Path

    def __call__(self, folder: Path) -> None:
        """Fill the folder with the policy that has seen them."""
        preset = self.preset
        with _Log(folder) as say:
            net = open_net(str(self.policy))
            warm_start(
                net,
                preset,
                lab_environment(preset.grpo.timeout_s),
                self.seed,
                lambda step, loss: say(f"second rounds {step + 1}  loss {loss:.3f}"),
            )
            save_net(net, folder, Trained(preset.prompt_style, preset.max_completion))


@dataclass(frozen=True, slots=True)
class Examine:
    """Lets a policy answer test problems, the likeliest tokens each time."""

    preset: Preset
    policy: Path
    problems: int
    pools: tuple[str, ...] = (TEST,)

    def __call__(self, folder: Path) -> None:
        """Write the answers of every pool."""
        preset, net = self.preset, _opened(self.policy)
        revise = revision(preset.grpo.ablation)
        environment = lab_environment(preset.grpo.timeout_s, revise=revise)
        found = {}
        for pool in self.pools:
            rows = _rows(pool, self.problems)
            found[pool] = _kept(rows, rollouts(net, preset, environment, rows, None))
        write_answers(folder / ANSWERS, found)


@dataclass(frozen=True, slots=True)
class LookAgain:
    """Lets a policy answer test problems in two rounds, and once afresh."""

    preset: Preset
    policy: Path
    problems: int

    def __call__(self, folder: Path) -> None:
        """Write the answers of first, second and fresh rounds."""
        preset, net = self.preset, _opened(self.policy)
        rows = _rows(TEST, self.problems)
        looked = looked_again(net, preset, lab_environment(preset.grpo.timeout_s), rows, None)
        first, fresh = _kept(rows, looked.first), _kept(rows, looked.fresh)
        standing = [stands(one, two) for one, two in zip(looked.first, looked.second, strict=True)]
        both = _both_calls(rows, looked)
        after = [
            replace(one, calls=both[one.problem])
            for one in _kept(rows, standing)
            if one.problem in both
        ]
        write_answers(folder / ANSWERS, {"first": first, "second": after, "fresh": fresh})
        kept = sum(outcome.kept for outcome in looked.second) / len(rows)
        (folder / "kept.json").write_text(json.dumps({"kept": kept}) + "\n", encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Rivals:
    """Lets the systems of `partbook evaluate` answer test problems."""

    systems: str
    problems: int
    learn: int

    def __call__(self, folder: Path) -> None:
        """Fill the folder, or go on with what it holds.

        Raises:
            ConfigError: the evaluation failed.
        """
        command = [sys.executable, "-m", "partbook", "evaluate", "lab", "--systems", self.systems]
        command += ["--limit", str(self.problems), "--learn", str(self.learn)]
        with (folder / "log.txt").open("a", encoding="utf-8") as log:
            done = subprocess.run(
                [*command, "--out", str(folder)],
                stdout=log,
                stderr=log,
                env={**os.environ, "OMP_NUM_THREADS": "1"},
            )
        if done.returncode:
            raise ConfigError(f"`partbook evaluate` failed; see {folder / 'log.txt'}")


def _settle() -> None:
    """One thread for this process, and quiet libraries: what they print would stand in ours."""
    torch.set_num_threads(1)
    hush()


def _opened(policy: Path) -> Net:
    _settle()
    return open_net(str(policy))


def _rows(pool: str, problems: int) -> list[Row]:
    workers = tuple(guest.name for guest in GUESTS) if pool == GUEST_POOL else LAB_WORKERS
    return lab_rows(problems, "test", 0, workers=workers, subset=_FOUR if pool == FOURS else 0)


def _kept(rows: Sequence[Row], outcomes: Sequence[Outcome]) -> list[Answer]:
    found = (answer_of(row, outcome) for row, outcome in zip(rows, outcomes, strict=True))
    return [answer for answer in found if answer is not None]


def _both_calls(rows: Sequence[Row], looked: Looked) -> dict[str, int]:
    """Calls of both rounds by problem, whoever's answer stands."""
    first = {one.problem: one.calls for one in _kept(rows, looked.first)}
    # The trace of a second round holds the first, unless that brought nothing to look at.
    began = {
        row.problem: 0 if answered(outcome) else first.get(row.problem, 0)
        for row, outcome in zip(rows, looked.first, strict=True)
    }
    return {one.problem: one.calls + began[one.problem] for one in _kept(rows, looked.second)}


class _Log:
    """Keeps lines in a folder's log."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "log.txt"

    def __enter__(self) -> Callable[[str], None]:
        _settle()
        self._file = self._path.open("a", encoding="utf-8")
        return lambda line: print(line, file=self._file, flush=True)

    def __exit__(self, *_: object) -> None:
        self._file.close()
