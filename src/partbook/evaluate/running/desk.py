"""Desk: where one cell is played. It hands the system a sitting, and turns what came of it into a
cell.

Two budgets lie around every call: the problem's own, which is the same for every system, and that
of the whole evaluation. They differ in what they mean. A system that has used up its own has had
its chance, and what it answers is judged. Where the whole evaluation ran out, or a worker was down,
nobody can say how the system would have done: the cell is not judged.
"""

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from partbook.budget import Budget, Budgeted, Limits
from partbook.conduct import Conductor, Proposer, conduct
from partbook.errors import BudgetError
from partbook.evaluate.posed import Posed
from partbook.evaluate.running.calls import CallLog
from partbook.evaluate.running.cell import Cell, Key, key_text, played_of, spent_of, tail
from partbook.evaluate.running.till import Till, Who
from partbook.evaluate.system import Sitting, System
from partbook.ledger import CONDUCTOR
from partbook.model import ChatModel
from partbook.pool import AgentPool, Worker
from partbook.price import Price
from partbook.tasks.judges.verdict import Verdict
from partbook.trace import Trace

__all__ = ["Desk", "Done", "Seat", "play_cell", "play_key", "whole_budget"]

_APART = 1_000_003
"""Between the sampling seeds of two repeats: far more than a system that counts up will use."""

_OUTAGES: Mapping[str | None, str] = {
    "worker": "a worker gave no usable answer",
    "timeout": "the limit of seconds was reached",
    "interrupted": "it was interrupted",
    "setup": "something had to be mended first",
}
"""Why a run can end that says nothing about the system."""


@dataclass(slots=True)
class Desk:
    """What one cell's calls go through."""

    key: Key
    till: Till
    """With the log and the budget of the whole evaluation."""
    own: Budget
    """Of this problem."""
    timeout_s: float | None
    """For the whole cell."""
    begun: float = field(default_factory=time.monotonic)
    refused: str = ""
    """What the whole evaluation's budget said when it forbade a call; empty where it did not."""

    async def conduct(
        self, question: str, pool: AgentPool, proposer: Proposer, rounds: int = 1
    ) -> Trace:
        """As `system.Play`."""
        behind = AgentPool(pool.name, tuple(self._worker(worker) for worker in pool.workers))
        if isinstance(proposer, Conductor):
            model = self._model(proposer.model, CONDUCTOR, proposer.price)
            proposer = replace(proposer, model=model, sampling=self._sampled(proposer).sampling)
        left_s = None
        if self.timeout_s is not None:
            left_s = max(0.001, self.timeout_s - (time.monotonic() - self.begun))
        return await conduct(
            question, behind, proposer, limits=Limits(timeout_s=left_s, rounds=rounds)
        )

    def _worker(self, worker: Worker) -> Worker:
        spec = worker.spec
        repeat = self.key[2]
        if repeat and (spec.kind in ("lab", "local", "torch") or spec.sampling.seed is not None):
            # These answer the same again unless they are told to draw anew.
            seed = (spec.sampling.seed or 0) + repeat * _APART
            spec = replace(spec, sampling=replace(spec.sampling, seed=seed))
        model = self._model(worker.model, spec.name, spec.price, spec.is_tool, shareable=True)
        return Worker(spec, model)

    def _sampled(self, conductor: Conductor) -> Conductor:
        """The Conductor with a seed of its own in each repeat, where it has one."""
        sampling, repeat = conductor.sampling, self.key[2]
        if repeat and sampling.seed is not None:
            sampling = replace(sampling, seed=sampling.seed + repeat * _APART)
        return replace(conductor, sampling=sampling)

    def _model(
        self,
        model: ChatModel,
        name: str,
        price: Price | None,
        is_tool: bool = False,
        shareable: bool = False,
    ) -> ChatModel:
        who = Who(key_text(self.key), name, price, is_tool, shareable)
        return Budgeted(self.till.behind(model, who, self._refuse), self.own, price, is_tool)

    def _refuse(self, err: BudgetError) -> None:
        self.refused = str(err)


@dataclass(frozen=True, slots=True)
class Done:
    """A cell that was played, with the traces that the store is to keep."""

    cell: Cell
    traces: tuple[Trace, ...]
    refused: str = ""
    """As `Desk.refused`."""


async def play_cell(system: System, posed: Posed, desk: Desk, seed: int) -> Done:
    """Let a system answer a problem, and judge the answer.

    Args:
        system: who answers.
        posed: what is asked.
        desk: what the calls go through; its key names the cell.
        seed: of the evaluation.

    Raises:
        ConfigError: something is wrong that only the user can mend.
        asyncio.CancelledError: the caller gave up.
    """
    name, problem, repeat = desk.key
    # Seeded by words, so that no system's draws depend on which others there are.
    rng = random.Random(f"{seed}|{name}|{problem}|{repeat}")
    sitting = Sitting(posed.question, posed.pool, rng, desk.conduct)
    answer = await system.answer(sitting)
    seconds = round(time.monotonic() - desk.begun, 3)
    traces = tuple(sitting.traces)
    outage = f"the limit of the whole evaluation: {desk.refused}" if desk.refused else ""
    outage = outage or _outage(traces)
    if outage:
        verdict = Verdict("not judged", None, outage)
    elif answer is None:
        verdict = Verdict("wrong", None, _no_answer(traces))
    else:
        verdict = await posed.judge.judge(answer)
    cell = Cell(
        name,
        problem,
        repeat,
        verdict.outcome,
        tail(verdict.reason) or "",
        tail(answer),
        tail(verdict.answer),
        verdict.judged_by,
        spent_of(traces),
        seconds,
        played_of(traces),
        tuple(trace.run_id for trace in traces),
    )
    return Done(cell, traces, desk.refused)


@dataclass(frozen=True, slots=True)
class Seat:
    """What cells are played with, wherever that is."""

    systems: Mapping[str, System]
    """By name."""
    problems: Mapping[str, Posed]
    """By id."""
    seed: int
    each: Limits
    """What every system may spend on one problem."""


async def play_key(seat: Seat, key: Key, till: Till) -> Done:
    """Play the cell of a key; raises as `play_cell`."""
    desk = Desk(key, till, Budget(seat.each), seat.each.timeout_s)
    return await play_cell(seat.systems[key[0]], seat.problems[key[1]], desk, seat.seed)


def whole_budget(limits: Limits, log: CallLog) -> Budget:
    """The budget of a whole evaluation, of which its earlier runs have spent their part."""
    budget = Budget(limits)
    budget.book(0, log.spent_usd)
    return budget


def _outage(traces: tuple[Trace, ...]) -> str:
    """What stood in the way that is not the system's doing; empty where nothing did."""
    for trace in traces:
        if trace.status != "answered" and trace.reason in _OUTAGES:
            return f"{_OUTAGES[trace.reason]}: {trace.detail}"
    return ""


def _no_answer(traces: tuple[Trace, ...]) -> str:
    ends = [trace for trace in traces if trace.status != "answered"]
    return f"no answer: {ends[-1].detail}" if ends else "no answer"
