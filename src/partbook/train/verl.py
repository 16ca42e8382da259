"""verl, for runs on several machines: its data, its command, and the score of one rollout.

verl is not imported here: it pins other versions of the libraries, so it lives in an environment of
its own, and what it calls is a plain function of text (`partbook.cli.verl_reward.compute_score`).

A rollout without a verdict has no reward, but verl wants a number from every rollout, one by one,
and any finite number would teach something that did not happen: 0 to avoid a worker that was down,
0.5 or a mean to prefer it. So the score is NaN, the one float that cannot pass for a reward. With
the estimator that `verl_plugin` registers, the whole group of the rollout is dropped, as in ADR
0005. Without it, GRPO's mean of the group is NaN, so is the norm of the gradient, and verl skips
the update with a warning: something is lost then, but nothing wrong is learned.
"""

import json
from collections.abc import Mapping, Sequence
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING

from partbook.errors import ConfigError
from partbook.prompt import conductor_messages
from partbook.train.environment import Environment, Outcome
from partbook.train.preset import Preset, load_preset
from partbook.train.row import Row
from partbook.workflow import MAX_STEPS

if TYPE_CHECKING:
    import torch

__all__ = [
    "ESTIMATOR",
    "advantages_of_whole_groups",
    "read_verl_run",
    "score_rollout",
    "verl_rows",
    "write_verl_data",
]

ESTIMATOR = "partbook_grpo"
"""Name under which verl knows our estimator of advantages."""

_RUN = "partbook.json"


async def score_rollout(
    environment: Environment, text: str, extra_info: Mapping[str, object]
) -> dict[str, float]:
    """Play and judge one completion.

    Args:
        environment: of the run.
        text: what the policy wrote.
        extra_info: of the data row; its `row` is the row as JSON.

    Returns:
        `score`: 0, 0.5, 1, or NaN for a rollout without a verdict; and `acc`, `valid`, `lost`,
        `steps`, `calls`. The keys are always the same: verl takes those of the first rollout for
        all.

    Raises:
        ConfigError: the data is not that of `write_verl_data`.
    """
    row = extra_info.get("row")
    if not isinstance(row, str):
        raise ConfigError("the data row has no `row` in its extra_info: it is not of train verl")
    (outcome,) = await environment.score([Row.from_json(row)], [text])
    return _score(outcome)


def _score(outcome: Outcome) -> dict[str, float]:
    workflow, trace = outcome.workflow, outcome.trace
    played = [] if trace is None else [step for one in trace.rounds for step in one.steps]
    return {
        "score": nan if outcome.reward is None else outcome.reward,
        "acc": float(outcome.verdict == "right"),
        "valid": float(outcome.valid),
        "lost": float(outcome.reward is None),
        "steps": float(len(workflow.steps) if workflow is not None else 0),
        "calls": float(sum(step.calls for step in played)),
    }


def advantages_of_whole_groups(
    token_level_rewards: "torch.Tensor",
    response_mask: "torch.Tensor",
    index: Sequence[object],
    epsilon: float = 1e-6,
    **others: object,
) -> "tuple[torch.Tensor, torch.Tensor]":
    """GRPO's advantages (arXiv:2402.03300), where a group that has lost a member has none.

    Args:
        token_level_rewards: shape (rollouts, tokens), a rollout's reward on one of its tokens; NaN
            for a rollout without a verdict.
        response_mask: shape (rollouts, tokens), 1 for tokens of a completion.
        index: what names the group of each rollout.
        epsilon: keeps a group without spread from a division by 0.
        others: what verl passes besides.

    Returns:
        Advantages and returns, which are the same: shape (rollouts, tokens), finite everywhere.
    """
    scores = token_level_rewards.sum(dim=-1)
    groups: dict[object, list[int]] = {}
    for i, name in enumerate(index):
        groups.setdefault(name, []).append(i)
    advantages = scores.new_zeros(scores.shape)
    for members in groups.values():
        found = scores[members]
        if len(members) > 1 and not found.isnan().any():
            advantages[members] = (found - found.mean()) / (found.std() + epsilon)
    spread = advantages.unsqueeze(-1) * response_mask
    return spread, spread


def verl_rows(
    rows: Sequence[Row], preset: Preset, environment: Environment, folder: Path
) -> list[dict[str, object]]:
    """The rows of a run in verl's columns.

    Args:
        rows: in the order in which they are to be used.
        preset: says how the policy is asked.
        environment: knows the pool of a row.
        folder: where the data will lie; every machine must see it there.

    Raises:
        ConfigError: the preset asks without a chat, which verl does not do.
    """
    if preset.prompt_style == "bare":
        raise ConfigError(f"preset {preset.name}: verl asks in chats; prompt_style must be paper")
    found: list[dict[str, object]] = []
    for i, row in enumerate(rows):
        pool, style = environment.pool_of(row), preset.prompt_style
        turns = conductor_messages(row.question, pool, MAX_STEPS, style=style)
        found.append(
            {
                "data_source": "partbook",
                "prompt": [{"role": turn.role, "content": turn.text} for turn in turns],
                "ability": row.problem.partition("/")[0],
                "reward_model": {"style": "rule", "ground_truth": row.problem},
                "extra_info": {"index": i, "row": row.to_json(), "run": str(folder.resolve())},
            }
        )
    return found


def write_verl_data(
    name: str,
    changes: Sequence[str],
    rows: Sequence[Row],
    environment: Environment,
    seed: int,
    folder: Path,
) -> None:
    """Write `train.parquet` and what the scoring processes need to know.

    Args:
        name: of the preset.
        changes: as `load_preset` takes them.
        rows: of the run, in order.
        environment: knows the pool of a row.
        seed: of the rows.
        folder: made where it is missing.

    Raises:
        ConfigError: the preset cannot be used with verl, or nothing can be written there.
    """
    # Imported here: the scoring processes of verl read no data.
    from datasets import Dataset  # noqa: PLC0415

    preset = load_preset(name, changes)
    table = Dataset.from_list(verl_rows(rows, preset, environment, folder))
    facts = {"preset": name, "changes": list(changes), "seed": seed}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _RUN).write_text(f"{json.dumps(facts, indent=2)}\n", encoding="utf-8")
        table.to_parquet(str(folder / "train.parquet"))
    except OSError as err:
        raise ConfigError(f"cannot write to {folder}: {err.strerror or err}") from err


def read_verl_run(folder: Path) -> tuple[Preset, int]:
    """The preset and the seed of a folder that `write_verl_data` wrote.

    Raises:
        ConfigError: there is none, or its preset is no longer there.
    """
    try:
        facts = json.loads((folder / _RUN).read_text(encoding="utf-8"))
        name, changes, seed = facts["preset"], facts["changes"], facts["seed"]
    except (OSError, ValueError, KeyError) as err:
        raise ConfigError(f"no data of train verl in {folder}: {err}") from err
    return load_preset(name, changes), seed
