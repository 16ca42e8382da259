"""Recursion in training: first and second rounds in pairs, and what each of them is worth.

Half of the groups of a step are first rounds, as ever; beside each of them stands the group of the
second rounds, one to one: the policy looks at what came of the first round's workflow and writes
another, or keeps the answer (arXiv:2512.04388, section 3.3 and appendix A.1). Groups are what GRPO
normalises over, so first and second rounds are each measured against their own kind. A first round
also gets a share of what its second round brought.

A first round without an answer leaves nothing to look at: its second round begins anew, with the
prompt of a first one.

The simpler way is to train second rounds alone, over first rounds that the policy wrote before the
run: `frozen_first_rounds`.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from partbook.errors import ConfigError
from partbook.trace import Trace
from partbook.train.environment import Environment, Outcome
from partbook.train.policy import Net, prompt_text, rollouts
from partbook.train.preset import Preset
from partbook.train.row import Row
from partbook.train.scoring import Completions, Keeper, LogMetric, step_metrics

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

__all__ = ["PairedRollouts", "answered", "frozen_first_rounds", "in_pairs", "paired_rewards"]


def paired_rewards(
    first: Sequence[float | None], second: Sequence[float | None], discount: float
) -> tuple[list[float | None], list[float | None]]:
    """What both rounds of every pair are worth.

    A first round gets `(1 - discount) * its own + discount * its second round's`, a second round
    its own (arXiv:2512.04388, appendix A.1). A pair that lost one of its rounds has lost both: the
    first round's worth is not known without the second.

    Args:
        first: rewards of the first rounds; None: not scored.
        second: rewards of the second rounds, in the same order.
        discount: share of the second round, 0 to 1; 0.25 in the paper.

    >>> paired_rewards([0.5, 1.0], [1.0, 0.5], 0.25)
    ([0.625, 0.875], [1.0, 0.5])
    """
    roots: list[float | None] = []
    laters: list[float | None] = []
    for own, later in zip(first, second, strict=True):
        lost = own is None or later is None
        roots.append(None if lost else (1 - discount) * (own or 0.0) + discount * (later or 0.0))
        laters.append(None if lost else later)
    return roots, laters


def in_pairs(rows: Sequence[Row]) -> list[Row]:
    """Every row twice: as a first round, and as the second round after it."""
    return [pair for row in rows for pair in (row, replace(row, round=1))]


def answered(outcome: Outcome) -> Trace | None:
    """The run of a first round that a second one can look at; None: there is no answer."""
    trace = outcome.trace
    return trace if trace is not None and trace.status == "answered" else None


def frozen_first_rounds(
    net: Net, preset: Preset, environment: Environment, rows: Sequence[Row], seed: int
) -> tuple[list[Row], dict[str, Trace]]:
    """First rounds of a policy as it is now, and the rows of their second rounds.

    A first round without an answer keeps its row, which is then trained as a first round.

    Args:
        net: the policy.
        preset: says how it is asked.
        environment: plays.
        rows: first rounds.
        seed: of the draws, at temperature 1.

    Returns:
        A row for each of `rows`, and the runs that they name as their parents.
    """
    runs = [answered(outcome) for outcome in rollouts(net, preset, environment, rows, seed)]
    later = [
        row if run is None else replace(row, round=1, parent=run.run_id)
        for row, run in zip(rows, runs, strict=True)
    ]
    return later, {run.run_id: run for run in runs if run is not None}


class PairedRollouts:
    """TRL's rollout function and its reward function, for rows that are `in_pairs`.

    Rollouts are played where they are written, because a second round begins with the answer of
    the first. The reward function only hands over what was found then.
    """

    __name__ = "conductor"  # TRL names its metrics after the function

    def __init__(
        self,
        environment: Environment,
        preset: Preset,
        tokenizer: "PreTrainedTokenizerBase",
        rows: Mapping[str, Row],
        keeper: Keeper | None = None,
    ) -> None:
        """Prepare.

        Args:
            environment: plays and judges.
            preset: says how the policy is asked, how large a group is, and the discount.
            tokenizer: the policy's.
            rows: the rows by the prompts of their first rounds.
            keeper: keeps traces.
        """
        self._environment = environment
        self._preset = preset
        self._tokenizer = tokenizer
        self._rows = rows
        self._keeper = keeper
        self._found: dict[str, float] = {}
        self.waited_s = 0.0
        """Seconds in which the policy has waited for workers."""

    def rollouts(self, prompts: Sequence[str], trainer: Any) -> dict[str, object]:
        """Let the policy write both rounds of every pair of groups, and play them.

        Args:
            prompts: of first rounds, each as often as a group and its second rounds are large.
            trainer: TRL's, which knows how its model writes.

        Returns:
            As TRL wants it: `prompt_ids`, `completion_ids`, `logprobs`, and `worth`, the reward of
            every completion.

        Raises:
            ConfigError: a process got the first rounds of a pair without the second ones.
        """
        size = self._preset.grpo.rollouts
        if len(prompts) % (2 * size):
            raise ConfigError(
                f"recursion needs pairs of groups in one process: {len(prompts)} rollouts are no "
                f"multiple of {2 * size}; take an even number of `grpo.problems` a process"
            )
        at = [i for i in range(len(prompts)) if i // size % 2 == 0]
        rows = [self._rows[prompts[i]] for i in at]
        first, first_ids = self._written([prompts[i] for i in at], trainer)
        outcomes = self._played(rows, first)
        before = [answered(outcome) for outcome in outcomes]
        style, tokenizer = self._preset.prompt_style, self._tokenizer
        asked = [
            prompt_text(tokenizer, style, row, self._environment, trace)
            for row, trace in zip(rows, before, strict=True)
        ]
        second, second_ids = self._written(asked, trainer)
        later = self._played(rows, second, before)
        roots, laters = paired_rewards(
            [one.reward for one in outcomes],
            [one.reward for one in later],
            self._preset.grpo.discount,
        )
        self._note(rows, outcomes, later)
        self._keep(rows, later, trainer)
        spread = _spread(size)
        first_prompts = [self._tokens(prompts[i]) for i in at]
        return {
            "prompt_ids": spread(first_prompts, [self._tokens(text) for text in asked]),
            "completion_ids": spread(first_ids, second_ids),
            "logprobs": None,
            "worth": spread(roots, laters),
        }

    async def __call__(
        self,
        completions: Completions,
        worth: Sequence[float | None],
        log_metric: LogMetric | None = None,
        **others: object,
    ) -> list[float | None]:
        """TRL's reward function: what `rollouts` found."""
        if log_metric is not None:
            for name, value in self._found.items():
                log_metric(name, value)
        return list(worth)

    def _played(
        self,
        rows: Sequence[Row],
        texts: Sequence[str],
        before: Sequence[Trace | None] | None = None,
    ) -> list[Outcome]:
        began = time.monotonic()
        outcomes = asyncio.run(self._environment.score(rows, texts, before))
        self.waited_s += time.monotonic() - began
        return outcomes

    def _written(self, prompts: list[str], trainer: Any) -> tuple[list[str], list[list[int]]]:
        ids = [self._tokens(prompt) for prompt in prompts]
        written, _ = trainer._generate_single_turn(ids, None, {}, self._preset.grpo.rollouts)
        return self._tokenizer.batch_decode(written, skip_special_tokens=True), written

    def _tokens(self, prompt: str) -> list[int]:
        return list(self._tokenizer(prompt)["input_ids"])

    def _note(
        self, rows: Sequence[Row], first: Sequence[Outcome], second: Sequence[Outcome]
    ) -> None:
        """The metrics of the step: those of first rounds as ever, and what second rounds did."""
        self._found = step_metrics(rows, first)
        pairs = [pair for pair in zip(first, second, strict=True) if None not in _rewards(pair)]
        wrong = [later for own, later in pairs if own.verdict != "right"]
        right = [later for own, later in pairs if own.verdict == "right"]
        if pairs:
            total = sum(later.verdict == "right" for _, later in pairs)
            self._found["second_accuracy"] = total / len(pairs)
            self._found["kept"] = sum(later.kept for _, later in pairs) / len(pairs)
        if wrong:
            self._found["mended"] = sum(one.verdict == "right" for one in wrong) / len(wrong)
        if right:
            self._found["spoiled"] = sum(one.verdict != "right" for one in right) / len(right)

    def _keep(self, rows: Sequence[Row], outcomes: Sequence[Outcome], trainer: Any) -> None:
        if self._keeper is not None:
            asyncio.run(self._keeper.keep(rows, outcomes, trainer.state.global_step))


def _rewards(pair: tuple[Outcome, Outcome]) -> tuple[float | None, float | None]:
    return pair[0].reward, pair[1].reward


def _spread(size: int) -> Callable[[Sequence[Any], Sequence[Any]], list[Any]]:
    """Puts first and second rounds back into their groups, which take turns."""

    def together(first: Sequence[Any], second: Sequence[Any]) -> list[Any]:
        starts = range(0, len(first), size)
        return [x for i in starts for part in (first, second) for x in part[i : i + size]]

    return together
