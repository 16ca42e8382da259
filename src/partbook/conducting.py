"""Plays the rounds of one run: propose, play, and perhaps look at the answer again.

A later round begins with all that `rounds.py` reads off the trace, on a stage of its own, so that
nothing of one round leaks into another. A worker that failed is not there in the next one. Where a
worker is the Conductor itself, its step is a round, too: it has the step's question, the budget of
the whole run, and no Conductor among its workers. How a run ends is left to `conduct.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from partbook.check import answer_agrees
from partbook.errors import BudgetError, FaultKind, ParseError, WorkerError
from partbook.event import (
    Planned,
    RoundFinished,
    RoundStarted,
    RoundUnanswered,
    Status,
    StepFinished,
    StepStarted,
    StopReason,
    Unanswered,
)
from partbook.execute import play
from partbook.message import Message, Usage
from partbook.prompt import inner_question
from partbook.propose import Proposer
from partbook.resume import settled
from partbook.rounds import (
    StopRule,
    doubts,
    failed_workers,
    present,
    question_of,
    renumbered,
    root_rounds,
    standing,
)
from partbook.running import Run
from partbook.trace import Trace

__all__ = ["Conducting"]

_MOST = {"never": 1, "once": 2}
"""Rounds that a stop rule allows by itself."""


@dataclass(slots=True)
class Conducting:
    """The rounds of one run while they are played."""

    run: Run
    proposer: Proposer
    rule: StopRule
    index: int = 0
    """The round of the question that is being played."""
    is_open: bool = True
    """Whether that round has not come to its end yet."""

    async def play(self) -> None:
        """Play rounds until one of them is the last.

        Raises:
            ParseError, WorkerError, BudgetError: the present round has no answer of its own, and no
                other follows.
            ConfigError: as `Proposer.propose`.
        """
        earlier = self.run.stage.earlier
        if earlier is not None:
            self.proposer.count_earlier(self.run.stage)
            self.index = max(root_rounds(earlier), default=0)
        while True:
            await self._round()
            self.is_open = False
            if self.run.limits.rounds == 1 or not await self._goes_on():
                return
            self.index, self.is_open = self.run.builder.next_round, True

    async def planned(self, index: int, parent: tuple[int, int] | None = None) -> Planned | None:
        """Begin a round and settle its workflow, or find what was settled before.

        Returns:
            The workflow, by the numbers of the whole pool; None where the answer is kept.
        """
        run, earlier = self.run, self.run.stage.earlier
        if earlier is None or index >= len(earlier.rounds):
            run.emit(RoundStarted(index, parent))
        elif (before := settled(earlier, index)) is not None:
            return before
        if index == 0:  # nothing is before it
            planned = await self.proposer.propose(run.stage, index)
        else:
            past = run.builder.build()
            stage, numbers = run.stage.at_round(past, index).for_conductor(past, index)
            planned = await self.proposer.propose(stage, index)
            if planned is not None and len(numbers) < len(run.stage.pool):
                planned = replace(planned, workflow=renumbered(planned.workflow, numbers))
        if planned is not None:
            run.emit(planned)
        return planned

    def stop(self, status: Status, reason: StopReason, unanswered: Unanswered, detail: str) -> None:
        """End the run; where an earlier round has an answer, that answer stands."""
        past = self.run.builder.build()
        found = standing(past, len(past.rounds))
        if found is None:
            self.run.finish(status, reason, detail)
            return
        if self.is_open:
            self.run.emit(RoundUnanswered(self.index, unanswered, detail))
        self.run.finish("answered", None, f"{detail}; the answer of round {found.round} stands")

    async def _round(self) -> None:
        index, earlier = self.index, self.run.stage.earlier
        if earlier is not None:
            known = earlier.rounds[index : index + 1]
            if any(round_.unanswered is not None for round_ in known):
                return
        try:
            answer = await self._played(index)
        except WorkerError as err:
            past = self.run.builder.build()
            if not (self._may_go_on(past) and self._somebody_left(past)):
                raise
            self.run.emit(RoundUnanswered(index, "worker", str(err)))
            return
        if answer is None:
            detail = "the Conductor kept the answer"
            self.run.emit(RoundUnanswered(index, "kept", detail))

    async def _played(self, index: int, parent: tuple[int, int] | None = None) -> str | None:
        """Play one round; None where the answer before is kept."""
        planned = await self.planned(index, parent)
        if planned is None:
            return None
        stage = self.run.stage
        if any(worker.spec.kind == "conductor" for worker in stage.pool.workers):
            stage = replace(stage, inner=self._inner)
        if index > 0:
            past = self.run.builder.build()
            stage = stage.at_round(past, index)
            if parent is not None and not _is_last(past, *parent):
                # Its answer is read by other steps, not by the user.
                stage = replace(stage, pool=replace(stage.pool, last=None))
        answer = await play(planned.workflow, stage, index)
        self.run.emit(RoundFinished(index, answer))
        return answer

    async def _goes_on(self) -> bool:
        """Whether another round follows the present one, which is over."""
        past = self.run.builder.build()
        if not self._may_go_on(past):
            return False
        round_ = past.rounds[self.index]
        if round_.unanswered is not None:
            return round_.unanswered == "worker" and self._somebody_left(past)
        match self.rule.kind:
            case "unsure":
                return bool(doubts(round_))
            case "checker":
                stage = self.run.stage.at_round(past, self.index)
                return await answer_agrees(stage, past, self.index, self.rule.checker) is False
            case _:
                return True

    def _may_go_on(self, past: Trace) -> bool:
        most = min(self.run.limits.rounds, _MOST.get(self.rule.kind, self.run.limits.rounds))
        return len(root_rounds(past)) < most

    def _somebody_left(self, past: Trace) -> bool:
        """Whether a worker failed in the present round, and others are there."""
        pool, following = self.run.stage.pool, len(past.rounds)
        failed = failed_workers(past, following, pool).keys()
        before = failed_workers(past, self.index, pool).keys()
        return bool(failed - before) and bool(present(past, following, pool))

    async def _inner(self, index: int, step: int, read: Sequence[tuple[str, str]]) -> str:
        """Carry out a step by a round of its own; what it reads is in the trace already."""
        run = self.run
        past = run.builder.build()
        workflow = past.rounds[index].workflow
        if workflow is None:
            raise AssertionError("a step is carried out after its workflow is settled")
        name = run.stage.pool[workflow.steps[step].worker].name
        parent = (index, step)
        # A run that goes on finds the round that it had begun.
        begun = [i for i, round_ in enumerate(past.rounds) if round_.parent == parent]
        inside = begun[-1] if begun else run.builder.next_round
        question = inner_question(question_of(past, index), workflow.steps[step].subtask, read)
        shown = (Message("user", question),)
        run.emit(StepStarted(index, step, name, shown, run.stage.clock()))
        try:
            answer = await self._played(inside, parent)
        except (WorkerError, ParseError) as err:
            kind = err.kind if isinstance(err, WorkerError) else "unknown"
            run.emit(_ended(index, step, run.stage.clock(), None, str(err), kind))
            raise WorkerError(f"worker {name!r}: {err}", usage=Usage(), kind=kind) from err
        except BudgetError as err:
            run.emit(_ended(index, step, run.stage.clock(), None, str(err)))
            raise
        if answer is None:
            raise AssertionError("the first round of a part has no answer to keep")
        run.emit(_ended(index, step, run.stage.clock(), answer, by=name))
        return answer


def _is_last(past: Trace, index: int, step: int) -> bool:
    workflow = past.rounds[index].workflow
    return workflow is not None and step == len(workflow.steps) - 1


def _ended(
    index: int,
    step: int,
    at_s: float,
    answer: str | None,
    error: str | None = None,
    fault: FaultKind | None = None,
    by: str = "",
) -> StepFinished:
    """The end of a step that a round of its own carried out: all its calls are told there."""
    return StepFinished(
        index,
        step,
        at_s,
        answer,
        error,
        model="",
        usage=Usage(),
        cost_usd=Decimal(0),
        finish_reason=None if answer is None else "stop",
        calls=0,
        answered_by=by,
        fault=fault,
    )
