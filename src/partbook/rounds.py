"""What a round knows of the rounds before it, read off the trace, and whether another one follows.

Everything here is a function of what has happened, so a run that goes on after it was cut short
comes to the same conclusions as one that was not. Playing rounds is left to `conducting.py`, asking
a checker to `check.py`.

A worker that failed in an earlier round is not there any more. The Conductor is shown the others,
numbered anew, while traces keep the numbers of the whole pool.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from partbook.message import Message
from partbook.parse import render
from partbook.pool import AgentPool, WorkerSpec
from partbook.prompt import Turn, check_subtask, inner_question, worker_messages
from partbook.shorten import shortened
from partbook.step_trace import StepTrace
from partbook.trace import RoundTrace, Trace
from partbook.workflow import Workflow

__all__ = [
    "LOST",
    "NEVER",
    "SHOWN_CHARS",
    "STOP_KINDS",
    "Standing",
    "StopKind",
    "StopRule",
    "checker_messages",
    "doubts",
    "failed_workers",
    "is_over",
    "present",
    "question_of",
    "reads",
    "renumbered",
    "root_rounds",
    "standing",
    "turns_before",
]

LOST = "the process ended before the answer came; the provider may bill the call"
"""What a call that was in flight when the process ended is said to have come to."""

SHOWN_CHARS = 4000
"""So much of an answer or of its own text the Conductor sees again, about 1,000 tokens: prompt,
answer and a new workflow have to fit into the 4,096 tokens of a small model."""

_REMARK_CHARS = 400

StopKind = Literal["never", "once", "unsure", "conductor", "checker"]

STOP_KINDS: tuple[StopKind, ...] = ("never", "once", "unsure", "conductor", "checker")

_NAMED = re.compile("worker '[^']{0,80}': ")
"""How an error begins; the Conductor may not know its workers by name."""

_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class StopRule:
    """Whether another round follows, as long as the limit of rounds allows it."""

    kind: StopKind = "conductor"
    """`never`: there is one round. `once`: there is always a second one. `unsure`: where `doubts`
    finds something. `checker`: where a worker does not agree with the answer. `conductor`: always;
    the Conductor ends it by keeping the answer, as it may under every rule."""
    checker: str = ""
    """Name or role of the worker who checks."""


NEVER = StopRule("never")


@dataclass(frozen=True, slots=True)
class Standing:
    """The answer that stands."""

    round: int
    """Whose it is."""
    subtask: str
    """What its worker was to do."""
    answer: str


def root_rounds(trace: Trace) -> list[int]:
    """The rounds of the question itself, in order; the others carry out a step of one of them."""
    return [i for i, round_ in enumerate(trace.rounds) if round_.parent is None]


def is_over(trace: Trace, index: int) -> bool:
    """Whether a round, or one that it is a part of, ended without an answer of its own."""
    round_ = trace.rounds[index]
    if round_.unanswered is not None or round_.parent is None:
        return round_.unanswered is not None
    return is_over(trace, round_.parent[0])


def standing(trace: Trace, index: int) -> Standing | None:
    """The answer that stands before a round; None: there is none."""
    if index < len(trace.rounds) and trace.rounds[index].parent is not None:
        return None
    for i in reversed(root_rounds(trace)):
        round_ = trace.rounds[i]
        if i < index and round_.answer is not None and round_.workflow is not None:
            return Standing(i, round_.workflow.steps[-1].subtask, round_.answer)
    return None


def failed_workers(trace: Trace, index: int, pool: AgentPool) -> dict[str, str]:
    """Workers that failed in a round before, with what was said; of a part, before the whole."""
    while index < len(trace.rounds) and (parent := trace.rounds[index].parent) is not None:
        index = parent[0]
    fallbacks = {worker.name: worker.spec.fallbacks for worker in pool.workers}
    found: dict[str, str] = {}
    for round_ in trace.rounds[:index]:
        for step in round_.steps:
            found |= _failed(step, fallbacks.get(step.worker, ()))
    return {name: error for name, error in found.items() if name in fallbacks}


def _failed(step: StepTrace, fallbacks: Sequence[str]) -> dict[str, str]:
    found = {
        attempt.worker: attempt.error
        for attempt in step.attempts
        if attempt.kind != "truncated" and attempt.error != LOST
    }
    found.pop(step.answered_by, None)
    if step.error is not None and step.fault is not None:
        # Its fallbacks were all asked, or it would have an answer.
        return dict.fromkeys([step.worker, *fallbacks], step.error) | found
    # A step that was cut short may have been about to be answered.
    return found if step.answer is not None else {}


def present(trace: Trace, index: int, pool: AgentPool) -> list[int]:
    """Indices of the workers that a round may call: those that did not fail before.

    A round that carries out a step has no Conductor among its workers.
    """
    gone: Collection[str] = failed_workers(trace, index, pool)
    is_part = index < len(trace.rounds) and trace.rounds[index].parent is not None
    return [
        i
        for i, worker in enumerate(pool.workers)
        if worker.name not in gone and not (is_part and worker.spec.kind == "conductor")
    ]


def renumbered(workflow: Workflow, numbers: Sequence[int]) -> Workflow:
    """The workflow with `numbers[w]` in the place of worker w."""
    return Workflow(tuple(replace(step, worker=numbers[step.worker]) for step in workflow.steps))


def turns_before(trace: Trace, index: int, pool: AgentPool) -> tuple[Turn, ...]:
    """The rounds before this one, as the Conductor is told of them."""
    if index < len(trace.rounds) and trace.rounds[index].parent is not None:
        return ()
    roots = [i for i in root_rounds(trace) if i < index]
    pairs = pairwise([*roots, index])
    return tuple(_turn(trace, i, following, pool) for i, following in pairs)


def _turn(trace: Trace, index: int, following: int, pool: AgentPool) -> Turn:
    round_ = trace.rounds[index]
    found = standing(trace, following)
    answer = None if found is None else shortened([found.answer], SHOWN_CHARS)[0]
    before = failed_workers(trace, index, pool)
    left = {
        name: error
        for name, error in failed_workers(trace, following, pool).items()
        if name not in before
    }
    remarks = [f"What speaks against it: {doubt}." for doubt in doubts(round_)]
    remarks += [
        f"A checker did not agree with it: {_short(check.text)}"
        for check in round_.checks
        if check.agrees is False
    ]
    if round_.unanswered is not None and answer is not None:
        remarks.append("The last workflow was not carried out to its end.")
    for name, error in left.items():
        card = pool[pool.find(name)].spec.card or "a language model"
        said = _NAMED.sub("", _short(error))
        remarks.append(f"A worker failed and is not there any more ({card}): {said}")
    text = _written(round_, present(trace, index, pool))
    return Turn(text, answer, tuple(remarks), bool(left))


def _written(round_: RoundTrace, numbers: Sequence[int]) -> str:
    texts = [text.text for text in round_.proposals if text.fault is None and text.error is None]
    if round_.source in ("conductor", "retry") and texts and len(texts[-1]) <= SHOWN_CHARS:
        return texts[-1]
    if round_.workflow is None:
        return "(nothing)"
    own = {number: i for i, number in enumerate(numbers)}
    workers = [own.get(i, 0) for i in range(max(round_.workflow.workers) + 1)]
    return render(renumbered(round_.workflow, workers))


def _short(text: str) -> str:
    return " ".join(text[: 4 * _REMARK_CHARS].split())[:_REMARK_CHARS]


def reads(trace: Trace, index: int, step: int) -> list[tuple[str, str]]:
    """(subtask, answer) of all that a step reads."""
    round_ = trace.rounds[index]
    if round_.workflow is None:
        return []
    steps = round_.workflow.steps
    answers = {done.step: done.answer or "" for done in round_.steps}
    found = [(steps[j].subtask, answers.get(j, "")) for j in steps[step].access]
    before = standing(trace, index) if steps[step].before else None
    return found if before is None else [(before.subtask, before.answer), *found]


def checker_messages(trace: Trace, index: int, spec: WorkerSpec) -> tuple[Message, ...]:
    """What a checker of a round's answer is shown, as any worker is shown an earlier step."""
    found = standing(trace, index + 1)
    read = [] if found is None else [(found.subtask, found.answer)]
    return worker_messages(trace.question, check_subtask(), read, spec)


def question_of(trace: Trace, index: int) -> str:
    """The question of a round: the user's, or the step that it carries out."""
    parent = trace.rounds[index].parent if index < len(trace.rounds) else None
    if parent is None:
        return trace.question
    whole, step = parent
    workflow = trace.rounds[whole].workflow
    subtask = "" if workflow is None else workflow.steps[step].subtask
    return inner_question(question_of(trace, whole), subtask, reads(trace, whole, step))


def doubts(round_: RoundTrace) -> list[str]:
    """What speaks against the answer of a round, a clause each; empty: nothing that can be seen.

    A chat completion says nothing about how sure its writer is, so these are signs and no measure:
    a workflow that needed a second try or the fallback, an answer that is blank or was cut off, a
    worker in whose place another answered, and workers that were given the same subtask and whose
    answers differ in their last number, or where neither has one, in their last line.
    """
    return list(_doubts(round_))


def _doubts(round_: RoundTrace) -> Iterator[str]:
    if round_.source == "retry":
        yield "the first text held no workflow"
    if round_.source == "fallback":
        yield "no text held a workflow, another one was played"
    for step in round_.steps:
        if step.answer is not None and not step.answer.strip():
            yield f"the answer of step {step.step} is blank"
        if step.finish_reason == "length":
            yield f"the answer of step {step.step} was cut off"
        if step.answered_by and step.answered_by != step.worker:
            yield f"another worker answered in step {step.step}"
    if round_.workflow is None:
        return
    said: dict[str, tuple[int, str]] = {}
    for step in round_.steps:
        if step.answer is None:
            continue
        task = " ".join(round_.workflow.steps[step.step].subtask.casefold().split())
        value = _value(step.answer)
        first, other = said.setdefault(task, (step.step, value))
        if other != value:
            yield f"steps {first} and {step.step} did the same and do not agree"


def _value(answer: str) -> str:
    numbers = _NUMBER.findall(answer)
    if numbers:
        return str(numbers[-1]).replace(",", "")
    lines = [line for line in answer.casefold().splitlines() if line.strip()]
    return " ".join(lines[-1].split()).strip(".!* ") if lines else ""
