"""What a judge says about one text. What it is worth as a reward is decided in `reward.py`."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["Outcome", "Verdict"]

Outcome = Literal["right", "wrong", "not judged"]
"""`not judged` is no opinion about the text: the reference is unusable, or the check could not
run. It is never counted as wrong and never as right."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One judge's opinion of one text."""

    outcome: Outcome
    answer: str | None
    """What was taken from the text as its answer; None where it holds none."""
    reason: str
    """Why, in a sentence for a person."""
    judged_by: str = ""
    """The model whose opinion this is, or several joined by `+`; empty where a rule decided. It
    belongs beside the outcome wherever that is shown: a model's verdict can be talked round."""

    @property
    def right(self) -> bool:
        """Whether the text is known to be right."""
        return self.outcome == "right"
