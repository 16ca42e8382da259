"""What can be reached: the expected accuracy of a workflow, and the best one of a problem.

Because slips never lead to a right end by accident, the accuracy of a workflow that follows the
question is a product over its operations. `expected_accuracy` does not rely on that: it plays the
workflow on the workers themselves, once for every way in which their coins can fall.
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import chain, product
from math import prod
from typing import NamedTuple

from partbook.lab.pool import lab_worker
from partbook.lab.problem import LabProblem, Part
from partbook.lab.worker import Coin, words
from partbook.message import Usage
from partbook.pool import AgentPool
from partbook.workflow import MAX_STEPS, Step, Workflow

__all__ = [
    "CHECK",
    "TIE",
    "Optimum",
    "Performance",
    "expected_accuracy",
    "optimum",
    "parts_workflow",
    "perform",
]

CHECK = "Check the earlier answer."
"""The subtask by which the optimum asks for a check."""

TIE = 0.005
"""Expected accuracies this close are a tie, which the price decides."""

_MAX_BRANCHES = 2000
_SAMPLES = 2000
"""Attempts that are played where a workflow's coins can fall in too many ways."""


class Performance(NamedTuple):
    """One play of a workflow."""

    answer: str
    """The last step's answer."""
    cost_usd: Decimal
    """Of all steps' words, read and written."""
    words: int
    """Read and written."""


class Optimum(NamedTuple):
    """The best that the pool can do on a problem."""

    accuracy: float
    """Expected, 0 to 1."""
    workflow: Workflow
    """The cheapest workflow within `TIE` of the best accuracy that any workflow reaches."""
    cost_usd: Decimal
    """What that workflow costs where nobody slips."""


def perform(
    workflow: Workflow,
    question: str,
    pool: AgentPool,
    attempt: int = 0,
    coin: Coin | None = None,
) -> Performance:
    """Play a workflow on lab workers, at once and without an event loop.

    What the workers are shown is what `prompt.worker_messages` shows them in the form `plain`.

    Args:
        workflow: what to play.
        question: the user's question.
        pool: lab workers only.
        attempt: the `Sampling.seed` of all calls.
        coin: decides what goes well in place of the world.

    Raises:
        ConfigError: the pool has a worker that is none of the lab's.
    """
    answers: list[str] = []
    spent, total = Decimal(0), 0
    for step in workflow.steps:
        worker = lab_worker(pool, step.worker)
        read = [(workflow.steps[j].subtask, answers[j]) for j in step.access]
        answer = worker.answer(question, step.subtask, read, coin or worker.coin(attempt))
        answers.append(answer)
        shown = (question, step.subtask, *chain.from_iterable(read))
        usage = Usage(sum(map(words, shown)), words(answer))
        price = pool[step.worker].spec.price
        spent += price.cost_usd(usage) if price else Decimal(0)
        total += usage.total_tokens
    return Performance(answers[-1], spent, total)


def expected_accuracy(workflow: Workflow, problem: LabProblem, pool: AgentPool) -> float:
    """Probability, 0 to 1, over attempts that the workflow's answer is right.

    Exact but for slips that cancel each other where two branches meet; where the coins can fall
    in more than 2000 ways, an estimate from 2000 attempts.

    Raises:
        ConfigError: the pool has a worker that is none of the lab's.
    """
    workflow = _needed(workflow)
    total = 0.0
    for branches, (probability, answer) in enumerate(_branches(workflow, problem.question, pool)):
        total += probability * problem.is_right(answer)
        if branches == _MAX_BRANCHES:
            plays = (perform(workflow, problem.question, pool, n).answer for n in range(_SAMPLES))
            return sum(map(problem.is_right, plays)) / _SAMPLES
    return total


def _branches(workflow: Workflow, question: str, pool: AgentPool) -> Iterator[tuple[float, str]]:
    """(probability, answer) of every way in which the coins can fall."""
    waiting: list[dict[str, bool]] = [{}]
    while waiting:
        fallen = waiting.pop()
        toss = _Toss(fallen)
        answer = perform(workflow, question, pool, coin=toss).answer
        waiting += toss.open
        yield toss.probability, answer


class _Toss:
    """A coin that falls as told, else well; it notes the other ways in which it could have."""

    def __init__(self, told: dict[str, bool]) -> None:
        self.told = told
        self.fallen: dict[str, bool] = {}
        self.probability = 1.0
        self.open: list[dict[str, bool]] = []

    def __call__(self, what: str, probability: float) -> bool:
        if what in self.fallen:
            return self.fallen[what]
        well = self.told.get(what, probability > 0)
        if what not in self.told and 0 < probability < 1:
            self.open.append({**self.fallen, what: False})
        self.fallen[what] = well
        self.probability *= probability if well else 1 - probability
        return well


def _needed(workflow: Workflow) -> Workflow:
    """The steps that the last one reads, directly or not; the others cannot change the answer."""
    needed = {len(workflow.steps) - 1}
    for i in reversed(range(len(workflow.steps))):
        if i in needed:
            needed.update(workflow.steps[i].access)
    place = {old: new for new, old in enumerate(sorted(needed))}
    return Workflow(
        tuple(
            Step(step.worker, step.subtask, tuple(place[j] for j in step.access))
            for i, step in enumerate(workflow.steps)
            if i in needed
        )
    )


def parts_workflow(
    parts: Sequence[Part],
    workers: Sequence[int],
    checkers: Sequence[int | None] | None = None,
    merged: Sequence[bool] | None = None,
) -> Workflow:
    """A workflow that does a problem part by part.

    Args:
        parts: the problem's parts.
        workers: who does each of them.
        checkers: who checks each of them, in a step of its own; None: nobody.
        merged: whether a part is done in the same step as the one before, by its worker.

    Raises:
        WorkflowError: it would have too many steps.
    """
    steps: list[Step] = []
    at: list[int] = []
    for i, part in enumerate(parts):
        reads = tuple(sorted({at[j] for j in part.reads}))
        if merged is not None and merged[i]:
            last = steps.pop()
            reads = tuple(sorted({*last.access, *reads} - {len(steps)}))
            steps.append(Step(last.worker, f"{last.subtask}, then {part.subtask}", reads))
        else:
            steps.append(Step(workers[i], part.subtask, reads))
        checker = checkers[i] if checkers is not None else None
        if checker is not None:
            steps.append(Step(checker, CHECK, (*reads, len(steps) - 1)))
        at.append(len(steps) - 1)
    return Workflow(tuple(steps))


class _Choice(NamedTuple):
    """Who does a part, and who checks it."""

    worker: int
    checker: int | None
    accuracy: float


class _Plan(NamedTuple):
    """A choice for every part, and which of them share a step with the one before."""

    choices: tuple[_Choice, ...]
    merged: tuple[bool, ...]
    accuracy: float


def optimum(problem: LabProblem, pool: AgentPool) -> Optimum:
    """The cheapest workflow of at most 5 steps that no other beats by more than `TIE`.

    All assignments of workers to parts, of checkers to parts and of neighbouring parts to one
    step are compared. There is nothing else to gain: a part must be done by somebody, only a
    checker makes use of a second opinion, and it judges single parts.

    Raises:
        ConfigError: the pool has a worker that is none of the lab's.
    """
    plans = list(_plans(problem.parts, [_choices(part, pool) for part in problem.parts]))
    best = max(plan.accuracy for plan in plans)
    found: list[Optimum] = []
    for plan in plans:
        if plan.accuracy < best - TIE:
            continue
        workers = [choice.worker for choice in plan.choices]
        checkers = [choice.checker for choice in plan.choices]
        workflow = parts_workflow(problem.parts, workers, checkers, plan.merged)
        cost = perform(workflow, problem.question, pool, coin=_well).cost_usd
        found.append(Optimum(plan.accuracy, workflow, cost))
    return min(found, key=lambda one: (one.cost_usd, -one.accuracy))


def _well(what: str, probability: float) -> bool:
    return True


def _choices(part: Part, pool: AgentPool) -> list[_Choice]:
    profiles = [lab_worker(pool, i).profile for i in range(len(pool))]
    found = []
    for i, profile in enumerate(profiles):
        alone = profile.reliability(part.skill)
        found.append(_Choice(i, None, alone))
        for j, checker in enumerate(profiles):
            checked = alone * checker.keeps + (1 - alone) * checker.repairs
            if checked > alone:
                found.append(_Choice(i, j, checked))
    return found


def _plans(parts: Sequence[Part], choices: Sequence[Sequence[_Choice]]) -> Iterator[_Plan]:
    """All plans that may be within `TIE` of the best one, and some more."""
    highest = [max(choice.accuracy for choice in options) for options in choices]
    # Everybody at their best without a check always fits into the steps there are.
    reached = prod(max(c.accuracy for c in options if c.checker is None) for options in choices)
    least = max(0.0, reached - TIE) / prod(highest)
    near = [
        [choice for choice in options if choice.accuracy >= least * top]
        for options, top in zip(choices, highest, strict=True)
    ]
    for chosen in product(*near):
        accuracy = prod(choice.accuracy for choice in chosen)
        if accuracy < reached - TIE:
            continue
        checks = sum(choice.checker is not None for choice in chosen)
        for merged in product((False, True), repeat=len(parts) - 1):
            steps = len(parts) + checks - sum(merged)
            if steps <= MAX_STEPS and _can_merge(parts, chosen, (False, *merged)):
                yield _Plan(chosen, (False, *merged), accuracy)


def _can_merge(parts: Sequence[Part], chosen: Sequence[_Choice], merged: Sequence[bool]) -> bool:
    """Whether parts that share a step have one worker, no check, and hide no value.

    A step gives one answer: what another step reads must be the last value of its own.
    """
    for i in range(1, len(parts)):
        before, here = chosen[i - 1], chosen[i]
        if merged[i] and (
            before.worker != here.worker or (before.checker, here.checker) != (None, None)
        ):
            return False
    group = [i - sum(merged[: i + 1]) for i in range(len(parts))]
    last = {g: i for i, g in enumerate(group)}
    return all(
        group[j] == group[i] or last[group[j]] == j
        for i, part in enumerate(parts)
        for j in part.reads
    )
