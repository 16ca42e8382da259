"""Quality against money: one trained lab policy goes on with a price term of several weights.

`python bench/price_curve.py runs/out/tiny-seeds/seed-0/policy` trains 20 more steps for each
weight (about four minutes of one core each) and lets every policy answer 300 test problems, by the
likeliest tokens and sampled. A weight that is trained already is not trained again.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import torch

from partbook.train.environment import Outcome, lab_environment
from partbook.train.hush import hush
from partbook.train.measure import Figures, ceiling, figures
from partbook.train.policy import open_net, rollouts
from partbook.train.preset import load_preset
from partbook.train.row import lab_rows
from partbook.train.run import train

WHOLE_PRICE_USD = 0.0004
"""A rollout that costs this loses the whole weight; the mean one before costs about half of it."""


def trained(weight: float, warm: Path, out: Path, steps: int) -> Path:
    folder = out / f"weight-{weight:g}"
    if not (folder / "policy" / "config.json").exists():
        changes = [f"grpo.steps={steps}", "grpo.easy_steps=0", f"grpo.evaluate_every={steps}"]
        if weight:
            changes += [f"grpo.price_weight={weight}", f"grpo.price_usd={WHOLE_PRICE_USD}"]
        stopped = train(load_preset("tiny", changes), folder, 0, print, warm=warm)
        if stopped:
            raise SystemExit(f"weight {weight:g} was stopped: {stopped}")
    return folder / "policy"


def line(weight: str, how: str, found: Figures, outcomes: Sequence[Outcome]) -> str:
    """Accuracy with its interval, money, steps, spread of workers in bits, valid share, regret."""
    spent = [one.trace.cost_usd or 0 for one in outcomes if one.trace is not None]
    usd = 1000 * float(sum(spent)) / len(spent)
    return (
        f"| {weight} | {how} | {found.accuracy:.3f} | {found.low:.3f} to {found.high:.3f} "
        f"| {usd:.3f} | {found.steps:.2f} | {found.worker_bits:.2f} | {found.valid:.3f} "
        f"| {found.regret:.3f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("policy", type=Path)
    parser.add_argument("--weights", default="0,0.15,0.3,0.45")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--problems", type=int, default=300)
    parser.add_argument("--out", type=Path, default=Path("runs/out/price"))
    asked = parser.parse_args()
    torch.set_num_threads(1)
    hush()
    rows, environment = lab_rows(asked.problems, "test", 0), lab_environment()
    weights = [float(weight) for weight in asked.weights.split(",")]
    policies = {"before": asked.policy}
    policies |= {f"{w:g}": trained(w, asked.policy, asked.out, asked.steps) for w in weights}
    print("| weight | asked | right | 95 % | $ for 1000 | steps | worker bits | valid | regret |")
    print("|---|---|---|---|---|---|---|---|---|")
    best = ceiling(rows)
    for weight, folder in policies.items():
        net = open_net(str(folder))
        for how, seed in (("greedy", None), ("sampled", 1)):
            outcomes = rollouts(net, load_preset("tiny"), environment, rows, seed)
            print(line(weight, how, figures(rows, outcomes, best), outcomes), flush=True)


if __name__ == "__main__":
    main()
