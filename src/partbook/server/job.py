"""Job: one request, from the moment it is admitted to its end, whatever the end is.

It plays what was asked for and keeps the books: whoever sends the reply, whole or as a stream, only
says where pieces of text go. When it is over, cancelled or not, what the key has spent is written.
"""

import asyncio
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from partbook.budget import Budget
from partbook.errors import BudgetError, ConfigError, StoreError, WorkerError
from partbook.message import Completion
from partbook.pool import Worker, WorkerSpec
from partbook.server.admission import Holder
from partbook.server.asking import Asking, OnChoice
from partbook.server.chat_request import ChatRequest
from partbook.server.follow_up import Turn
from partbook.server.kept_plan import KeptPlan, plan_to_keep
from partbook.server.metered import Ear, Metered
from partbook.server.metrics import Metrics
from partbook.server.narrator import Narrator
from partbook.server.orchestra import orchestra_limits, play_orchestra, setup_refusal, smaller
from partbook.server.refusal import Refusal, bad_request, not_now, of_error
from partbook.server.reply import Answer, Entry, Reply, answering_step, entries_of, plan_of
from partbook.server.served import Alone, Offer, Orchestra, Served
from partbook.server.tools import Callers, is_call_demanded
from partbook.server.wishes import takes_tools
from partbook.step_trace import StepTrace

__all__ = ["Hearing", "Job"]


def _unheard(*_: object) -> None:
    pass


@dataclass(slots=True)
class Hearing:
    """Where the pieces of a reply go; without more, nowhere."""

    on_reasoning: Callable[[str], None] = _unheard
    on_answer: OnChoice | None = None
    """None: the answer is wanted as a whole."""
    on_broken: Callable[[], None] = _unheard
    """What was told is void."""


@dataclass(slots=True)
class Job:
    """One request."""

    served: Served
    asked: ChatRequest
    offer: Offer
    holder: Holder
    metrics: Metrics
    callers: Callers
    turn: Turn | None = None
    """How a conversation goes on; None where no Conductor would plan."""
    run_id: str = field(default_factory=lambda: secrets.token_hex(10))
    created: int = field(default_factory=lambda: int(time.time()))
    ledger: list[Entry] = field(default_factory=list)
    """What was spent so far, whatever comes of it."""
    remarks: list[str] = field(default_factory=list)
    """What is not as it was asked for, known once it is over."""
    reply: Reply | None = None
    """What it came to, once it is over; None: there is no answer."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the reply says about fields that change nothing."""
        warnings = self.asked.warnings
        if self.asked.effort is not None and not self._heeds_effort():
            warnings += ("reasoning_effort",)
        return tuple(dict.fromkeys(warnings))

    async def play(self, hearing: Hearing) -> Reply:
        """Answer.

        Raises:
            Refusal: there is no answer.
        """
        begun = time.monotonic()
        try:
            match self.offer:
                case Alone():
                    reply = await self._alone(self.offer, hearing, begun)
                case Orchestra():
                    reply = await self._orchestra(self.offer, hearing, begun)
            for answer in reply.answers:
                if not answer.tool_calls:
                    self.asked.wishes.check(answer.text, answer.finish_reason)
            self.reply = reply if self.turn is None else replace(reply, turn=self.turn.to_dict())
            return self.reply
        except Refusal:
            if self.turn is not None:
                self.turn.forget()
            raise
        except StoreError as err:
            raise _no_account() from err
        finally:
            self.metrics.spent(self.ledger)
            # Also where the client has gone away: what it has spent is spent.
            await asyncio.shield(self.holder.settle())

    async def _alone(self, offer: Alone, hearing: Hearing, begun: float) -> Reply:
        asked, spec = self.asked, offer.worker.spec
        self._check_alone(spec)
        ear = Ear()
        limits = smaller(self.served.limits, asked.limits)
        price = spec.price or limits.assumed_price
        model = Metered(offer.worker.model, price, spec.is_tool, self.holder.account, ear)
        sampling = spec.sampling if spec.is_tool else asked.wishes.over(spec, asked.effort)
        messages, budget = asked.conversation.messages, Budget(limits)
        asking = Asking(Worker(spec, model), messages, budget, self.ledger, hearing.on_answer)
        try:
            async with asyncio.timeout(limits.timeout_s):
                completions = await asking.answers(sampling, range(asked.n))
        except TimeoutError as err:
            raise _too_late(limits.timeout_s) from err
        except WorkerError as err:
            raise of_error(err, alone=True) from err
        except BudgetError as err:
            raise self._spent(ear, err) from err
        except ConfigError as err:
            raise setup_refusal(err, limits, self.holder.account, (offer.worker,)) from err
        answers = self._answers(completions, spec.name)
        if self.turn is not None:
            self.turn.go_on()
        return Reply(tuple(answers), tuple(self.ledger), self.run_id, time.monotonic() - begun)

    async def _orchestra(self, offer: Orchestra, hearing: Hearing, begun: float) -> Reply:
        asked = self.asked
        if asked.wishes.tools and not offer.writes_workflows and not self.served.takes_tools(offer):
            raise _no_tools("the worker of the workflow's last step")
        limits = orchestra_limits(offer, asked, self.served.limits)
        if self.turn is not None and self.turn.plan == "kept" and self.turn.kept is not None:
            offer = replace(offer, proposer=KeptPlan(self.turn.kept.workflow))
        # With more than one round, no answer is the last before the run is over.
        on_answer = hearing.on_answer if limits.rounds == 1 else None

        def first(piece: str) -> None:
            if on_answer is not None:
                on_answer(0, piece)

        say = None if on_answer is None else first
        has_rounds = limits.rounds > 1
        narrator = Narrator(hearing.on_reasoning, say, hearing.on_broken, has_rounds=has_rounds)
        pool = self.served.pool_for(offer, self.holder.workers)
        ear, account = Ear(), self.holder.account
        try:
            trace, cast = await play_orchestra(offer, pool, asked, limits, account, ear, narrator)
        finally:
            so_far = narrator.so_far()
            if so_far is not None:
                self.ledger += entries_of(so_far)
                if self.served.keep is not None:
                    self.served.keep(so_far)
        step = answering_step(trace)
        closing = cast.last or cast
        worker = closing[closing.find(step.answered_by or step.worker)]
        workflow = plan_to_keep(trace, pool)
        if self.turn is not None and workflow is not None:
            self.turn.remember(workflow, worker.name)
        self._check_tools(worker.spec)
        answers = [Answer(step.answer or "", step.finish_reason or "stop", ear.tool_calls)]
        if ear.tool_calls:
            self.callers.remember(self.holder.key_id, ear.tool_calls, worker.name)
        if asked.n > 1:
            budget = Budget(limits)
            budget.book(trace.usage.total_tokens, trace.cost_usd, trace.calls)
            answers += await self._more(step, worker, budget, trace.seconds, ear, on_answer)
        seconds = time.monotonic() - begun
        return Reply(tuple(answers), tuple(self.ledger), trace.run_id, seconds, plan_of(trace))

    def _check_tools(self, spec: WorkerSpec) -> None:
        """See whether tools could be passed on by the workflow that a Conductor wrote.

        Raises:
            Refusal: a call was demanded, and there is none.
        """
        tools = self.asked.wishes.tools
        if tools is None or takes_tools(spec):
            return
        if is_call_demanded(tools):
            raise Refusal(
                f"the plan lets {spec.name!r} answer, who takes no tools",
                status=502,
                kind="upstream_error",
                param="tool_choice",
                code="tools_not_passed",
            )
        self.remarks.append(f"tools were not passed on: {spec.name!r} answered, who takes none")

    async def _more(
        self,
        step: StepTrace,
        worker: Worker,
        budget: Budget,
        seconds: float,
        ear: Ear,
        on_answer: OnChoice | None,
    ) -> list[Answer]:
        """Further choices: the worker of the last step is asked the same again."""
        limits = budget.limits
        left_s = None if limits.timeout_s is None else max(0.001, limits.timeout_s - seconds)
        asking = Asking(worker, step.messages, budget, self.ledger, on_answer, "choice", step.step)
        try:
            async with asyncio.timeout(left_s):
                completions = await asking.answers(worker.spec.sampling, range(1, self.asked.n))
        except TimeoutError as err:
            raise _too_late(limits.timeout_s) from err
        except WorkerError as err:
            raise of_error(err) from err
        except BudgetError as err:
            raise self._spent(ear, err) from err
        return self._answers(completions, worker.name)

    def _answers(self, completions: Sequence[Completion], worker: str) -> list[Answer]:
        for completion in completions:
            if completion.tool_calls:
                self.callers.remember(self.holder.key_id, completion.tool_calls, worker)
        return [Answer(c.text, c.finish_reason, c.tool_calls) for c in completions]

    def _check_alone(self, spec: WorkerSpec) -> None:
        """Refuse what a worker cannot do that is asked alone.

        Raises:
            Refusal: it cannot be held to a form, or takes no tools.
        """
        asked = self.asked
        if asked.wishes.response_format is not None and spec.kind not in ("http", "local"):
            raise bad_request(
                f"response_format: the worker {spec.name!r} cannot be held to a form",
                "response_format",
                "unsupported_parameter",
            )
        of_tools = any(m.tool_calls or m.role == "tool" for m in asked.conversation.messages)
        if (asked.wishes.tools or of_tools) and not takes_tools(spec):
            raise _no_tools(f"the worker {spec.name!r}")

    def _spent(self, ear: Ear, err: BudgetError) -> Refusal:
        account = self.holder.account
        if ear.key_is_spent is err and account is not None:
            return account.refusal(str(err))
        return of_error(err)

    def _heeds_effort(self) -> bool:
        match self.offer:
            case Alone():
                return self.offer.worker.spec.sampling.reasoning_effort is not None
            case Orchestra():
                return self.offer.writes_workflows


def _no_tools(who: str) -> Refusal:
    return bad_request(f"tools: {who} takes none", "tools", "unsupported_parameter")


def _no_account() -> Refusal:
    return not_now("what may be spent or called cannot be looked up", "account_unavailable")


def _too_late(limit_s: float | None) -> Refusal:
    return Refusal(
        f"the limit of {limit_s} s is reached", status=504, kind="timeout_error", code="timeout"
    )
