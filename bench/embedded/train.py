"""Trains the embedded Conductor: a LoRA adapter on demonstrations, one example at a time.

On one core an example of 300 tokens takes about two seconds, forward and backward. The gradient of
several examples makes a step. The loss counts the completion's tokens only.
"""

import argparse
import json
import math
import random
import time
from pathlib import Path

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from torch.nn.functional import cross_entropy

from partbook.models.registry import model_path
from partbook.train.gguf_net import open_gguf
from partbook.train.policy import Net

TARGETS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
ACCUMULATED = 2
"""Examples of a step."""

Pair = tuple[list[int], list[int]]
"""Tokens of a prompt and of its completion."""


def main() -> None:
    """Train and write the adapter."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("demonstrations", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--rate", type=float, default=5e-4)
    parser.add_argument("--rank", type=int, default=8)
    parser.add_argument("--first-layer", type=int, default=10)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--start", type=Path, help="an adapter to go on with")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(given.seed)
    net = open_gguf(model_path("smollm2-135m"))
    layers = list(range(given.first_layer, net.model.config.num_hidden_layers))
    config = LoraConfig(
        r=given.rank,
        lora_alpha=2 * given.rank,
        target_modules=TARGETS,
        layers_to_transform=layers,
        task_type="CAUSAL_LM",
    )
    if given.start is None:
        model = get_peft_model(net.model, config)
    else:
        model = PeftModel.from_pretrained(net.model, given.start, is_trainable=True)
    lines = given.demonstrations.read_text(encoding="utf-8").splitlines()
    pairs = [_tokens(net, json.loads(line)) for line in lines]
    mean = sum(len(prompt) + len(written) for prompt, written in pairs) / len(pairs)
    print(f"{len(pairs)} demonstrations of {mean:.0f} tokens", flush=True)
    _fit(model, pairs, given)
    model.save_pretrained(given.out)
    net.tokenizer.save_pretrained(given.out)


def _tokens(net: Net, row: dict[str, str]) -> Pair:
    turns = [{"role": "user", "content": row["prompt"]}]
    text = net.tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
    prompt = net.tokenizer(text, add_special_tokens=False).input_ids
    written = net.tokenizer(row["completion"], add_special_tokens=False).input_ids
    return prompt, [*written, net.tokenizer.eos_token_id]


def _fit(model: PeftModel, pairs: list[Pair], given: argparse.Namespace) -> None:
    weights = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(weights, lr=given.rate, betas=(0.9, 0.98), weight_decay=0.0)
    inner = model.base_model.model
    rng = random.Random(given.seed)
    queue = [i for _ in range(given.epochs) for i in rng.sample(range(len(pairs)), len(pairs))]
    steps = math.ceil(len(queue) / ACCUMULATED)
    began, recent = time.monotonic(), []
    for step in range(steps):
        if time.monotonic() - began > 60 * given.minutes:
            print("out of time", flush=True)
            break
        rise = min(1.0, (step + 1) / 10)
        for group in optimizer.param_groups:
            group["lr"] = given.rate * rise * (1 - step / steps)
        for i in queue[step * ACCUMULATED : (step + 1) * ACCUMULATED]:
            prompt, written = pairs[i]
            tokens = torch.tensor([prompt + written])
            hidden = inner.model(input_ids=tokens).last_hidden_state[0, len(prompt) - 1 : -1]
            loss = cross_entropy(inner.lm_head(hidden), torch.tensor(written))
            (loss / ACCUMULATED).backward()
            recent.append(loss.item())
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        if step % 5 == 0 or step == steps - 1:
            loss_now = sum(recent[-20:]) / len(recent[-20:])
            seconds = time.monotonic() - began
            print(f"step {step + 1}/{steps} loss {loss_now:.3f} {seconds:.0f} s", flush=True)
        if step % 25 == 24:
            model.save_pretrained(given.out)


if __name__ == "__main__":
    main()
