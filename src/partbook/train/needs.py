"""What a run will take, said before it starts: memory, disk, calls of workers, money.

The memory of a batch is a rough sum, meant to refuse what cannot work and to be too high rather
than too low; it was compared with what the two presets for one processor core really took.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from partbook.message import Usage
from partbook.pool import Worker
from partbook.price import total_usd
from partbook.train.preset import Preset

__all__ = ["Needs", "mean_call_usd", "needs_of", "worst_call_usd"]

_FULL_BYTES = 16
"""A trained weight in fp32 with its gradient and Adam's two moments."""

_KEPT_BYTES = 12
"""A trained weight in a checkpoint: itself and the two moments."""

_FROZEN_BYTES = 4
"""A weight that adapters leave alone, in fp32."""

_MIXING = 4
"""Squares of the hidden size in a layer's attention or convolution."""

_LAB_VOCABULARY = 552

_ADAPTED_SHARE = 0.02
"""Weights of adapters of rank 32, as a share of the model's; others in proportion."""

_PROGRAM_BYTES = 0.55e9
"""Libraries and tokenizers, measured."""

_SCRATCH_FLOATS, _USUAL_FLOATS = (20, 6), (9, 5)
"""What a layer keeps of a token until the gradient is there, in hidden and in inner sizes: measured
with a net from scratch, whose convolutions are written out; counted for a usual one."""

_LOGIT_FLOATS = 6
"""Copies of a token's logits in a loss: themselves, their logarithms, entropy, gradients."""


@dataclass(frozen=True, slots=True)
class Needs:
    """What a run takes."""

    parameters: float
    memory_bytes: float
    """Weights, gradients and moments, over all processes."""
    work_bytes: float
    """What a batch and the sampling of a step take on top, in one process."""
    program_bytes: float
    """What the program takes before it has a policy."""
    checkpoint_bytes: float
    """One checkpoint on the disk."""
    disk_bytes: float
    """All checkpoints that are there at once, and the policy at the end."""
    rollouts: int
    worker_calls: float
    cost_usd: float | None
    """None: the price of a call is unknown."""

    @property
    def total_bytes(self) -> float:
        """Memory of a run in one process."""
        return self.memory_bytes + self.work_bytes + self.program_bytes


def needs_of(preset: Preset, call_usd: float | None = None) -> Needs:
    """Work out what a preset takes.

    Calls are rollouts times the steps that a workflow is expected to have; a retry is a call more.

    Args:
        preset: the run.
        call_usd: mean price of a worker's answer; None: as the preset says.
    """
    policy, grpo, estimate = preset.policy, preset.grpo, preset.estimate
    layer = _MIXING * policy.hidden**2 + 3 * policy.hidden * policy.inner
    own = len(policy.layers) * layer + _LAB_VOCABULARY * policy.hidden
    parameters = estimate.parameters if policy.model else float(own)
    memory, trained = parameters * _FULL_BYTES, parameters
    if policy.lora_rank:
        trained = parameters * _ADAPTED_SHARE * policy.lora_rank / 32
        memory = parameters * _FROZEN_BYTES + trained * _FULL_BYTES
    rollouts = grpo.steps * grpo.problems * grpo.rollouts
    calls = rollouts * estimate.steps_per_workflow
    usd = call_usd if call_usd is not None else estimate.usd_per_call or None
    checkpoint = trained * _KEPT_BYTES
    return Needs(
        parameters=parameters,
        memory_bytes=memory,
        work_bytes=_work_bytes(preset) + _cache_bytes(preset),
        program_bytes=_PROGRAM_BYTES,
        checkpoint_bytes=checkpoint,
        disk_bytes=checkpoint * _kept_at_once(preset) + parameters * _FROZEN_BYTES,
        rollouts=rollouts,
        worker_calls=calls,
        cost_usd=None if usd is None else calls * usd,
    )


def _work_bytes(preset: Preset) -> float:
    """What the largest batch keeps for its gradient; 0 where the model's sizes are unknown."""
    policy, estimate = preset.policy, preset.estimate
    hidden, inner = policy.hidden, policy.inner
    layers, vocabulary = len(policy.layers), _LAB_VOCABULARY
    tokens, floats = policy.context, _SCRATCH_FLOATS
    if policy.model:
        hidden, inner, layers = estimate.hidden, estimate.inner, estimate.layers
        vocabulary, floats = estimate.vocabulary, _USUAL_FLOATS
        tokens = min(policy.context, estimate.prompt_tokens + preset.max_completion)
    layer = floats[0] * hidden + floats[1] * inner
    kept = (
        hidden * layers + layer if preset.trainer.get("gradient_checkpointing") else layer * layers
    )
    logits = _LOGIT_FLOATS * vocabulary * preset.max_completion
    return 4.0 * _batch(preset) * (tokens * kept + logits)


def _cache_bytes(preset: Preset) -> float:
    """Keys and values while all completions of a step are written; 0 where vLLM writes them."""
    if preset.trainer.get("use_vllm"):
        return 0.0
    policy, estimate = preset.policy, preset.estimate
    parts = _whole(preset, "gradient_accumulation_steps", 1)
    width = policy.hidden * policy.layers.count("attention")
    tokens = policy.context
    if policy.model:
        width = estimate.cached * estimate.layers
        tokens = min(policy.context, estimate.prompt_tokens + preset.max_completion)
    return 4.0 * 2 * width * tokens * _batch(preset) * parts


def _batch(preset: Preset) -> int:
    """Completions whose gradient is computed at once, in one process."""
    grpo = preset.grpo
    parts = max(1, _whole(preset, "gradient_accumulation_steps", 1))
    return _whole(preset, "per_device_train_batch_size", grpo.problems * grpo.rollouts // parts)


def _kept_at_once(preset: Preset) -> int:
    """Checkpoints on the disk; one more than the limit, while the newest is written."""
    made = max(1, preset.grpo.steps // max(1, _whole(preset, "save_steps", 500)))
    limit = _whole(preset, "save_total_limit", 0)
    return min(made, limit + 1) if limit else made


def _whole(preset: Preset, key: str, usual: int) -> int:
    value = preset.trainer.get(key, usual)
    return value if isinstance(value, int) else usual


def mean_call_usd(workers: Sequence[Worker], read: int, written: int) -> float | None:
    """Mean price of an answer over the workers of a pool; None: a price is unknown.

    Args:
        workers: those who may be called, each as often as the others.
        read: tokens of a prompt.
        written: tokens of an answer.
    """
    total = total_usd(_call_usd(worker, read, written) for worker in workers)
    return None if total is None or not workers else float(total) / len(workers)


def worst_call_usd(workers: Sequence[Worker], read: int) -> float | None:
    """The dearest answer: every token that its worker may write; None: a price is unknown."""
    found = [_call_usd(worker, read, worker.spec.sampling.max_tokens) for worker in workers]
    known = [usd for usd in found if usd is not None]
    return float(max(known)) if len(known) == len(found) else None


def _call_usd(worker: Worker, read: int, written: int) -> Decimal | None:
    price = worker.spec.price
    return None if price is None else price.cost_usd(Usage(read, written))
