"""What the warm start shows: the format, reasons before the lists, and the range of plans.

A demonstration divides the question into its own clauses, names for every step the skill it needs
and the card it goes to, and then writes the three lists. It is deliberately no example of good
judgement: most steps go to anybody, whole questions are handed over, checks and access lists are
drawn at random among what makes sense at all. Whom to ask is what reward has to teach; but the
cards are followed more often than chance would, because a policy that has learned that the
question does not matter for routing has to find its way back from reward alone, which small nets
do too slowly (docs/log.md).

A demonstration of a second round keeps the answer, has it checked, or begins anew, each as often
whatever the answer is: when to do which is left to reward, too.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from partbook.lab import LabProblem, Part
from partbook.lab.optimum import CHECK
from partbook.lab.pool import CLAIMS
from partbook.lab.table import WHOLE
from partbook.parse import render
from partbook.pool import AgentPool
from partbook.train.disguise import scrambled
from partbook.workflow import MAX_STEPS, Step, Workflow

__all__ = ["Habits", "again", "demonstration", "drill"]

_CHECKER = "val"

KEEP = "model_id = []\nsubtasks = []\naccess_list = []"
"""The text that keeps the answer of the round before."""

_REPEATS = 0.5
"""Share of the clauses of a drill in which words come back."""


@dataclass(frozen=True, slots=True)
class Habits:
    """How often demonstrations do what; shares are 0 to 1."""

    believed: float = 0.4
    """Steps that go to somebody whose card names the skill; the others go to anybody."""
    whole: float = 0.12
    """Plans that hand over the whole question, up to three times."""
    merged: float = 0.15
    """Plans in which neighbouring parts may share a step."""
    checked: float = 0.2
    """Plans in which parts may be checked."""
    misread: float = 0.2
    """Plans whose access lists are drawn anew, step by step."""
    scrambled: float = 0.0
    """Problems whose clauses have their words in another order, in question and plan alike."""
    reworded: float = 0.0
    """Problems whose clauses are said with other carrying verbs or turned around."""
    respelled: float = 0.0
    """Problems whose numbers, words and names are made up, in question and plan alike."""
    again: float = 0.0
    """Demonstrations that are second rounds: the first one was played, and its answer is shown."""


@dataclass(frozen=True, slots=True)
class _Draft:
    """A step before it has a worker."""

    needs: tuple[str, ...]
    """Skills, or `all`, or `check`."""
    subtask: str
    access: tuple[int, ...]


def demonstration(
    problem: LabProblem, pool: AgentPool, rng: random.Random, habits: Habits | None = None
) -> str:
    """Write one completion.

    Args:
        problem: what the question is made of.
        pool: lab workers.
        rng: draws the plan.
        habits: how often it does what.
    """
    habits = habits or Habits()
    if rng.random() < habits.whole:
        drafts = _handed_over(rng)
    else:
        drafts = _divided(problem.parts, rng, habits)
        if rng.random() < habits.misread:
            drafts = [
                _Draft(d.needs, d.subtask, tuple(j for j in range(i) if rng.random() < 0.5))
                for i, d in enumerate(drafts)
            ]
    workers = [_worker(draft.needs[0], pool, rng, habits) for draft in drafts]
    reasons = ", ".join(
        f"{' and '.join(draft.needs)} by {pool[worker].spec.card} ({worker})"
        for draft, worker in zip(drafts, workers, strict=True)
    )
    steps = (
        Step(worker, draft.subtask, draft.access)
        for draft, worker in zip(drafts, workers, strict=True)
    )
    return f"{reasons}.\n{render(Workflow(tuple(steps)))}"


def again(
    problem: LabProblem, pool: AgentPool, rng: random.Random, habits: Habits | None = None
) -> str:
    """Write one completion of a second round: keep the answer, have it checked, or begin anew.

    Args:
        problem, pool, rng, habits: as those of `demonstration`.
    """
    draw = rng.randrange(3)
    if draw == 0:
        return KEEP
    if draw == 1:
        checker = _worker("check", pool, rng, habits or Habits())
        plan = render(Workflow((Step(checker, CHECK, before=True),)))
        return f"check by {pool[checker].spec.card} ({checker}).\n{plan}"
    return demonstration(problem, pool, rng, habits)


def drill(problem: LabProblem, rng: random.Random) -> tuple[str, str]:
    """A question without cards, and the list of its clauses: nothing but copying.

    Most of what a policy writes is copied, and a net from scratch learns to copy several times
    sooner where it sees nothing else.

    Returns:
        The prompt and the completion.
    """
    mixed = scrambled(problem, rng, _REPEATS)
    clauses = ", ".join(f'"{part.subtask}"' for part in mixed.parts)
    return f"{mixed.question}\n", f"[{clauses}]"


def _worker(need: str, pool: AgentPool, rng: random.Random, habits: Habits) -> int:
    claims: Sequence[str] = ()
    if need == "check":
        claims = (_CHECKER,)
    else:
        claims = next((names for skill, names in CLAIMS.items() if skill == need), ())
    present = [name for name in claims if name in pool.names]
    if present and rng.random() < habits.believed:
        return pool.find(rng.choice(present))
    return rng.randrange(len(pool))


def _handed_over(rng: random.Random) -> list[_Draft]:
    drafts: list[_Draft] = []
    for i in range(rng.choice((1, 1, 2, 3))):
        if i and rng.random() < 0.5:
            drafts.append(_Draft(("check",), CHECK, tuple(range(i))))
        else:
            drafts.append(_Draft(("all",), WHOLE, rng.choice(((), tuple(range(i))))))
    return drafts


def _divided(parts: Sequence[Part], rng: random.Random, habits: Habits) -> list[_Draft]:
    """A step per part, some of them merged, some of them checked."""
    merges, checks = rng.random() < habits.merged, rng.random() < habits.checked
    drafts: list[_Draft] = []
    at: list[int] = []
    for i, part in enumerate(parts):
        reads = tuple(sorted({at[j] for j in part.reads}))
        if merges and drafts and drafts[-1].needs != ("check",) and rng.random() < 0.5:
            last = drafts.pop()
            reads = tuple(sorted({*last.access, *reads} - {len(drafts)}))
            subtask = f"{last.subtask}, then {part.subtask}"
            drafts.append(_Draft((*last.needs, part.skill), subtask, reads))
        else:
            drafts.append(_Draft((part.skill,), part.subtask, reads))
        room = MAX_STEPS - len(drafts) - (len(parts) - 1 - i)
        if checks and room > 0 and rng.random() < 0.5:
            # A checker that does not see what a step worked on can only pass its answer on.
            seen = {*reads, len(drafts) - 1} if rng.random() < 0.7 else {len(drafts) - 1}
            drafts.append(_Draft(("check",), CHECK, tuple(sorted(seen))))
        at.append(len(drafts) - 1)
    return drafts
