"""Conducts a question: propose, play, and end with a trace, whatever happened.

`Conductor` asks a language model for the workflow; `Fixed` takes one that a person wrote. Both are
Proposers, and `conduct` knows nothing else about them. This is the one place where a failure
becomes a trace; only cancellation, bugs and what the user must mend leave it as exceptions.
"""

import asyncio
from dataclasses import dataclass, field, replace
from typing import Protocol

from partbook.budget import Budgeted, Limits
from partbook.errors import BudgetError, ConfigError, ParseError, StoreError, WorkerError
from partbook.event import (
    OnEvent,
    Planned,
    ProposalText,
    Proposed,
    RoundFinished,
    RoundStarted,
)
from partbook.execute import Stage, cost_of, play
from partbook.fixed import FixedWorkflow
from partbook.grammar import workflow_grammar
from partbook.message import Message, Sampling
from partbook.model import ChatModel
from partbook.parse import parse
from partbook.pool import AgentPool, Price
from partbook.prompt import PromptStyle, conductor_messages, retry_messages
from partbook.resume import known_texts, lost_text, settled, worst_case
from partbook.running import Run
from partbook.trace import Trace
from partbook.workflow import MAX_STEPS, Workflow

__all__ = ["Conductor", "Fixed", "Proposer", "conduct", "plan"]


class Proposer(Protocol):
    """Settles the workflow of a round, and emits how it came to it."""

    async def propose(self, stage: Stage, round_index: int) -> Planned:
        """Settle the workflow for the stage's question and pool.

        Raises:
            ParseError: no text of the Conductor holds a workflow, and there is no fallback.
            WorkerError: the Conductor could not be reached.
            BudgetError: a limit forbade asking it.
            ConfigError: a fixed workflow asks for a worker that the pool does not have.
        """
        ...

    def count_earlier(self, stage: Stage) -> None:
        """Book the worst case of its own earlier calls whose usage is unknown."""
        ...


@dataclass(frozen=True, slots=True)
class Fixed:
    """Proposes the same workflow for every question."""

    workflow: FixedWorkflow

    async def propose(self, stage: Stage, round_index: int) -> Planned:
        """As `Proposer.propose`; no model is asked."""
        workflow = self.workflow.resolve(stage.pool)
        return Planned(round_index, workflow, "fixed", self.workflow.name)

    def count_earlier(self, stage: Stage) -> None:
        """As `Proposer.count_earlier`; there are none."""


@dataclass(frozen=True, slots=True)
class Conductor:
    """A language model that writes the workflow.

    On a text without a workflow it is asked once more, with the error quoted; after that the
    fallback is played, and the trace says so.
    """

    model: ChatModel
    sampling: Sampling = field(default_factory=lambda: Sampling(max_tokens=1024))
    """The paper lets the Conductor write 1024 tokens (arXiv:2512.04388, appendix A.1)."""
    price: Price | None = None
    show_names: bool = False
    constrain: bool = False
    """Whether a grammar keeps the text to the format; only llama.cpp models can."""
    fallback: FixedWorkflow | None = None
    max_steps: int = MAX_STEPS
    retries: int = 2
    """Tries after the first, for faults that may pass; see `retry.REACTIONS`."""
    style: PromptStyle = "paper"
    """In any but the paper's it is asked once: it was trained on one message, never on errors."""

    async def propose(self, stage: Stage, round_index: int) -> Planned:
        """As `Proposer.propose`."""
        messages = self._messages(stage)
        failed: ParseError | None = None
        for number in range(2 if self.style == "paper" else 1):
            try:
                workflow = await self._text(stage, round_index, number, messages)
                return Planned(round_index, workflow, "retry" if number else "conductor")
            except ParseError as err:
                failed, messages = err, retry_messages(messages, err.text, str(err))
        if self.fallback is None:
            raise failed or AssertionError
        resolved = self.fallback.resolve(stage.pool)
        return Planned(round_index, resolved, "fallback", self.fallback.name)

    def count_earlier(self, stage: Stage) -> None:
        """As `Proposer.count_earlier`."""
        price = self.price or stage.budget.limits.assumed_price
        first = self._messages(stage)
        for round_ in () if stage.earlier is None else stage.earlier.rounds:
            messages = first
            for text in round_.proposals:
                if text.usage is None:
                    stage.budget.book(*worst_case(messages, self.sampling, price))
                if text.fault is None:
                    messages = retry_messages(first, text.text, text.error or "")

    def _messages(self, stage: Stage) -> tuple[Message, ...]:
        names, style = self.show_names, self.style
        return conductor_messages(
            stage.question, stage.pool, self.max_steps, show_names=names, style=style
        )

    async def _text(
        self, stage: Stage, round_index: int, number: int, messages: tuple[Message, ...]
    ) -> Workflow:
        """The workflow in the text of this number: of an earlier life of the run, or a new one."""
        known = known_texts(stage.earlier, round_index)
        if number < len(known):
            return parse(known[number].text, len(stage.pool), max_steps=self.max_steps)
        earlier = stage.earlier
        cut_off = earlier is not None and earlier.reason == "interrupted"
        if cut_off and number == len(known):
            # The call may have been in flight, and may be billed: its worst case stands.
            price = self.price or stage.budget.limits.assumed_price
            budget = stage.budget
            held = budget.reserve(*worst_case(messages, self.sampling, price))
            budget.settle(held, None, None)
            stage.emit(lost_text(round_index, self.price))
        return await self._ask(stage, round_index, messages)

    async def _ask(self, stage: Stage, round_index: int, messages: tuple[Message, ...]) -> Workflow:
        def on_text(piece: str) -> None:
            stage.emit(ProposalText(round_index, piece))

        sampling = self.sampling
        if self.constrain:
            grammar = workflow_grammar(len(stage.pool), self.max_steps)
            sampling = replace(sampling, grammar=grammar)
        begun = stage.clock()

        def on_retry(err: WorkerError, attempt: int, wait_s: float) -> None:
            nonlocal begun
            stage.emit(self._failed(round_index, err, stage.clock() - begun))
            begun = stage.clock() + wait_s

        budgeted = Budgeted(self.model, stage.budget, self.price)
        model = stage.retrying(budgeted, self.retries, on_retry)
        try:
            completion = await model.chat(messages, sampling, on_text if stage.stream else None)
        except WorkerError as err:
            stage.emit(self._failed(round_index, err, stage.clock() - begun))
            raise
        workflow: Workflow | None = None
        error: ParseError | None = None
        try:
            workflow = parse(completion.text, len(stage.pool), max_steps=self.max_steps)
        except ParseError as err:
            error = err
        stage.emit(
            Proposed(
                round_index,
                text=completion.text,
                model=completion.model,
                usage=completion.usage,
                cost_usd=cost_of(completion.usage, self.price),
                seconds=stage.clock() - begun,
                error=None if error is None else str(error),
                cached=completion.cached,
                price=self.price,
            )
        )
        if workflow is None:
            raise error or AssertionError
        return workflow

    def _failed(self, round_index: int, err: WorkerError, seconds: float) -> Proposed:
        """A call that brought no text: it may have cost something, and is no text to be judged."""
        return Proposed(
            round_index,
            text="",
            model="",
            usage=err.usage,
            cost_usd=cost_of(err.usage, self.price),
            seconds=seconds,
            error=str(err),
            fault=err.kind,
            price=self.price,
        )


async def conduct(
    question: str,
    pool: AgentPool,
    proposer: Proposer,
    *,
    limits: Limits | None = None,
    on_event: OnEvent | None = None,
    stream: bool = False,
    journal: OnEvent | None = None,
    earlier: Trace | None = None,
) -> Trace:
    """Answer a question.

    Args:
        question: what the user asks; not blank.
        pool: who may be called.
        proposer: who settles the workflow.
        limits: what the request may spend, over all its calls.
        on_event: receives every event as it happens.
        stream: whether `on_event` also wants texts piece by piece.
        journal: receives every event, before anybody else does. When it returns, what happened
            must outlive this process: no call is made before all that was paid for is kept.
        earlier: what this run had done before it was cut short; `on_event` is told again, `journal`
            is not. Its id, its question and what it spent stay.

    Returns:
        The trace; its status says whether the workflow was played to the end.

    Raises:
        ConfigError: the pool and the workflow or the limits do not go together; nobody was called,
            or the run could not go on for a reason that only the user can mend.
        StoreError: the journal could not be written; the run ended there.
        asyncio.CancelledError: the caller gave up; the last event says `interrupted`.
    """
    run = Run.begin(question, pool, limits or Limits(), on_event, stream, journal, earlier)
    try:
        async with asyncio.timeout(run.seconds_left) as deadline:
            planned = await _plan(run, proposer)
            answer = await play(planned.workflow, run.stage)
            run.emit(RoundFinished(0, answer))
            run.finish("answered")
    except TimeoutError:
        if not deadline.expired():
            raise
        run.finish("stopped", "timeout", f"the limit of {run.limits.timeout_s} s is reached")
    except BudgetError as err:
        run.finish("stopped", err.limit, str(err))
    except WorkerError as err:
        run.finish("failed", "worker", str(err))
    except ParseError as err:
        run.finish("failed", "workflow", str(err))
    except (ConfigError, StoreError) as err:
        run.finish("failed", "setup", str(err))
        raise
    except asyncio.CancelledError:
        run.finish("stopped", "interrupted", "interrupted by the user")
        raise
    return run.builder.build()


async def plan(
    question: str,
    pool: AgentPool,
    proposer: Proposer,
    *,
    limits: Limits | None = None,
    on_event: OnEvent | None = None,
    stream: bool = False,
) -> Planned:
    """Let the workflow be settled and call no worker.

    Raises:
        ParseError, WorkerError, BudgetError, ConfigError: as `Proposer.propose`.
    """
    run = Run.begin(question, pool, limits or Limits(), on_event, stream)
    try:
        async with asyncio.timeout((limits or Limits()).timeout_s):
            return await _plan(run, proposer)
    except TimeoutError as err:
        raise BudgetError(
            f"the limit of {run.limits.timeout_s} s is reached", limit="timeout"
        ) from err


async def _plan(run: Run, proposer: Proposer) -> Planned:
    """The workflow of the first round: as it was settled before, or settled now."""
    earlier = run.stage.earlier
    if earlier is not None:
        proposer.count_earlier(run.stage)
    if earlier is None or not earlier.rounds:
        run.emit(RoundStarted(0))
    elif (planned := settled(earlier, 0)) is not None:
        return planned
    planned = await proposer.propose(run.stage, 0)
    run.emit(planned)
    return planned
