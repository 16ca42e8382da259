"""Wording: what systems other than a Conductor tell their workers, as texts that can be replaced.

A Conductor writes its subtasks itself; every other system says the same few things to everybody.
Language models get the default. The lab's workers understand only phrases of their own, so they
get those: a lab worker that is to merge answers works the question out again, and only the lab's
checker makes anything of another one's answer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from partbook.lab.optimum import CHECK
from partbook.lab.table import WHOLE

__all__ = ["BRIEF_WORDING", "DEFAULT_WORDING", "LAB_WORDING", "Wording"]

_ROLES = MappingProxyType(
    {
        "solver": "Answer the question. Work it out step by step.",
        "planner": "Say which steps lead to the answer of the question and what each of them "
        "needs. Leave the result of the last step to somebody else.",
        "critic": "Check the earlier answers step by step. Say what is wrong with them, then give "
        "the answer to the question as it should be.",
        "expert": "Recall the facts and rules that the question turns on, and answer it from them.",
        "programmer": "Work the question out as an exact procedure, as a program would, and give "
        "the answer to which that leads.",
    }
)


@dataclass(frozen=True, slots=True)
class Wording:
    """Subtasks that are the same for every question."""

    answer: str = "Answer the question."
    """Hands over the whole question."""
    reflect: str = (
        "Look for mistakes in the earlier answer, step by step. Then give the whole answer again, "
        "mended where that is needed, in the form that the question asks for."
    )
    """Has the newest of the answers that the worker may read gone over once more."""
    merge: str = (
        "Below stand answers that others gave to the question. Some may be wrong, in part or "
        "altogether, and the majority may be too. Weigh them against each other and against your "
        "own knowledge. Then give one answer of your own, in the form that the question asks for."
    )
    """Has one answer made of several, which follow it; see `merging`."""
    roles: Mapping[str, str] = field(default_factory=lambda: _ROLES)
    """The subtask of each role that MasRouter can give to an agent."""

    def merging(self, answers: Sequence[str]) -> str:
        r"""The subtask of merging these answers, which it holds word for word.

        >>> Wording(merge="Merge.").merging(["4", "5"])
        'Merge.\n\nAnswer 1:\n4\n\nAnswer 2:\n5'
        """
        numbered = (f"\n\nAnswer {i}:\n{text}" for i, text in enumerate(answers, start=1))
        return self.merge + "".join(numbered)


DEFAULT_WORDING = Wording()
"""For language models."""

_ALONE = " Reply with the answer alone, with nothing before it and nothing after it."

BRIEF_WORDING = Wording(
    DEFAULT_WORDING.answer + _ALONE,
    "Look for mistakes in the earlier answer. Then give the whole answer again." + _ALONE,
    DEFAULT_WORDING.merge + _ALONE,
)
"""For language models that are asked for the answer alone; the roles of MasRouter are as ever."""

LAB_WORDING = Wording(WHOLE, CHECK, WHOLE, MappingProxyType({"solver": WHOLE, "critic": CHECK}))
"""In the phrases of the lab."""
