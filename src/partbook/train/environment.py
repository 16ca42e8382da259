"""The environment: from a row and a completion to a reward, whatever trains on it.

A completion is parsed, played and judged exactly as a question is conducted for a user; the only
difference is that nobody asks the policy a second time. All rollouts of a call are in flight at
once, each with a hard deadline. Nothing that happens to a rollout can leave here as an exception:
an outage, a deadline and a bug in a judge are outcomes without a reward.

A trainer calls `Environment.score` and reads the rewards. Dropping groups that have lost a member
is left to it, because only it sees whole groups.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from partbook.budget import Limits
from partbook.conduct import conduct
from partbook.errors import ParseError
from partbook.event import Planned, Proposed, Status
from partbook.lab import lab_pool
from partbook.message import Usage
from partbook.parse import parse
from partbook.pool import AgentPool
from partbook.reward import RIGHT, WRONG, Tariff, reward_of
from partbook.rounds import StopRule
from partbook.stage import Stage
from partbook.trace import Trace, TraceBuilder
from partbook.train.row import Row, problem_of
from partbook.workflow import Workflow

__all__ = [
    "Cut",
    "Environment",
    "Judge",
    "Outcome",
    "Revise",
    "Written",
    "lab_environment",
    "lab_judge",
]

log = logging.getLogger(__name__)

Judge = Callable[[Row, str], Awaitable[bool | None]]
"""Says whether an answer to a row's problem is right; None: it cannot say."""

Revise = Callable[[Workflow], Workflow]
"""Changes a workflow before it is played."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one rollout."""

    reward: float | None
    """0, 0.5 or 1, perhaps less its price; None: not scored."""
    verdict: str
    """`right`, `wrong`, `unparsed`, or why it has no reward: `worker`, `timeout`, `calls`, ..."""
    trace: Trace | None = None
    """None where the rollout ended in a bug or could not be stopped."""
    workflow: Workflow | None = None
    """None where the text holds none."""
    kept: bool = False
    """Whether a second round kept the answer of the first."""

    @property
    def valid(self) -> bool:
        """Whether the text held a workflow, or kept an answer that there was."""
        return self.workflow is not None or self.kept


@dataclass(frozen=True, slots=True)
class Written:
    """A Proposer whose text is already there: what the policy wrote, asked once."""

    text: str
    revise: Revise | None = None
    """Changes the workflow before it is played."""

    async def propose(self, stage: Stage, round_index: int) -> Planned | None:
        """As `propose.Proposer.propose`.

        Raises:
            ParseError: the text holds no workflow.
        """
        later = stage.before is not None
        workflow: Workflow | None = None
        error: ParseError | None = None
        try:
            workflow = parse(self.text, len(stage.pool), later=later)
        except ParseError as err:
            error = err
        keeps = later and error is not None and error.reason == "empty_plan"
        told = None if error is None or keeps else str(error)
        # The policy runs on this machine: its tokens are the trainer's to count and cost nothing.
        stage.emit(Proposed(round_index, self.text, "policy", Usage(), Decimal(0), 0.0, told))
        if keeps:
            return None
        if workflow is None:
            raise error or AssertionError
        if self.revise is not None:
            workflow = self.revise(workflow)
        return Planned(round_index, workflow, "conductor")

    def count_earlier(self, stage: Stage) -> None:
        """As `propose.Proposer.count_earlier`; the policy's texts cost nothing."""


class Cut:
    """Ends rollouts that nobody waits for any longer; what they have spent stays known."""

    def __init__(self) -> None:
        self._tasks: list[asyncio.Task[Outcome]] = []

    def watch(self, tasks: list[asyncio.Task[Outcome]]) -> None:
        """Name what is to be ended."""
        self._tasks = tasks

    def now(self) -> None:
        """End it; to be called in the loop in which it plays."""
        for task in self._tasks:
            task.cancel()


@dataclass(frozen=True, slots=True)
class Environment:
    """Plays and judges completions."""

    pool_of: Callable[[Row], AgentPool]
    """The pool that a row was drawn for, in the row's order."""
    judge: Judge
    limits: Limits
    """Of each rollout; its seconds are the hard deadline."""
    grace_s: float = 1.0
    """How much longer than its deadline a rollout may take to wind up."""
    loop: asyncio.AbstractEventLoop | None = None
    """The loop in which rollouts are played; None: the caller's."""
    tariff: Tariff | None = None
    """What a right answer's price takes from its reward; None: nothing, as in the paper."""
    revise: Revise | None = None
    """Changes workflows before they are played; None: they are played as they are written."""
    away: Callable[[Row, str, Trace | None], Awaitable[Outcome]] | None = None
    """Plays a rollout on another machine; None: it is played here."""

    async def score(
        self,
        rows: Sequence[Row],
        texts: Sequence[str],
        before: Sequence[Trace | None] | None = None,
        cut: Cut | None = None,
    ) -> list[Outcome]:
        """Play all rollouts at once.

        Args:
            rows: what each completion answers; the rows of a group are equal.
            texts: the completions.
            before: of completions that are second rounds, the run of the first round; None: all
                are first rounds. Nothing of an earlier round is played again, and the trace of a
                second round holds both.
            cut: ends before their deadline those that are not over.

        Returns:
            One outcome per completion, in order. Every completion is played once.

        Raises:
            ValueError: there are not as many rows as texts.
            asyncio.CancelledError: the caller gave up.
        """
        earlier = before or [None] * len(rows)
        if not len(rows) == len(texts) == len(earlier):
            raise ValueError(f"{len(rows)} rows and {len(texts)} texts do not match")
        if self.loop is None or self.loop is asyncio.get_running_loop():
            return await self._score(rows, texts, earlier, cut)
        there = asyncio.run_coroutine_threadsafe(self._score(rows, texts, earlier, cut), self.loop)
        here = asyncio.wrap_future(there)
        # The loop cuts rollouts off by itself; it is late only where something blocks it.
        try:
            done, _ = await asyncio.wait([here], timeout=self._patience(2 * self.grace_s))
        finally:
            there.cancel()  # does nothing where it is done
        if not done:
            log.error("rollouts are not scored: something blocks the loop in which they play")
            return [Outcome(None, "blocked")] * len(rows)
        return here.result()

    def _patience(self, more_s: float) -> float | None:
        wait_s = self.limits.timeout_s
        return None if wait_s is None else wait_s + more_s

    async def _score(
        self,
        rows: Sequence[Row],
        texts: Sequence[str],
        before: Sequence[Trace | None],
        cut: Cut | None,
    ) -> list[Outcome]:
        seen = [TraceBuilder() for _ in rows]
        tasks = [
            asyncio.create_task(self._one(row, text, earlier, trace))
            for row, text, earlier, trace in zip(rows, texts, before, seen, strict=True)
        ]
        if not tasks:
            return []
        if cut is not None:
            cut.watch(tasks)
        try:
            await asyncio.wait(tasks, timeout=self._patience(self.grace_s))
        finally:
            for task in tasks:
                task.cancel()
        return [_settled(task, trace) for task, trace in zip(tasks, seen, strict=True)]

    async def _one(self, row: Row, text: str, before: Trace | None, seen: TraceBuilder) -> Outcome:
        if self.away is not None:
            return await self.away(row, text, before)
        limits, stop = self.limits, StopRule("never")
        if before is not None:
            # Its deadline is counted from here: the policy has taken its time to write.
            before = replace(before, seconds=0.0)
            limits, stop = replace(limits, rounds=2), StopRule("once")
        trace = await conduct(
            row.question,
            self.pool_of(row),
            Written(text, revise=self.revise),
            limits=limits,
            on_event=seen.add,
            earlier=before,
            stop=stop,
        )
        ended = trace if before is None else _of_second_round(trace)
        right = None
        if ended.status == "answered":
            right = await self.judge(row, trace.answer or "")
        workflow = trace.rounds[-1].workflow if trace.rounds else None
        reward = reward_of(ended, right)
        verdict = _verdict(reward, ended)
        if self.tariff is not None:
            reward = self.tariff.of(reward, trace.cost_usd)
        kept = bool(trace.rounds) and trace.rounds[-1].unanswered == "kept"
        return Outcome(reward, verdict, trace, workflow, kept)


def _of_second_round(trace: Trace) -> Trace:
    """A run as its second round ended: where that failed, an answer that stands is not its own."""
    unanswered = trace.rounds[-1].unanswered
    if trace.status != "answered" or unanswered is None or unanswered == "kept":
        return trace
    status: Status = "failed" if unanswered in ("workflow", "worker") else "stopped"
    return replace(trace, status=status, reason=unanswered)


def _verdict(reward: float | None, trace: Trace) -> str:
    if reward is None:
        return trace.reason or "not judged"
    return "right" if reward == RIGHT else "wrong" if reward == WRONG else "unparsed"


def _settled(task: asyncio.Task[Outcome], seen: TraceBuilder) -> Outcome:
    """The outcome of a rollout that is over, or that is given up; its calls are not forgotten."""
    if not task.done() or task.cancelled():
        return Outcome(None, "timeout", None if seen.started is None else seen.build())
    error = task.exception()
    if error is not None:
        # A bug of ours, of a judge or of a worker: reported, and never the policy's fault.
        log.error("a rollout ended in a bug and is not scored", exc_info=error)
        return Outcome(None, "bug")
    return task.result()


async def lab_judge(row: Row, answer: str) -> bool | None:
    """Whether an answer is that of the row's lab problem."""
    return problem_of(row).is_right(answer)


def lab_environment(
    timeout_s: float = 60.0,
    loop: asyncio.AbstractEventLoop | None = None,
    tariff: Tariff | None = None,
    revise: Revise | None = None,
) -> Environment:
    """The environment whose problems and workers are the lab's.

    Args:
        timeout_s: deadline of a rollout, in seconds.
        loop, tariff, revise: as those of `Environment`.
    """
    limits = Limits(timeout_s=timeout_s)
    return Environment(
        lambda row: lab_pool(row.world, row.order),
        lab_judge,
        limits,
        loop=loop,
        tariff=tariff,
        revise=revise,
    )
