"""Started twice by a test, as two ranks of one run: trains two steps and says what it saw."""

import json
import os
import sys
from pathlib import Path

import torch

from partbook.train.environment import lab_environment
from partbook.train.grpo import build_trainer
from partbook.train.policy import new_net
from partbook.train.preset import load_preset
from partbook.train.row import Row, lab_rows
from partbook.train.scoring import Scoring


class ByRank(Scoring):
    """Loses one rollout of rank 1 in the first step, so that a group of rank 0 may be hit."""

    def __init__(self):
        super().__init__(lab_environment())
        self.seen = []

    async def __call__(self, completions, row, log_metric=None, **others):
        self.seen.append([Row.from_json(text).problem for text in row])
        rewards = [1.0 if text[:1] < "k" else 0.5 for text in completions]
        if len(self.seen) == 1 and os.environ["RANK"] == "1":
            rewards[0] = None
        return rewards


def main(folder: Path) -> None:
    torch.set_num_threads(1)
    changes = ["policy.hidden=32", "policy.inner=32", "grpo.steps=2", "grpo.problems=3"]
    changes += ["grpo.rollouts=4", "max_completion=6", "trainer.save_steps=2"]
    changes.append("trainer.gradient_accumulation_steps=1")
    preset = load_preset("tiny", [*changes, "grpo.stop_below_valid=0"])
    scoring, rows = ByRank(), lab_rows(6)
    net = new_net(preset.policy, 0)
    trainer, _ = build_trainer(preset, net, rows, scoring, folder, 0, lambda step, logs: None)
    trainer.train()
    weights = sum(weight.double().sum().item() for weight in net.model.parameters())
    seen = {"seen": scoring.seen, "lost": trainer.lost, "weights": weights}
    (folder / f"rank-{os.environ['RANK']}.json").write_text(json.dumps(seen))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
