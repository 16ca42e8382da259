"""Measured figures: from traces of runs, and from cells of evaluations.

A call's seconds are those between its step's start and its end, so calls that may have waited for a
turn of their worker are left out: those that began while as many others were under way as the
worker may have at once. Steps with tries, kept answers and answers without a usage are left out,
too; how many were, is said. Workflows are taken as they were played, with their rounds.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple

from partbook.errors import FaultKind
from partbook.evaluate.running.cell import Cell
from partbook.ledger import CONDUCTOR
from partbook.message import Usage
from partbook.retry import REACTIONS
from partbook.simulate.figures import Call, Mix, Plan, PlannedRound, PlannedStep, Sampled
from partbook.step_trace import StepTrace
from partbook.trace import RoundTrace, Trace

__all__ = ["Measurement"]


_POLICY = "policy"
"""The model of what a policy in training wrote: no call was made for it (`environment.Written`)."""


class _Timed(NamedTuple):
    """A call with its moment, in seconds since the epoch; None: it is not kept."""

    at_s: float | None
    call: Call


@dataclass(slots=True)
class Measurement:
    """Takes runs one by one, and says what they took."""

    name: str
    """Where they are from, for a person: `the store`."""
    runs: int = 0
    _calls: dict[str, list[_Timed]] = field(default_factory=dict)
    _left_out: Counter[str] = field(default_factory=Counter)
    _tries: Counter[str] = field(default_factory=Counter)
    _faults: dict[str, Counter[FaultKind]] = field(default_factory=dict)
    _plans: Counter[Plan] = field(default_factory=Counter)

    def add(self, trace: Trace) -> None:
        """Take a run; workflows only of those that were answered, calls of all."""
        self.runs += 1
        for round_ in trace.rounds:
            for text in round_.proposals:
                if text.fault is not None:
                    self._fault(CONDUCTOR, text.fault)
                elif not text.cached and text.model != _POLICY:
                    self._take(CONDUCTOR, None, text.seconds, text.usage)
            for step in round_.steps:
                self._add_step(trace, step)
        if trace.status == "answered" and all(r.parent is None for r in trace.rounds):
            rounds = [_round_of(r) for r in trace.rounds]
            if any(round_.steps for round_ in rounds):
                self._plans[Plan(tuple(rounds))] += 1

    def add_cell(self, cell: Cell, system: str | None = None) -> None:
        """Take a cell of an evaluation: its call where it has only one, and its workflow.

        Args:
            cell: the cell.
            system: whose workflows are taken; None: everybody's.
        """
        self.runs += 1
        spent = cell.spent
        if spent.calls == 1 and len(spent.workers) == 1:
            usage = Usage(spent.prompt_tokens, spent.completion_tokens)
            self._take(next(iter(spent.workers)), None, cell.seconds, usage)
        if system is not None and cell.system != system:
            return
        rounds = []
        for played in cell.played:
            steps = tuple(PlannedStep(step.worker, step.access) for step in played.steps)
            proposals = (1 if played.valid else 2) if played.proposed else 0
            rounds.append(PlannedRound(proposals, steps))
        if any(round_.steps for round_ in rounds):
            self._plans[Plan(tuple(rounds))] += 1

    def calls_of(self, worker: str, at_once: int) -> Sampled | None:
        """A worker's calls; None: there are none.

        Args:
            worker: its name, or `CONDUCTOR`.
            at_once: calls that it may have at once.
        """
        timed = self._calls.get(worker, [])
        if not timed:
            return None
        free = _unhindered(timed, at_once)
        waited = len(timed) - len(free)
        notes = [f"{waited} more may have waited"] if waited and free else []
        if not free:
            free, notes = timed, ["waits for a turn included"]
        if self._left_out[worker]:
            notes.append(f"{self._left_out[worker]} not used")
        number = f"{len(free)} call" if len(free) == 1 else f"{len(free):,} calls"
        beside = f" ({', '.join(notes)})" if notes else ""
        return Sampled(tuple(one.call for one in free), f"{self.name}: {number}{beside}")

    def faults_of(self, worker: str) -> Mapping[FaultKind, float]:
        """Share of a worker's calls that failed in a way that may pass, by kind."""
        found: Mapping[FaultKind, int] = self._faults.get(worker, {})
        return {kind: number / self._tries[worker] for kind, number in found.items()}

    def mix(self, source: str = "") -> Mix | None:
        """The workflows that were played; None: there are none."""
        if not self._plans:
            return None
        total = sum(self._plans.values())
        runs = f"{total} run" if total == 1 else f"{total:,} runs"
        said = f"{self.name}: {runs}, {len(self._plans)} different"
        return Mix(tuple(self._plans), tuple(self._plans.values()), source or said)

    def _add_step(self, trace: Trace, step: StepTrace) -> None:
        for attempt in step.attempts:
            if attempt.kind != "truncated" and attempt.calls:
                self._fault(attempt.worker, attempt.kind)
        if step.fault is not None and step.fault != "unavailable":
            self._fault(step.worker, step.fault)
        if step.cached or not step.calls or step.answer is None or step.finished_s is None:
            return
        worker = step.answered_by or step.worker
        if step.attempts:
            self._tries[worker] += 1
            self._left_out[worker] += 1
            return
        seconds = step.finished_s - step.started_s
        self._take(worker, trace.started_at + step.started_s, seconds, step.usage)

    def _take(self, worker: str, at_s: float | None, seconds: float, usage: Usage | None) -> None:
        self._tries[worker] += 1
        if usage is None:
            self._left_out[worker] += 1
        else:
            call = Call(max(0.0, seconds), usage)
            self._calls.setdefault(worker, []).append(_Timed(at_s, call))

    def _fault(self, worker: str, kind: FaultKind) -> None:
        self._tries[worker] += 1
        if REACTIONS[kind].retries != 0:
            self._faults.setdefault(worker, Counter())[kind] += 1


def _unhindered(timed: Iterable[_Timed], at_once: int) -> list[_Timed]:
    """Those that began while fewer than `at_once` others were under way."""
    known = sorted(
        ((one.at_s, one.call.seconds, one) for one in timed if one.at_s is not None),
        key=itemgetter(0),
    )
    ends = sorted(at_s + seconds for at_s, seconds, _ in known)
    # Of those that began before, the ones that have not ended are under way.
    free = [one for i, (at_s, _, one) in enumerate(known) if i - bisect_right(ends, at_s) < at_once]
    return free + [one for one in timed if one.at_s is None]


def _round_of(round_: RoundTrace) -> PlannedRound:
    workflow = round_.workflow
    proposals = sum(text.fault is None for text in round_.proposals)
    checks = tuple(check.worker for check in round_.checks if check.fault is None)
    if workflow is None:
        return PlannedRound(proposals, (), checks)
    by_step = {step.step: step for step in round_.steps}
    steps = []
    for i, step in enumerate(workflow.steps):
        found = by_step.get(i)
        if found is not None:
            goes_on = sum(attempt.kind == "truncated" for attempt in found.attempts)
            steps.append(PlannedStep(found.worker, step.access, 1 + goes_on))
    return PlannedRound(proposals, tuple(steps), checks)
