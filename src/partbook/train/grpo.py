"""GRPO by TRL: a thin adapter with nothing of a Conductor in it.

Three things are added to `GRPOTrainer`. A group that lost a member is dropped as a whole (ADR
0005). A step without any reward moves nothing, not even by momentum (`alarm.py`). And a checkpoint
that cannot be written leaves nothing of itself behind, so that the one before it stays the newest.
"""

import json
import logging
import os
import shutil
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from peft import LoraConfig
from safetensors import SafetensorError
from transformers import PrinterCallback
from trl.trainer.grpo_trainer import GRPOTrainer

from partbook.errors import StoreError
from partbook.reward import RIGHT, UNPARSED, without_lost_groups
from partbook.train.alarm import Alarm, OnSaved, OnStep
from partbook.train.estimate import needs_of
from partbook.train.fit import check_room
from partbook.train.options import check_batch, trainer_config
from partbook.train.policy import Net, prompt_text
from partbook.train.preset import Preset
from partbook.train.recursion import PairedRollouts
from partbook.train.row import Row
from partbook.train.scoring import Scoring

__all__ = ["Alarm", "ConductorTrainer", "build_trainer", "newest_checkpoint", "trainer_config"]

log = logging.getLogger(__name__)


class ConductorTrainer(GRPOTrainer):
    """A GRPOTrainer that drops whole groups."""

    lost = 0.0
    """Share of the newest step's rollouts without a reward, over all processes."""
    valid = 1.0
    """Share of valid workflows among the others."""
    all_dropped = False
    """Whether no group of the newest step is left."""
    checkpoint_bytes = 0.0
    """What a checkpoint takes on the disk."""

    def _calculate_rewards(
        self, inputs: Any, prompts: Any, completions: Any, completion_ids_list: Any
    ) -> torch.Tensor:
        rewards: torch.Tensor = super()._calculate_rewards(
            inputs, prompts, completions, completion_ids_list
        )
        # They are gathered from all processes here, so groups are whole.
        # A reward function of somebody's own may return anything: only 0 to 1 is a reward.
        found = [value if UNPARSED <= value <= RIGHT else None for value in rewards[:, 0].tolist()]
        kept = without_lost_groups(found, self.num_generations or 1)
        scored = [value for value in found if value is not None]
        self.lost = 1 - len(scored) / len(found)
        self.valid = sum(value > UNPARSED for value in scored) / max(1, len(scored))
        self.all_dropped = all(value is None for value in kept)
        dropped = [value is None for value in kept]
        if any(dropped):
            log.warning("%d of %d rollouts are dropped with their groups", sum(dropped), len(kept))
        rewards[torch.tensor(dropped, device=rewards.device)] = torch.nan
        return rewards

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        folder = Path(str(self.args.output_dir))
        begun = folder / f"checkpoint-{self.state.global_step}"
        check_room(folder, self.checkpoint_bytes)
        try:
            super()._save_checkpoint(model, trial)  # type: ignore[no-untyped-call]
        # torch says RuntimeError where a disk is full.
        except (OSError, RuntimeError, SafetensorError) as err:
            shutil.rmtree(begun, ignore_errors=True)
            kept = newest_checkpoint(folder)
            left = f"{kept} is whole" if kept else "there is none before it"
            raise StoreError(
                f"cannot write {begun}: {err}; {left}: make room, then go on by --resume"
            ) from err


def build_trainer(
    preset: Preset,
    net: Net,
    rows: list[Row],
    scoring: Scoring,
    folder: Path,
    seed: int,
    on_step: OnStep,
    on_saved: OnSaved | None = None,
) -> tuple[ConductorTrainer, Alarm]:
    """Put a trainer together.

    Args:
        preset: the run.
        net: the policy, warm.
        rows: prompts, each used once where there are `steps * problems` of them.
        scoring: the reward function.
        folder: where checkpoints go.
        seed: of the order of the rows and of all draws.
        on_step: receives the metrics of every step.
        on_saved: receives the step of every checkpoint.
    """
    style, environment, before = preset.prompt_style, scoring.environment, scoring.before
    texts = [
        prompt_text(net.tokenizer, style, row, environment, before.get(row.parent)) for row in rows
    ]
    rewarding: Scoring | PairedRollouts = scoring
    if preset.grpo.recursion == "paired":
        known = {text: row for text, row in zip(texts, rows, strict=True) if row.round == 0}
        rewarding = PairedRollouts(environment, preset, net.tokenizer, known, scoring.keeper)
        os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")  # for the rollout function
    data = Dataset.from_dict({"prompt": texts, "row": [row.to_json() for row in rows]})
    config = trainer_config(preset, folder, seed)
    check_batch(preset, config)
    alarm = Alarm(preset.grpo, on_step, net.model, on_saved)
    rank = preset.policy.lora_rank
    trainer = ConductorTrainer(
        model=net.model,
        reward_funcs=[rewarding],  # type: ignore[list-item] # TRL's hints know no coroutines
        rollout_func=rewarding.rollouts if isinstance(rewarding, PairedRollouts) else None,
        args=config,
        train_dataset=data,
        processing_class=net.tokenizer,
        callbacks=[alarm],
        peft_config=LoraConfig(r=rank, lora_alpha=2 * rank, target_modules="all-linear")
        if rank
        else None,
    )
    alarm.trainer = trainer
    trainer.checkpoint_bytes = needs_of(preset).checkpoint_bytes
    trainer.remove_callback(PrinterCallback)  # the run says what it does itself
    return trainer, alarm


def newest_checkpoint(folder: Path) -> Path | None:
    """The newest checkpoint that was written to its end; None where there is none.

    The trainer's state is the last thing that is written: a run that was killed in the middle of
    a checkpoint leaves one without it.
    """
    found: dict[int, Path] = {}
    for path in folder.glob("checkpoint-*"):
        try:
            json.loads((path / "trainer_state.json").read_text(encoding="utf-8"))
            found[int(path.name.partition("-")[2])] = path
        except (OSError, ValueError):
            continue
    return found[max(found)] if found else None
