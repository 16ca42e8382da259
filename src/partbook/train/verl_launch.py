"""The command that starts verl on the data of `verl.py`: our values under verl's names.

Written for verl 0.9. Every name is one of verl's own (`make verl-check` asks verl), and what verl
has not is refused here, before anything is fetched or opened.
"""

from pathlib import Path

from partbook.errors import ConfigError
from partbook.train.preset import Preset
from partbook.train.verl import ESTIMATOR

__all__ = ["launch_command"]


def launch_command(preset: Preset, folder: Path, nodes: int, gpus: int, seed: int) -> list[str]:
    """What starts verl on the data, word by word; written for verl 0.9, whose pins differ.

    Args:
        preset: the run.
        folder: of the data.
        nodes: machines in the Ray cluster.
        gpus: of each machine.
        seed: of the rows.

    Raises:
        ConfigError: verl knows no such schedule of step sizes, trains no second rounds and no
            control, or cannot share the rollouts out.
    """
    grpo, trainer = preset.grpo, preset.trainer
    if grpo.recursion != "none" or grpo.equal_rewards:
        raise ConfigError(
            f"preset {preset.name}: with verl there are neither second rounds nor the control "
            "`equal_rewards`"
        )
    if grpo.problems * grpo.rollouts % (nodes * gpus):
        raise ConfigError(
            f"preset {preset.name}: verl shares the {grpo.problems * grpo.rollouts} rollouts of a "
            f"step evenly over {nodes} x {gpus} GPUs; choose another number of them"
        )
    actor, rollout = "actor_rollout_ref.actor", "actor_rollout_ref.rollout"
    file = folder.resolve() / "train.parquet"
    values: dict[str, object] = {
        "algorithm.adv_estimator": ESTIMATOR,
        "algorithm.use_kl_in_reward": False,
        "data.train_files": file,
        "data.val_files": file,
        "data.train_batch_size": grpo.problems,
        "data.shuffle": False,
        "data.seed": seed,
        "data.max_prompt_length": preset.policy.context - preset.max_completion,
        "data.max_response_length": preset.max_completion,
        "actor_rollout_ref.model.path": preset.policy.model,
        "actor_rollout_ref.model.enable_gradient_checkpointing": True,
        **{f"{actor}.optim.{key}": value for key, value in _steps_of(preset).items()},
        **_adapters(preset),
        f"{actor}.ppo_mini_batch_size": grpo.problems,
        f"{actor}.ppo_micro_batch_size_per_gpu": trainer.get("per_device_train_batch_size", 8),
        f"{actor}.clip_ratio": trainer.get("epsilon", 0.2),
        f"{actor}.use_kl_loss": False,
        f"{actor}.entropy_coeff": 0,
        f"{actor}.loss_agg_mode": "token-mean",
        f"{rollout}.name": "vllm",
        f"{rollout}.n": grpo.rollouts,
        f"{rollout}.temperature": trainer.get("temperature", 1.0),
        f"{rollout}.log_prob_micro_batch_size_per_gpu": trainer.get(
            "per_device_train_batch_size", 8
        ),
        "reward.custom_reward_function.path": "pkg://partbook.cli.verl_reward",
        "reward.custom_reward_function.name": "compute_score",
        "trainer.nnodes": nodes,
        "trainer.n_gpus_per_node": gpus,
        "trainer.total_epochs": 1,
        "trainer.total_training_steps": grpo.steps,
        "trainer.save_freq": trainer.get("save_steps", 20),
        "trainer.test_freq": -1,
        "trainer.val_before_train": False,
        "trainer.resume_mode": "auto",
        "trainer.project_name": "partbook",
        "trainer.experiment_name": preset.name,
        "trainer.default_local_dir": folder.resolve() / "checkpoints",
    }
    return ["python3", "-m", "verl.trainer.main_ppo", *(f"{key}={values[key]}" for key in values)]


def _steps_of(preset: Preset) -> dict[str, object]:
    """verl's options of the optimiser, AdamW."""
    trainer = preset.trainer
    schedule, warmup = trainer.get("lr_scheduler_type", "linear"), trainer.get("warmup_steps", 0)
    if schedule not in ("constant", "cosine"):
        raise ConfigError(
            f"preset {preset.name}: verl knows the schedules constant and cosine, found "
            f"{schedule!r}; say --set trainer.lr_scheduler_type=constant"
        )
    # As transformers has it: less than 1 is a share of all steps.
    is_share = isinstance(warmup, int | float) and warmup < 1
    betas = trainer.get("adam_beta1", 0.9), trainer.get("adam_beta2", 0.999)
    return {
        "lr": trainer.get("learning_rate", 1e-6),
        "lr_scheduler_type": schedule,
        f"lr_warmup_steps{'_ratio' if is_share else ''}": warmup,
        "betas": f"[{betas[0]},{betas[1]}]",
        "weight_decay": trainer.get("weight_decay", 0.0),
        "clip_grad": trainer.get("max_grad_norm", 1.0),
    }


def _adapters(preset: Preset) -> dict[str, object]:
    """verl's options of adapters, as the run with TRL makes them; none: all weights are trained."""
    rank = preset.policy.lora_rank
    if not rank:
        return {}
    return {
        "actor_rollout_ref.model.lora_rank": rank,
        "actor_rollout_ref.model.lora_alpha": 2 * rank,
        # vLLM gets the adapters alone, so it reads the other weights itself.
        "actor_rollout_ref.rollout.load_format": "safetensors",
    }
