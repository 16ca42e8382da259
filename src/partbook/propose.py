"""Who settles the workflow of a round: a language model, or a person beforehand.

`Conductor` asks a language model; `Fixed` takes a workflow that a person wrote. Both are Proposers,
and whoever plays rounds knows nothing else about them. What they know of earlier rounds stands on
the stage; playing the workflow is left to `conducting.py`.
"""

from dataclasses import dataclass, field, replace
from typing import Protocol

from partbook.budget import Budgeted, worst_case
from partbook.errors import ConfigError, ParseError, WorkerError
from partbook.event import Planned, ProposalText, Proposed
from partbook.fixed import FixedWorkflow
from partbook.grammar import workflow_grammar
from partbook.message import Message, Sampling
from partbook.model import ChatModel
from partbook.parse import parse
from partbook.price import Price
from partbook.prompt import PromptStyle, conductor_messages, retry_messages
from partbook.resume import known_texts, lost_text
from partbook.stage import Stage, cost_of
from partbook.workflow import MAX_STEPS, Workflow

__all__ = ["Conductor", "Fixed", "Proposer"]


class Proposer(Protocol):
    """Settles the workflow of a round, and emits how it came to it."""

    async def propose(self, stage: Stage, round_index: int) -> Planned | None:
        """Settle the workflow for the stage's question and pool.

        Returns:
            The workflow; None where the answer of the rounds before is to be kept, which only a
            stage with such an answer allows.

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
    fallback is played, and the trace says so. Where an answer of an earlier round stands, that is
    better than the fallback, and three empty lists keep it (arXiv:2512.04388, Figure 14).
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

    async def propose(self, stage: Stage, round_index: int) -> Planned | None:
        """As `Proposer.propose`."""
        messages = self._messages(stage)
        failed: ParseError | None = None
        for number in range(2 if self.style == "paper" else 1):
            try:
                workflow = await self._text(stage, round_index, number, messages)
                return Planned(round_index, workflow, "retry" if number else "conductor")
            except ParseError as err:
                if _keeps(err, stage):
                    return None
                failed, messages = err, retry_messages(messages, err.text, str(err))
        if failed is None:
            raise AssertionError("a Conductor is asked at least once")
        if self.fallback is None or stage.before is not None:
            raise failed
        try:
            resolved = self.fallback.resolve(stage.pool)
        except ConfigError:
            if not stage.gone:
                raise
            raise failed from None  # those that it needs have failed
        return Planned(round_index, resolved, "fallback", self.fallback.name)

    def count_earlier(self, stage: Stage) -> None:
        """As `Proposer.count_earlier`."""
        earlier = stage.earlier
        if earlier is None:
            return
        price = self.price or stage.budget.limits.assumed_price
        for i, round_ in enumerate(earlier.rounds):
            there, _ = stage.at_round(earlier, i).for_conductor(earlier, i)
            messages = first = self._messages(there)
            for text in round_.proposals:
                if text.usage is None:
                    stage.budget.book(*worst_case(messages, self.sampling, price))
                if text.fault is None:
                    messages = retry_messages(first, text.text, text.error or "")

    def _messages(self, stage: Stage) -> tuple[Message, ...]:
        return conductor_messages(
            stage.question,
            stage.pool,
            self.max_steps,
            show_names=self.show_names,
            style=self.style,
            turns=stage.turns,
        )

    async def _text(
        self, stage: Stage, round_index: int, number: int, messages: tuple[Message, ...]
    ) -> Workflow:
        """The workflow in the text of this number: of an earlier life of the run, or a new one."""
        known = known_texts(stage.earlier, round_index)
        if number < len(known):
            return self._parsed(known[number].text, stage)
        earlier = stage.earlier
        # A round that had not begun then had no call in flight.
        had_begun = earlier is not None and round_index < max(1, len(earlier.rounds))
        cut_off = had_begun and earlier is not None and earlier.reason == "interrupted"
        if cut_off and number == len(known):
            stage.reserve_lost(messages, self.sampling, self.price)
            stage.emit(lost_text(round_index, self.price))
        return await self._ask(stage, round_index, messages)

    def _parsed(self, text: str, stage: Stage) -> Workflow:
        later = stage.before is not None
        return parse(text, len(stage.pool), max_steps=self.max_steps, later=later)

    async def _ask(self, stage: Stage, round_index: int, messages: tuple[Message, ...]) -> Workflow:
        def on_text(piece: str) -> None:
            stage.emit(ProposalText(round_index, piece))

        sampling = self.sampling
        if self.constrain:
            later = stage.before is not None
            grammar = workflow_grammar(len(stage.pool), self.max_steps, later=later)
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
            workflow = self._parsed(completion.text, stage)
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
                error=None if error is None or _keeps(error, stage) else str(error),
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


def _keeps(err: ParseError, stage: Stage) -> bool:
    """Whether a text keeps the answer of the rounds before: three empty lists, and there is one."""
    return err.reason == "empty_plan" and stage.before is not None
