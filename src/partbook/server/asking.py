"""Asks one worker for one or several answers to the same messages, within a budget.

It is what one worker alone does, and what the last step of a workflow does once more for further
choices. Unlike in a workflow, the messages are those that the caller has, word for word.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from partbook.budget import Budget, Budgeted
from partbook.errors import PartbookError, WorkerError
from partbook.event import Event
from partbook.message import Completion, Message, Sampling
from partbook.model import ChatModel
from partbook.pool import AgentPool, Worker, WorkerSpec
from partbook.server.reply import Entry, of_call
from partbook.stage import Stage, cost_of
from partbook.usable import Checked

__all__ = ["OnChoice", "ask_worker"]

OnChoice = Callable[[int, str], None]
"""Receives the text of each choice piece by piece."""


async def ask_worker(
    spec: WorkerSpec,
    model: ChatModel,
    messages: Sequence[Message],
    sampling: Sampling,
    choices: range,
    budget: Budget,
    on_text: OnChoice | None,
    what: str = "step",
) -> tuple[list[Completion], list[Entry]]:
    """Ask for answers, all at once.

    Args:
        spec: the worker.
        model: who answers.
        messages: the conversation.
        sampling: how; with a seed, each choice has the next one.
        choices: their indices.
        budget: what they may spend.
        on_text: receives the texts as they arrive; None: they are not wanted so.
        what: of the ledger's entries.

    Returns:
        The completions, and the ledger of all tries.

    Raises:
        WorkerError, BudgetError: one of them could not be had; the others were cancelled.
    """
    asking = _Asking(spec, model, messages, budget, on_text, what)
    if len(choices) == 1:
        completions = [await asking.one(sampling, choices[0])]
    else:
        completions = await asking.all(sampling, choices)
    return completions, asking.ledger


class _Asking:
    def __init__(
        self,
        spec: WorkerSpec,
        model: ChatModel,
        messages: Sequence[Message],
        budget: Budget,
        on_text: OnChoice | None,
        what: str,
    ) -> None:
        begun = time.monotonic()
        pool = AgentPool("alone", (Worker(spec, model),))
        self._stage = Stage("", pool, budget, _unheard, lambda: time.monotonic() - begun)
        self._spec = spec
        self._messages = messages
        self._on_text = on_text
        self._what = what
        self._model = Checked(Budgeted(model, budget, spec.price, spec.is_tool), spec)
        self.ledger: list[Entry] = []

    async def all(self, sampling: Sampling, choices: range) -> list[Completion]:
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self.one(_with_seed(sampling, i), i)) for i in choices]
        except ExceptionGroup as failures:
            expected, bugs = failures.split(PartbookError)
            if bugs or expected is None:
                raise
            raise expected.exceptions[0] from None
        return [task.result() for task in tasks]

    async def one(self, sampling: Sampling, index: int) -> Completion:
        spec, on_text = self._spec, self._on_text
        said = 0

        def tell(piece: str) -> None:
            nonlocal said
            said += len(piece)
            if on_text is not None:
                on_text(index, piece)

        def on_retry(err: WorkerError, _: int, __: float) -> None:
            self.ledger.append(_failed(self._what, spec, err))
            if said:  # what a client has read cannot be taken back
                raise err

        retries = 0 if spec.is_tool else spec.retries
        model = self._stage.retrying(self._model, retries, on_retry)
        begun = time.monotonic()
        try:
            completion = await model.chat(
                self._messages, sampling, None if on_text is None else tell
            )
        except WorkerError as err:
            if not said:
                self.ledger.append(_failed(self._what, spec, err))
            raise
        if on_text is not None and not said and completion.text:
            on_text(index, completion.text)  # a worker that does not stream
        self.ledger.append(of_call(self._what, spec, completion, time.monotonic() - begun))
        return completion


def _failed(what: str, spec: WorkerSpec, err: WorkerError) -> Entry:
    calls = int(err.kind != "unavailable")
    cost = cost_of(err.usage, spec.price)
    return Entry(what, spec.name, "", calls, err.usage, cost, None, error=str(err))


def _with_seed(sampling: Sampling, index: int) -> Sampling:
    return sampling if sampling.seed is None else replace(sampling, seed=sampling.seed + index)


def _unheard(_: Event) -> None:
    pass
