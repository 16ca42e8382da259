"""Recipe: what a training step is made of, and when a run stops or warns.

The table `grpo` of a preset. What TRL knows better (step sizes, clips, temperatures) stands in the
table `trainer` beside it.
"""

from dataclasses import dataclass
from typing import Literal

from partbook.errors import ConfigError
from partbook.lab.problem import DIFFICULTIES
from partbook.reward import RIGHT, WRONG, Tariff
from partbook.toml_table import Table

__all__ = ["Ablation", "Grpo", "Recursion", "take_count", "take_grpo", "take_share"]

Ablation = Literal["none", "whole", "chain"]

_ABLATIONS: tuple[Ablation, ...] = ("none", "whole", "chain")

Recursion = Literal["none", "paired", "frozen"]

_RECURSIONS: tuple[Recursion, ...] = ("none", "paired", "frozen")


@dataclass(frozen=True, slots=True)
class Grpo:
    """What a training step is made of."""

    steps: int
    """Updates of the policy."""
    problems: int
    """Groups in a step."""
    rollouts: int
    """Completions of a group."""
    difficulties: tuple[int, ...] = (1, 2, 3, 4)
    easy_steps: int = 0
    """The first of these steps see only problems of one and two parts."""
    timeout_s: float = 60.0
    """Deadline of a rollout."""
    overlap: int = 0
    """Groups that are written before they are needed, and played while the policy learns
    (`overlap.py`): 0, as in the paper, to `problems`."""
    patience_s: float = 0.0
    """How long a step waits for groups in flight before it drops them; 0: until their rollouts'
    own deadline. Only with `overlap`."""
    evaluate_every: int = 25
    """Steps between two evaluations on validation problems; 0: never."""
    evaluation_problems: int = 200
    keep_traces: float = 0.0
    """Share of the rollouts whose traces are kept in the store, 0 to 1."""
    equal_rewards: bool = False
    """A control: every rollout gets the same reward, so nothing can be learned."""
    price_weight: float = 0.0
    """What the price of a right answer takes from its reward of 1, at most: 0 to less than 0.5; the
    paper has no such term."""
    price_usd: float = 0.0
    """The price of a rollout at which all of `price_weight` is taken."""
    recursion: Recursion = "none"
    """`paired`: half of the groups of a step are second rounds, one for every first round
    (`recursion.py`). `frozen`: all of them are, and look at what the policy did before the run."""
    discount: float = 0.25
    """Share that a paired first round has in the reward of its second (arXiv:2512.04388, A.1)."""
    ablation: Ablation = "none"
    """How workflows are played otherwise than they are written (arXiv:2512.04388, B.8). `whole`:
    every worker is told to answer the question. `chain`: who reads an earlier step, reads all."""
    stop_below_valid: float = 0.5
    """Share of valid workflows in a step, under which a run is stopped as collapsed."""
    stop_above_lost: float = 0.5
    """Share of rollouts without a reward in a step, over which a run stops with a checkpoint."""
    warn_below_entropy: float = 0.003
    """Mean entropy per token, in nats, under which a run warns."""
    warn_above_share: float = 0.6
    """Share of the steps that one worker gets, over which a run warns."""
    warn_below_spread: float = 0.1
    """Share of the groups with different rewards, under which a run warns."""

    @property
    def tariff(self) -> Tariff | None:
        """The price term; None: there is none."""
        return Tariff(self.price_weight, self.price_usd) if self.price_weight else None


def take_grpo(table: Table) -> Grpo:
    """Read the table `grpo` of a preset.

    Raises:
        ConfigError: a value is wrong, or a key is unknown.
    """
    steps, problems = take_count(table, "steps", least=1), take_count(table, "problems", least=1)
    rollouts = take_count(table, "rollouts", least=2)
    usual = Grpo(steps, problems, rollouts)
    grpo = Grpo(
        steps,
        problems,
        rollouts,
        difficulties=table.take_list("difficulties", int) or usual.difficulties,
        easy_steps=take_count(table, "easy_steps", usual.easy_steps),
        timeout_s=table.take("timeout_s", float, usual.timeout_s),
        overlap=take_count(table, "overlap", usual.overlap),
        patience_s=table.take("patience_s", float, usual.patience_s),
        evaluate_every=take_count(table, "evaluate_every", usual.evaluate_every),
        evaluation_problems=take_count(
            table, "evaluation_problems", usual.evaluation_problems, least=1
        ),
        keep_traces=take_share(table, "keep_traces", usual.keep_traces),
        equal_rewards=table.take("equal_rewards", bool, usual.equal_rewards),
        price_weight=table.take("price_weight", float, usual.price_weight),
        price_usd=table.take("price_usd", float, usual.price_usd),
        recursion=table.take_one_of("recursion", _RECURSIONS, usual.recursion),
        discount=take_share(table, "discount", usual.discount),
        ablation=table.take_one_of("ablation", _ABLATIONS, usual.ablation),
        stop_below_valid=take_share(table, "stop_below_valid", usual.stop_below_valid),
        stop_above_lost=take_share(table, "stop_above_lost", usual.stop_above_lost),
        warn_below_entropy=table.take("warn_below_entropy", float, usual.warn_below_entropy),
        warn_above_share=take_share(table, "warn_above_share", usual.warn_above_share),
        warn_below_spread=take_share(table, "warn_below_spread", usual.warn_below_spread),
    )
    table.done()
    _check_ranges(grpo, table.where)
    _check_price(grpo, table.where)
    _check_overlap(grpo, table.where)
    if grpo.recursion == "paired" and (grpo.problems % 2 or grpo.equal_rewards):
        raise ConfigError(
            f"{table.where}: paired recursion needs an even number of `problems`, half of them for "
            f"second rounds, and no `equal_rewards`"
        )
    return grpo


def _check_ranges(grpo: Grpo, where: str) -> None:
    if grpo.timeout_s <= 0:
        raise ConfigError(f"{where}: `timeout_s` must be more than 0, found {grpo.timeout_s}")
    if not set(grpo.difficulties) <= set(DIFFICULTIES):
        raise ConfigError(
            f"{where}: `difficulties` must be from {DIFFICULTIES[0]} to {DIFFICULTIES[-1]}, found "
            f"{list(grpo.difficulties)}"
        )


def _check_overlap(grpo: Grpo, where: str) -> None:
    if not 0 <= grpo.overlap <= grpo.problems:
        raise ConfigError(
            f"{where}: `overlap` must be from 0 to `problems`, {grpo.problems} here, found "
            f"{grpo.overlap}: with more, groups would be older than one update"
        )
    if grpo.overlap and grpo.recursion == "paired":
        raise ConfigError(
            f"{where}: `overlap` does not go with paired recursion, whose second rounds wait for "
            "the answers of the first"
        )
    if grpo.patience_s < 0 or (grpo.patience_s and not grpo.overlap):
        raise ConfigError(
            f"{where}: `patience_s` must be 0 or more, and needs `overlap`; without it, "
            f"`timeout_s` is the deadline; found {grpo.patience_s}"
        )


def _check_price(grpo: Grpo, where: str) -> None:
    most = RIGHT - WRONG
    if not 0 <= grpo.price_weight < most:
        raise ConfigError(
            f"{where}: `price_weight` must be from 0 to less than {most}, found "
            f"{grpo.price_weight}: with more, a dear right answer is worse than a wrong one"
        )
    if grpo.price_weight and grpo.price_usd <= 0:
        raise ConfigError(
            f"{where}: `price_weight` needs `price_usd`, the price of a rollout at which all of it "
            f"is taken"
        )


def take_share(table: Table, key: str, usual: float) -> float:
    """Take a number from 0 to 1.

    Raises:
        ConfigError: it is none.
    """
    value = table.take(key, float, usual)
    if not 0 <= value <= 1:
        raise ConfigError(f"{table.where}: `{key}` must be from 0 to 1, found {value}")
    return value


def take_count(table: Table, key: str, usual: int | None = None, least: int = 0) -> int:
    """Take a whole number of so many or more; without a usual one it must be there.

    Raises:
        ConfigError: it is none.
    """
    value = table.take(key, int) if usual is None else table.take(key, int, usual)
    if value < least:
        raise ConfigError(f"{table.where}: `{key}` must be {least} or more, found {value}")
    return value
