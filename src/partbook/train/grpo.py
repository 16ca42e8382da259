"""GRPO by TRL: a thin adapter with nothing of a Conductor in it.

Four things are added to `GRPOTrainer`. A group that lost a member is dropped as a whole (ADR
0005). A step without any reward moves nothing, not even by momentum (`alarm.py`). A checkpoint
that cannot be written leaves nothing of itself behind, so that the one before it stays the newest.
And a step can learn from groups that were written before it (`overlap.py`).
"""

import json
import logging
import os
import shutil
import time
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from peft import LoraConfig
from safetensors import SafetensorError
from transformers import PrinterCallback
from trl.models.utils import disable_gradient_checkpointing
from trl.trainer.grpo_trainer import GRPOTrainer
from trl.trainer.utils import pad

from partbook.errors import StoreError
from partbook.reward import RIGHT, UNPARSED, without_lost_groups
from partbook.train.alarm import Alarm, OnSaved, OnStep
from partbook.train.fit import check_room
from partbook.train.needs import needs_of
from partbook.train.options import check_batch, processes, rank, trainer_config
from partbook.train.overlap import Overlap, Prompt
from partbook.train.policy import Net, prompt_text
from partbook.train.preset import Preset
from partbook.train.recursion import PairedRollouts
from partbook.train.row import Row
from partbook.train.scoring import Scoring

__all__ = ["ConductorTrainer", "build_trainer", "newest_checkpoint"]

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
    waits: Scoring | PairedRollouts | Overlap | None = None
    """Counts the seconds in which the policy waits for workers."""
    overlap: Overlap | None = None
    """Keeps groups in flight; None: a step learns from what it has written."""
    _marked: tuple[float, float] | None = None
    """The time, and the seconds waited, when the newest step began."""

    def _generate_and_score_completions(self, inputs: Any) -> Any:
        if self._marked is None:
            self._mark()
        if self.overlap is None:
            return super()._generate_and_score_completions(inputs)
        asked = self.overlap.begin(self.state.global_step, self)
        # What TRL drew for this step is not asked: the run's order is the queue's to keep.
        output = super()._generate_and_score_completions(
            [{"prompt": one.text, "row": one.row.to_json()} for one in asked]
        )
        if not (self.use_vllm and self.vllm_importance_sampling_correction):
            # Else TRL weighs by the ratio to vLLM's own probabilities, which are these.
            output["old_per_token_logps"] = output["sampling_per_token_logps"]
        return output

    def write(self, prompts: list[list[int]]) -> tuple[list[list[int]], list[list[float]] | None]:
        """As `overlap.Writer.write`."""
        size = self.num_generations
        found: tuple[list[list[int]], list[list[float]] | None] = self._generate_single_turn(  # type: ignore[no-untyped-call]
            prompts, None, {}, size
        )
        return found

    def read(self, completions: list[list[int]]) -> list[str]:
        """As `overlap.Writer.read`."""
        texts: list[str] = self._tokenizer.batch_decode(completions, skip_special_tokens=True)
        return texts

    def weigh(self, prompts: list[list[int]], completions: list[list[int]]) -> list[list[float]]:
        """As `overlap.Writer.weigh`."""
        sides = ((prompts, "left"), (completions, "right"))
        (asked, asked_mask), (written, written_mask) = (
            self._padded(tokens, side) for tokens, side in sides
        )
        model: Any = self.model
        how: Any = self.args.gradient_checkpointing_kwargs
        with torch.no_grad(), disable_gradient_checkpointing(model, how):
            logps, _, _ = self._get_per_token_logps_and_entropies(
                self.model,
                torch.cat([asked, written], dim=1),
                torch.cat([asked_mask, written_mask], dim=1),
                written.size(1),
                batch_size=self.args.per_device_train_batch_size,
            )
        rows = zip(logps.tolist(), completions, strict=True)
        return [found[: len(tokens)] for found, tokens in rows]

    def _padded(self, tokens: list[list[int]], side: str) -> tuple[torch.Tensor, torch.Tensor]:
        found = [torch.tensor(one) for one in tokens]
        usual: dict[str, Any] = {
            "padding_side": side,
            "pad_to_multiple_of": self.pad_to_multiple_of,
        }
        ids = pad(found, padding_value=self._tokenizer.pad_token_id, **usual)
        mask = pad([torch.ones_like(one) for one in found], padding_value=0, **usual)
        return ids.to(self.accelerator.device), mask.to(self.accelerator.device)

    def _mark(self) -> None:
        self._marked = (time.monotonic(), self.waits.waited_s if self.waits else 0.0)

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """As TRL's, with the share of the step's time in which the policy waited for workers."""
        if self._marked is not None and self.waits is not None and "loss" in logs:
            began, before = self._marked
            spent = time.monotonic() - began
            logs["waited"] = min(1.0, (self.waits.waited_s - before) / spent) if spent else 0.0
        super().log(logs, start_time)
        self._mark()  # what is done in between, such as an evaluation, is no part of a step

    def _load_optimizer_and_scheduler(self, checkpoint: Any) -> None:
        super()._load_optimizer_and_scheduler(checkpoint)  # type: ignore[no-untyped-call]
        if self.overlap is not None and checkpoint is not None:
            self.overlap.load(Path(str(checkpoint)))

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
            if self.overlap is not None:
                self.overlap.save(begun)
                # What says that a checkpoint is whole is written last, by the first process.
                self.accelerator.wait_for_everyone()
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
    rewarding = _rewarding(preset, net, rows, texts, scoring)
    if not isinstance(rewarding, Scoring):
        os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")  # for the rollout function
    data = Dataset.from_dict({"prompt": texts, "row": [row.to_json() for row in rows]})
    config = trainer_config(preset, folder, seed)
    check_batch(preset, config)
    alarm = Alarm(preset.grpo, on_step, net.model, on_saved)
    lora = preset.policy.lora_rank
    trainer = ConductorTrainer(
        model=net.model,
        reward_funcs=[rewarding],  # type: ignore[list-item] # TRL's hints know no coroutines
        rollout_func=None if isinstance(rewarding, Scoring) else rewarding.rollouts,
        args=config,
        train_dataset=data,
        processing_class=net.tokenizer,
        callbacks=[alarm],
        peft_config=LoraConfig(r=lora, lora_alpha=2 * lora, target_modules="all-linear")
        if lora
        else None,
    )
    alarm.trainer = trainer
    trainer.waits = rewarding
    trainer.overlap = rewarding if isinstance(rewarding, Overlap) else None
    trainer.checkpoint_bytes = needs_of(preset).checkpoint_bytes
    trainer.remove_callback(PrinterCallback)  # the run says what it does itself
    return trainer, alarm


def _rewarding(
    preset: Preset, net: Net, rows: list[Row], texts: list[str], scoring: Scoring
) -> Scoring | PairedRollouts | Overlap:
    """Who plays and scores, as the preset wants it."""
    if preset.grpo.recursion == "paired":
        known = {text: row for text, row in zip(texts, rows, strict=True) if row.round == 0}
        return PairedRollouts(scoring.environment, preset, net.tokenizer, known, scoring.keeper)
    if not preset.grpo.overlap:
        return scoring
    asked = [
        Prompt(row, text, tuple(net.tokenizer(text)["input_ids"]))
        for row, text in zip(rows, texts, strict=True)
    ]
    return Overlap(scoring, preset.grpo, asked, rank(), processes())


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
