"""The reward of a rollout: 0, 0.5, 1, or not scored.

The paper's rule (arXiv:2512.04388, section 3.2): no cost, length or step penalty. A price term is
there for whoever asks for it; nothing takes it by itself.
What it leaves open is what happens where nobody could say whether the workflow was any good. A
worker that was down, a limit that was reached and a judge that could not judge are not the
policy's doing; such a rollout has no reward, which is not the same as a reward of 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from partbook.trace import Trace

__all__ = ["RIGHT", "UNPARSED", "WRONG", "Tariff", "reward_of", "without_lost_groups"]

UNPARSED: Final = 0.0
"""The text holds no workflow (arXiv:2512.04388, section 3.2)."""

WRONG: Final = 0.5
"""A workflow was played and its answer is wrong (arXiv:2512.04388, section 3.2)."""

RIGHT: Final = 1.0
"""A workflow was played and its answer is right (arXiv:2512.04388, section 3.2)."""


def reward_of(trace: Trace, right: bool | None) -> float | None:
    """Score one rollout.

    Args:
        trace: what happened.
        right: what the judge says about the answer; None: it could not say.

    Returns:
        One of `UNPARSED`, `WRONG` and `RIGHT`; None where an outage, a limit or the judge stood
        between the policy and its reward.
    """
    if trace.status == "failed" and trace.reason == "workflow":
        return UNPARSED
    if trace.status != "answered" or right is None:
        return None
    return RIGHT if right else WRONG


@dataclass(frozen=True, slots=True)
class Tariff:
    """What a right answer's price takes from its reward.

    Only right answers pay. Were wrong ones to pay too, a policy that is seldom right would learn
    to be wrong as cheaply as it can. And as the whole price is less than what being right brings,
    no price makes a right answer worse than a wrong one: neither end of the curve of quality
    against money is a collapse.
    """

    weight: float
    """What is taken at the full price: 0 to less than `RIGHT - WRONG`."""
    full_usd: float
    """The price of a run at which all of the weight is taken; above 0."""

    def of(self, reward: float | None, cost_usd: Decimal | None) -> float | None:
        """The reward less its price.

        Args:
            reward: of a rollout; None: not scored.
            cost_usd: of all its calls; None: unknown, which is not 0, so it is not scored either.

        >>> Tariff(0.4, 0.02).of(1.0, Decimal("0.005"))
        0.9
        """
        if reward != RIGHT or self.weight == 0:
            return reward
        if cost_usd is None:
            return None
        return RIGHT - self.weight * min(1.0, float(cost_usd) / self.full_usd)


def without_lost_groups(rewards: Sequence[float | None], group: int) -> list[float | None]:
    """Drop every group that has lost a member.

    Which worker failed depends on whom the policy called: what is left of the group would be
    biased towards plans that avoid that worker.

    Args:
        rewards: of whole groups, one group after another.
        group: rollouts in a group, at least 1.

    Raises:
        ValueError: the last group is not whole.

    >>> without_lost_groups([1.0, None, 0.5, 1.0], 2)
    [None, None, 0.5, 1.0]
    """
    if len(rewards) % group:
        raise ValueError(f"{len(rewards)} rewards are no whole number of groups of {group}")
    kept: list[float | None] = []
    for start in range(0, len(rewards), group):
        members = rewards[start : start + group]
        kept += [None] * group if None in members else members
    return kept
