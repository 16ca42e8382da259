"""Watch: warns of what often comes before a collapse, once each time that it begins.

What makes a run pointless stops it (`alarm.py`). This only speaks: a policy may be right to ask one
worker for most things, and entropy may be low because everything is learned.
"""

from collections.abc import Mapping

from partbook.train.recipe import Grpo

__all__ = ["Watch"]

_STEPS = 3
"""So many steps in a row make a warning; a single one is chance."""


class Watch:
    """Looks at the metrics of each step."""

    def __init__(self, limits: Grpo) -> None:
        self._limits = limits
        self._in_a_row: dict[str, int] = {}

    def look(self, logs: Mapping[str, float]) -> list[str]:
        """What is to be said after a step."""
        limits = self._limits
        entropy, share = logs.get("entropy", 1.0), logs.get("top_worker", 0.0)
        spread = 1 - logs.get("frac_reward_zero_std", 0.0)
        floor, most, least = (
            limits.warn_below_entropy, limits.warn_above_share, limits.warn_below_spread
        )  # fmt: skip
        signs = {
            f"entropy per token is under {floor} nats: little is tried any more": entropy < floor,
            f"one worker gets more than {most:.0%} of the steps: see whether the pool explains "
            "it": share > most,
            f"fewer than {least:.0%} of the groups have any spread: the others teach "
            "nothing": spread < least,
        }
        said = []
        for text, is_there in signs.items():
            self._in_a_row[text] = self._in_a_row.get(text, 0) + 1 if is_there else 0
            if self._in_a_row[text] == _STEPS:
                said.append(text)
        return said
