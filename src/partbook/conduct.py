"""Conducts a question: propose, play, and end with a trace, whatever happened.

`Conductor` asks a language model for the workflow; `Fixed` takes one that a person wrote. Both are
Proposers, and `conduct` knows nothing else about them. This is the one place where a failure
becomes a trace; only cancellation, bugs and what the user must mend leave it as exceptions.
"""

import asyncio
import secrets
import time
from dataclasses import dataclass, field, replace
from typing import Protocol

from partbook.budget import Budget, Budgeted, Limits
from partbook.errors import BudgetError, ConfigError, ParseError, WorkerError
from partbook.event import (
    Event,
    OnEvent,
    Planned,
    ProposalText,
    Proposed,
    RoundFinished,
    RoundStarted,
    RunFinished,
    RunStarted,
    Status,
    StopReason,
)
from partbook.execute import Stage, cost_of, play
from partbook.fixed import FixedWorkflow
from partbook.grammar import workflow_grammar
from partbook.message import Message, Sampling
from partbook.model import ChatModel
from partbook.parse import parse
from partbook.pool import AgentPool, Price
from partbook.prompt import conductor_messages, retry_messages
from partbook.trace import Trace, TraceBuilder
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


@dataclass(frozen=True, slots=True)
class Fixed:
    """Proposes the same workflow for every question."""

    workflow: FixedWorkflow

    async def propose(self, stage: Stage, round_index: int) -> Planned:
        """As `Proposer.propose`; no model is asked."""
        workflow = self.workflow.resolve(stage.pool)
        return Planned(round_index, workflow, "fixed", self.workflow.name)


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

    async def propose(self, stage: Stage, round_index: int) -> Planned:
        """As `Proposer.propose`."""
        messages = conductor_messages(
            stage.question, stage.pool, self.max_steps, show_names=self.show_names
        )
        try:
            workflow = await self._ask(stage, round_index, messages)
            return Planned(round_index, workflow, "conductor")
        except ParseError as err:
            messages = retry_messages(messages, err.text, str(err))
        try:
            workflow = await self._ask(stage, round_index, messages)
            return Planned(round_index, workflow, "retry")
        except ParseError:
            if self.fallback is None:
                raise
        resolved = self.fallback.resolve(stage.pool)
        return Planned(round_index, resolved, "fallback", self.fallback.name)

    async def _ask(self, stage: Stage, round_index: int, messages: tuple[Message, ...]) -> Workflow:
        def on_text(piece: str) -> None:
            stage.emit(ProposalText(round_index, piece))

        sampling = self.sampling
        if self.constrain:
            grammar = workflow_grammar(len(stage.pool), self.max_steps)
            sampling = replace(sampling, grammar=grammar)
        model = Budgeted(self.model, stage.budget, self.price)
        begun = stage.clock()
        completion = await model.chat(messages, sampling, on_text if stage.stream else None)
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
            )
        )
        if workflow is None:
            raise error or AssertionError
        return workflow


async def conduct(
    question: str,
    pool: AgentPool,
    proposer: Proposer,
    *,
    limits: Limits | None = None,
    on_event: OnEvent | None = None,
    stream: bool = False,
) -> Trace:
    """Answer a question.

    Args:
        question: what the user asks; not blank.
        pool: who may be called.
        proposer: who settles the workflow.
        limits: what the request may spend, over all its calls.
        on_event: receives every event as it happens.
        stream: whether `on_event` also wants texts piece by piece.

    Returns:
        The trace; its status says whether the workflow was played to the end.

    Raises:
        ConfigError: the pool and the workflow or the limits do not go together; nobody was called,
            or the run could not go on for a reason that only the user can mend.
        asyncio.CancelledError: the caller gave up; the last event says `interrupted`.
    """
    run = _Run.begin(question, pool, limits or Limits(), on_event, stream)
    try:
        async with asyncio.timeout((limits or Limits()).timeout_s) as deadline:
            planned = await run.plan(proposer)
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
    except ConfigError as err:
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
    run = _Run.begin(question, pool, limits or Limits(), on_event, stream)
    try:
        async with asyncio.timeout((limits or Limits()).timeout_s):
            return await run.plan(proposer)
    except TimeoutError as err:
        raise BudgetError(
            f"the limit of {run.limits.timeout_s} s is reached", limit="timeout"
        ) from err


@dataclass(frozen=True, slots=True)
class _Run:
    """One run: its stage, and the trace that its events are folded into."""

    stage: Stage
    builder: TraceBuilder
    limits: Limits

    @classmethod
    def begin(
        cls, question: str, pool: AgentPool, limits: Limits, on_event: OnEvent | None, stream: bool
    ) -> "_Run":
        if not question.strip():
            raise ConfigError("a question was expected, the text is blank")
        builder = TraceBuilder()

        def emit(event: Event) -> None:
            builder.add(event)
            if on_event is not None:
                on_event(event)

        begun = time.monotonic()
        stage = Stage(
            question, pool, Budget(limits), emit, lambda: time.monotonic() - begun, stream
        )
        emit(RunStarted(secrets.token_hex(5), question, pool.name, pool.names, time.time()))
        return cls(stage, builder, limits)

    async def plan(self, proposer: Proposer) -> Planned:
        self.emit(RoundStarted(0))
        planned = await proposer.propose(self.stage, 0)
        self.emit(planned)
        return planned

    def emit(self, event: Event) -> None:
        self.stage.emit(event)

    def finish(self, status: Status, reason: StopReason | None = None, detail: str = "") -> None:
        self.emit(RunFinished(status, self.stage.clock(), reason, detail))
