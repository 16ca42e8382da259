"""The warm start: supervised steps that teach a policy the format before reward comes in.

A loop of its own and not a trainer: demonstrations are drawn without end from the generator of
problems, so there is no data set, and nothing here has to be resumed. Batches are made of texts of
similar length, which saves about a third of the work on padding.
"""

import asyncio
import logging
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import torch
from torch.nn.functional import cross_entropy

from partbook.train.demonstration import again, demonstration, drill
from partbook.train.disguise import respelled, reworded, scrambled
from partbook.train.environment import Environment
from partbook.train.policy import Net, prompt_text
from partbook.train.preset import Preset, WarmStart
from partbook.train.recursion import answered
from partbook.train.row import LAB_WORKERS, lab_row, problem_of

__all__ = ["warm_start"]

log = logging.getLogger(__name__)

_RISE = 50
"""Steps over which the step size rises to its full value; it then falls linearly to 0."""

_SORTED_BATCHES = 8
"""Batches that are drawn together and sorted by length."""

_WIDTHS = 32
"""Batches are padded to multiples of so many tokens: with any width the allocator keeps blocks of
every size, and memory doubles."""

_IGNORED = -100
"""A label that does not count."""

_EASY, _EVEN = (5, 3, 1, 1), (1, 1, 1, 1)
"""Chances of the difficulties 1 to 4 at first and later."""

Pair = tuple[list[int], list[int]]
"""Tokens of a prompt and of its completion."""

OnLoss = Callable[[int, float], None]
"""Receives (step, loss)."""


def warm_start(
    net: Net,
    preset: Preset,
    environment: Environment,
    seed: int = 0,
    on_loss: OnLoss | None = None,
) -> None:
    """Train a net on demonstrations, in place.

    Args:
        net: the policy.
        preset: says how many steps, of what, in which prompt style.
        environment: knows the pool of a row.
        seed: of the problems and of the demonstrations.
        on_loss: is told about every hundredth step and the last.
    """
    plan = preset.warm_start
    model = net.model
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.98), weight_decay=0.01)
    began = time.monotonic()
    for step, batch in enumerate(_batches(net, preset, environment, seed)):
        for group in optimizer.param_groups:
            group["lr"] = _step_size(step, plan)
        loss = _loss(net, batch)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if on_loss is not None and (step % 100 == 0 or step == plan.steps - 1):
            on_loss(step, loss.item())
    log.info("warm start: %d steps in %.0f s", plan.steps, time.monotonic() - began)


def _step_size(step: int, plan: WarmStart) -> float:
    rise = min(1.0, (step + 1) / _RISE)
    return plan.learning_rate * rise * (1 - step / plan.steps)


def _batches(net: Net, preset: Preset, environment: Environment, seed: int) -> Iterator[list[Pair]]:
    plan, rng = preset.warm_start, random.Random(f"warm start {seed}")
    waiting: list[list[Pair]] = []
    for step in range(plan.steps):
        if not waiting:
            is_drill = step < plan.drill_steps
            size = plan.batch * (1 + is_drill)
            chances = _EASY if step < plan.easy_steps else _EVEN
            pairs = [
                _pair(net, preset, environment, rng, chances, is_drill)
                for _ in range(size * _SORTED_BATCHES)
            ]
            pairs.sort(key=lambda pair: len(pair[0]) + len(pair[1]))
            starts = range(0, len(pairs), size)
            waiting = [pairs[start : start + size] for start in starts]
            rng.shuffle(waiting)
        yield waiting.pop()


def _pair(
    net: Net,
    preset: Preset,
    environment: Environment,
    rng: random.Random,
    chances: tuple[int, ...],
    is_drill: bool,
) -> Pair:
    difficulty = rng.choices((1, 2, 3, 4), chances)[0]
    row = lab_row(rng.randrange(10**9), difficulty, "train", rng, LAB_WORKERS, 0)
    problem, habits = problem_of(row), preset.warm_start.habits
    if rng.random() < habits.respelled:
        problem = respelled(problem, rng)
    if is_drill:
        prompt, text = drill(problem, rng)
    else:
        draw = rng.random()
        if draw < habits.scrambled:
            problem = scrambled(problem, rng)
        elif draw < habits.scrambled + habits.reworded:
            problem = reworded(problem, rng)
        row = replace(row, question=problem.question)
        pool, before = environment.pool_of(row), None
        text = demonstration(problem, pool, rng, habits)
        if habits.again and rng.random() < habits.again:
            before = answered(asyncio.run(environment.score([row], [text]))[0])
        if before is not None:
            text = again(problem, pool, rng, habits)
        prompt = prompt_text(net.tokenizer, preset.prompt_style, row, environment, before)
    tokens = net.tokenizer(prompt, add_special_tokens=False).input_ids
    written = net.tokenizer(text, add_special_tokens=False).input_ids
    return tokens, [*written, net.tokenizer.eos_token_id]


def _loss(net: Net, batch: list[Pair]) -> torch.Tensor:
    """Mean cross-entropy of the completions' tokens."""
    longest = max(len(prompt) + len(written) for prompt, written in batch)
    width = -(-longest // _WIDTHS) * _WIDTHS
    # Padding stands at the right, where a causal net does not see it: no mask is needed.
    tokens = torch.full((len(batch), width), net.tokenizer.pad_token_id or 0)
    labels = torch.full((len(batch), width), _IGNORED)
    for i, (prompt, written) in enumerate(batch):
        end = len(prompt) + len(written)
        tokens[i, :end] = torch.tensor(prompt + written)
        labels[i, len(prompt) : end] = torch.tensor(written)
    hidden = net.model.base_model(input_ids=tokens.to(net.model.device)).last_hidden_state[:, :-1]
    wanted = labels[:, 1:].to(net.model.device)
    counted = wanted != _IGNORED
    head: torch.nn.Module = net.model.get_output_embeddings()  # type: ignore[no-untyped-call]
    return cross_entropy(head(hidden[counted]), wanted[counted])
