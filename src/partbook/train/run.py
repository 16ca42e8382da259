"""A training run from its preset to its directory: warm start, GRPO, evaluations."""

import logging
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

from partbook.errors import ConfigError
from partbook.models.trained import Trained, write_trained
from partbook.store import Store, default_url
from partbook.train.course import Course, opened_course
from partbook.train.environment import lab_environment
from partbook.train.exam import Examination
from partbook.train.fit import available_bytes, check_disk, check_memory
from partbook.train.grpo import ConductorTrainer, build_trainer, newest_checkpoint
from partbook.train.options import check_batch, processes, rank, trainer_config
from partbook.train.playing_loop import OpenPool
from partbook.train.policy import Net, new_net, open_net, save_net
from partbook.train.preset import Preset
from partbook.train.progress import Progress, duration
from partbook.train.recursion import frozen_first_rounds, in_pairs
from partbook.train.run_folder import RunFolder
from partbook.train.same_run import check_checkpoint, check_resumed, check_warm
from partbook.train.scoring import Keeper, Scoring
from partbook.train.spreading import Nodes
from partbook.train.warm_start import warm_start
from partbook.train.watch import Watch

__all__ = ["Report", "check_machine", "check_start", "make_warm_start", "train"]

log = logging.getLogger(__name__)

Report = Callable[[str], None]
"""Receives a line for a person."""


def make_warm_start(preset: Preset, folder: Path, seed: int, report: Report) -> None:
    """Train a new policy on demonstrations and write it to a folder."""
    net = new_net(preset.policy, seed)
    report(f"policy with {net.parameters / 1e6:.2f} million weights")
    steps = preset.warm_start.steps
    progress = Progress(steps, 0)

    def on_loss(step: int, loss: float) -> None:
        report(f"warm start {step + 1}/{steps}  loss {loss:.3f}  {duration(progress.seconds)}")

    warm_start(net, preset, lab_environment(preset.grpo.timeout_s), seed, on_loss)
    save_net(net, folder, Trained(preset.prompt_style, preset.max_completion))


def check_machine(preset: Preset, out: Path) -> None:
    """Refuse a run that does not fit on this machine.

    Raises:
        ConfigError: there is too little memory or disk; both are said in numbers.
    """
    available = available_bytes()
    here = int(os.environ.get("LOCAL_WORLD_SIZE", "1"))
    on_gpu = torch.cuda.is_available()
    if available is not None and on_gpu:
        devices = range(torch.cuda.device_count())
        available += sum(torch.cuda.mem_get_info(device)[0] for device in devices)
    check_memory(preset, available, here, shared=on_gpu)
    check_disk(preset, out)


def check_start(
    preset: Preset, out: Path, seed: int, *, warm: Path | None = None, resume: bool = False
) -> None:
    """Refuse what can be refused without asking a worker, so that it costs nothing.

    Args:
        preset: the run.
        out: its directory.
        seed: of the rows and of all draws.
        warm: a folder with a warm policy; None: the run makes its own.
        resume: whether it goes on from a checkpoint in `out`.

    Raises:
        ConfigError: as `train`.
    """
    if resume:
        _checkpoint(RunFolder(out), preset, seed)
    else:
        RunFolder(out).check_new()
    check_machine(preset, out)
    check_batch(preset, trainer_config(preset, out, seed))
    start = warm or out / "warm-start"
    if (start / "config.json").exists():
        check_warm(start, preset)


def train(
    preset: Preset,
    out: Path,
    seed: int,
    report: Report,
    *,
    warm: Path | None = None,
    resume: bool = False,
    open_pool: OpenPool | None = None,
    nodes: Nodes | None = None,
) -> str:
    """Run a preset.

    Args:
        preset: the run.
        out: its directory.
        seed: of the rows and of all draws.
        report: receives lines for a person.
        warm: a folder with a warm policy; None: the preset's own warm start is made first.
        resume: go on from the newest checkpoint in `out`.
        open_pool: opens the pool that the preset names; a run in the lab needs none.
        nodes: where rollouts are played; None: in this process.

    Returns:
        Why the run was stopped before its end; empty where it was not.

    Raises:
        ConfigError: the directory holds a run, there is nothing to resume or it is of another
            run, the machine is too small, or the problems or workers cannot be had.
        StoreError: a checkpoint could not be written; those before it are whole.
    """
    folder = RunFolder(out)
    is_first = rank() == 0
    checkpoint = _checkpoint(folder, preset, seed) if resume else None
    if is_first:
        check_start(preset, out, seed, warm=warm, resume=resume)
    with (
        opened_course(preset, seed, open_pool, examined=is_first, nodes=nodes) as course,
        _opened_keeper(preset, folder) as keeper,
    ):
        if is_first and not resume:
            folder.begin(preset.to_dict(), seed)
        net = _warm_net(preset, warm or out / "warm-start", seed, report, given=warm is not None)
        if checkpoint is not None:
            check_checkpoint(checkpoint, net, preset.policy.lora_rank)
            if is_first:
                _rewind(folder, checkpoint)
        for note in course.notes if is_first else ():
            report(f"note: {note}")
        scoring = Scoring(course.environment, keeper, preset.grpo.equal_rewards)
        return _train(preset, course, scoring, net, folder, checkpoint, seed, report)


@contextmanager
def _opened_keeper(preset: Preset, folder: RunFolder) -> Iterator[Keeper | None]:
    share = preset.grpo.keep_traces
    if not share:
        yield None
        return
    with Store.open(default_url()) as store:
        yield Keeper(store, f"train {folder.path.name}", share)


def _train(
    preset: Preset,
    course: Course,
    scoring: Scoring,
    net: Net,
    folder: RunFolder,
    checkpoint: Path | None,
    seed: int,
    report: Report,
) -> str:
    grpo, exam, rows = preset.grpo, course.exam, course.rows
    if grpo.recursion == "paired":
        rows = in_pairs(rows[: len(rows) // 2])
    elif grpo.recursion == "frozen":
        report(f"first rounds of {len(rows)} problems")
        rows, scoring.before = frozen_first_rounds(net, preset, course.environment, rows, seed)
    before = folder.metrics("step") if checkpoint else []
    progress = Progress(grpo.steps, grpo.problems * grpo.rollouts, before)
    watch = Watch(grpo)

    def on_step(step: int, logs: dict[str, float]) -> None:
        folder.add("step", step, {"seconds": round(progress.seconds, 1), **logs})
        report(progress.line(step, logs))
        for warning in watch.look(logs):
            report(f"  warning: {warning}")
        if exam is not None and step % grpo.evaluate_every == 0:
            _evaluate(exam, net, preset, scoring, folder, step, report)

    def on_saved(step: int) -> None:
        report(f"  checkpoint at step {step}")

    trainer, alarm = build_trainer(preset, net, rows, scoring, folder.path, seed, on_step, on_saved)
    if exam is not None and _is_split(trainer):
        raise ConfigError(
            "each process holds a part of the weights, so the policy cannot be evaluated on the "
            "way; say --set grpo.evaluate_every=0"
        )
    if exam is not None and checkpoint is None:
        _evaluate(exam, net, preset, scoring, folder, 0, report)
    try:
        trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    finally:
        if trainer.overlap is not None:
            trainer.overlap.close()
    _finish(trainer, net, folder, Trained(preset.prompt_style, preset.max_completion))
    return alarm.stopped


def _warm_net(preset: Preset, start: Path, seed: int, report: Report, given: bool) -> Net:
    """The policy with which GRPO begins."""
    if preset.policy.model and not preset.warm_start.steps and not given:
        return open_net(preset.policy.model)
    if not (start / "config.json").exists():
        if processes() > 1:
            raise ConfigError(f"several processes need a warm policy; there is none in {start}")
        make_warm_start(preset, start, seed, report)
    check_warm(start, preset)
    return open_net(str(start))


def _checkpoint(folder: RunFolder, preset: Preset, seed: int) -> Path:
    """The checkpoint to go on from."""
    checkpoint = newest_checkpoint(folder.path)
    if checkpoint is None:
        raise ConfigError(f"nothing to resume: {folder.path} holds no checkpoint")
    check_resumed(folder, preset, seed)
    return checkpoint


def _rewind(folder: RunFolder, checkpoint: Path) -> None:
    """Forget what came after a checkpoint: metrics, and a checkpoint that was not finished."""
    step = int(checkpoint.name.partition("-")[2])
    folder.rewind(step)
    for path in folder.path.glob("checkpoint-*"):
        number = path.name.partition("-")[2]
        if number.isdigit() and int(number) > step:
            shutil.rmtree(path)


def _evaluate(
    exam: Examination,
    net: Net,
    preset: Preset,
    scoring: Scoring,
    folder: RunFolder,
    step: int,
    report: Report,
) -> None:
    shown = ("accuracy", "valid", "accuracy_given_valid", "faithful", "steps", "worker_bits")
    for kind, seed in (("greedy", None), ("sampled", 1)):
        found = exam.marks(net, preset, scoring.environment, seed)
        folder.add(kind, step, found)
        parts = (f"{key.replace('_', ' ')} {found[key]:.3f}" for key in shown if key in found)
        regret = f", regret {found['regret']:.3f}" if "regret" in found else ""
        report(f"  {kind} at step {step}: {', '.join(parts)}{regret}")


def _finish(trainer: ConductorTrainer, net: Net, folder: RunFolder, trained: Trained) -> None:
    if _is_split(trainer):
        # All processes write.
        trainer.save_model(str(folder.policy))
        if trainer.is_world_process_zero():
            net.tokenizer.save_pretrained(folder.policy)
            write_trained(trained, folder.policy)
    elif trainer.is_world_process_zero():
        model = trainer.accelerator.unwrap_model(trainer.model)
        save_net(Net(model, net.tokenizer), folder.policy, trained)


def _is_split(trainer: ConductorTrainer) -> bool:
    """Whether every process holds only a part of the weights."""
    return bool(trainer.is_fsdp_enabled or trainer.is_deepspeed_enabled)
