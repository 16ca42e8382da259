"""The policy as a net: built, opened, kept, and sampled for evaluation.

A net from scratch mixes short convolutions with attention (the layers of LFM2, Liquid AI 2025).
Most of what it writes is copied from the question, and copying takes knowing what stood before: a
convolution sees that at once, while attention alone needs two layers that find each other late.

Sampling here is for measuring. It draws from a generator of its own and leaves the global one as
it was, so that a run that is evaluated more often is the same run.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from peft import PeftModel
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    Lfm2Config,
    Lfm2ForCausalLM,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from partbook.errors import ConfigError
from partbook.models.trained import Trained, write_trained
from partbook.prompt import PromptStyle, conductor_messages
from partbook.rounds import turns_before
from partbook.trace import Trace
from partbook.train.environment import Environment, Outcome
from partbook.train.preset import Policy, Preset
from partbook.train.row import Row
from partbook.train.tokens import lab_tokenizer
from partbook.workflow import MAX_STEPS

__all__ = ["Net", "new_net", "open_net", "prompt_text", "rollouts", "sample", "save_net"]

_LAYERS = {"conv": "conv", "attention": "full_attention"}
"""What the library calls our layers."""

_BATCH = 50
"""Prompts that are answered together."""


class Net(NamedTuple):
    """A language model with its tokenizer."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase

    @property
    def parameters(self) -> int:
        """Number of weights."""
        return sum(weight.numel() for weight in self.model.parameters())


def new_net(policy: Policy, seed: int) -> Net:
    """The net before any training: pretrained where the preset names a model, else random."""
    if policy.model:
        return open_net(policy.model)
    tokenizer = lab_tokenizer()
    config = Lfm2Config(
        vocab_size=len(tokenizer),
        layer_types=[_LAYERS[kind] for kind in policy.layers],
        num_hidden_layers=len(policy.layers),
        hidden_size=policy.hidden,
        intermediate_size=policy.inner,
        block_auto_adjust_ff_dim=False,
        num_attention_heads=policy.heads,
        num_key_value_heads=policy.heads,
        max_position_embeddings=policy.context,
        conv_L_cache=policy.reach,
        rope_parameters={"rope_type": "default", "rope_theta": 10_000.0},
        # Wider than usual: from nearly uniform attention a net this small finds out late what to
        # look at.
        initializer_range=0.05,
        tie_word_embeddings=True,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
    )
    torch.manual_seed(seed)
    return Net(Lfm2ForCausalLM(config), tokenizer)


def open_net(where: str) -> Net:
    """A net from a folder or from the registry of models.

    Raises:
        ConfigError: there is none of that name, or it cannot be fetched.
    """
    if where.startswith(("/", "./", "../")) and not Path(where).is_dir():
        raise ConfigError(f"cannot open the model {where!r}: there is no such folder")
    try:
        tokenizer = AutoTokenizer.from_pretrained(where, padding_side="left")
        model = AutoModelForCausalLM.from_pretrained(where, dtype=torch.float32)
    except (OSError, ValueError) as err:
        raise ConfigError(f"cannot open the model {where!r}: {err}") from err
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    return Net(model, tokenizer)


def save_net(net: Net, folder: Path, trained: Trained | None = None) -> None:
    """Write a net where `open_net` finds it; adapters are merged into their model first.

    Args:
        net: what to write.
        folder: where to.
        trained: how it is to be asked; kept beside the weights.
    """
    model = net.model
    if isinstance(model, PeftModel):
        model = model.merge_and_unload()
    model.save_pretrained(folder)
    net.tokenizer.save_pretrained(folder)
    if trained is not None:
        write_trained(trained, folder)


def prompt_text(
    tokenizer: PreTrainedTokenizerBase,
    style: PromptStyle,
    row: Row,
    environment: Environment,
    before: Trace | None = None,
) -> str:
    """The text after which the policy writes: messages in its template; a bare one without any.

    Args:
        tokenizer: has the template.
        style: of the prompt.
        row: what is asked.
        environment: knows the row's pool.
        before: the run of the first round, where this is the prompt of a second one.
    """
    pool = environment.pool_of(row)
    earlier = () if before is None else turns_before(before, 1, pool)
    messages = conductor_messages(row.question, pool, MAX_STEPS, style=style, turns=earlier)
    if style == "bare":
        return messages[0].text
    turns = [{"role": message.role, "content": message.text} for message in messages]
    return str(tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True))


def sample(net: Net, prompts: Sequence[str], preset: Preset, seed: int | None) -> list[str]:
    """Let the policy write.

    Args:
        net: who writes.
        prompts: texts of `prompt_text`.
        preset: says how much it may write.
        seed: of the draws at temperature 1; None: the likeliest token each time.
    """
    model, tokenizer = net
    texts: list[str] = []
    was_training = model.training
    model.train(False)
    with torch.random.fork_rng(), torch.no_grad():
        torch.manual_seed(seed or 0)
        for start in range(0, len(prompts), _BATCH):
            batch = tokenizer(
                list(prompts[start : start + _BATCH]),
                return_tensors="pt",
                padding=True,
                return_token_type_ids=False,
                add_special_tokens=False,
            ).to(model.device)
            draws = {"do_sample": False} if seed is None else {"do_sample": True, "top_k": 0}
            written = model.generate(  # type: ignore[operator]
                **batch,
                **draws,
                max_new_tokens=preset.max_completion,
                pad_token_id=tokenizer.pad_token_id,
                eos_token_id=tokenizer.eos_token_id,
            )
            completions = written[:, batch["input_ids"].shape[1] :]
            texts += tokenizer.batch_decode(completions, skip_special_tokens=True)
    model.train(was_training)
    return texts


def rollouts(
    net: Net,
    preset: Preset,
    environment: Environment,
    rows: Sequence[Row],
    seed: int | None,
    before: Sequence[Trace | None] | None = None,
) -> list[Outcome]:
    """Let the policy write one completion for every row, and play them all at once.

    Args:
        net: who writes.
        preset: says how it is asked.
        environment: plays and judges.
        rows: what is asked.
        seed: as that of `sample`.
        before: as that of `Environment.score`; its runs are shown in the prompts.
    """
    style, earlier = preset.prompt_style, before or [None] * len(rows)
    prompts = [
        prompt_text(net.tokenizer, style, row, environment, run)
        for row, run in zip(rows, earlier, strict=True)
    ]
    return asyncio.run(environment.score(rows, sample(net, prompts, preset, seed), before))
