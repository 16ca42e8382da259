"""Asks one worker for one or several answers to the same messages, within a budget.

It is what one worker alone does, and what the last step of a workflow does once more for further
choices. Unlike in a workflow, the messages are those that the caller has, word for word.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from partbook.budget import Budget, Budgeted
from partbook.errors import PartbookError, WorkerError
from partbook.message import Completion, Message, Sampling
from partbook.pool import Worker
from partbook.retry import Retrying
from partbook.server.reply import Entry, of_call
from partbook.stage import cost_of
from partbook.usable import Checked

__all__ = ["Asking", "OnChoice"]

OnChoice = Callable[[int, str], None]
"""Receives the text of each choice piece by piece."""


@dataclass(frozen=True, slots=True)
class Asking:
    """What one worker is asked, once or for several choices."""

    worker: Worker
    messages: Sequence[Message]
    """The conversation."""
    budget: Budget
    """What all choices may spend."""
    ledger: list[Entry]
    """Receives an entry for each try, also where the answer cannot be had in the end."""
    on_text: OnChoice | None
    """Receives the texts as they arrive; None: they are not wanted so."""
    what: str = "step"
    """Of the ledger's entries."""
    step: int | None = None
    """Likewise."""

    async def answers(self, sampling: Sampling, choices: range) -> list[Completion]:
        """Ask for the choices of these indices, all at once.

        Args:
            sampling: how; with a seed, each choice has the next one.
            choices: their indices, from 0.

        Raises:
            WorkerError, BudgetError: one of them could not be had; the others were cancelled.
        """
        if len(choices) == 1:
            return [await self._one(sampling, choices[0])]
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._one(sampling, i)) for i in choices]
        except ExceptionGroup as failures:
            expected, bugs = failures.split(PartbookError)
            if bugs or expected is None:
                raise
            raise expected.exceptions[0] from None
        return [task.result() for task in tasks]

    async def _one(self, sampling: Sampling, index: int) -> Completion:
        spec, on_text = self.worker.spec, self.on_text
        if sampling.seed is not None:
            sampling = replace(sampling, seed=sampling.seed + index)
        begun = time.monotonic()
        said = 0

        def tell(piece: str) -> None:
            nonlocal said
            said += len(piece)
            if on_text is not None:
                on_text(index, piece)

        def on_retry(err: WorkerError, _: int, __: float) -> None:
            if said:  # what a client has read cannot be taken back
                raise err
            self._note(err)

        def left_s() -> float:
            return self.budget.left_s(time.monotonic() - begun)

        budgeted = Budgeted(self.worker.model, self.budget, spec.price, spec.is_tool)
        retries = 0 if spec.is_tool else spec.retries
        model = Retrying(Checked(budgeted, spec), retries, on_retry, left_s)
        try:
            completion = await model.chat(
                self.messages, sampling, None if on_text is None else tell
            )
        except WorkerError as err:
            self._note(err)
            raise
        if on_text is not None and not said and completion.text:
            on_text(index, completion.text)  # a worker that does not stream
        seconds = time.monotonic() - begun
        self.ledger.append(of_call(self.what, spec, completion, seconds, self.step))
        return completion

    def _note(self, err: WorkerError) -> None:
        """Keep a try that failed."""
        spec, calls = self.worker.spec, int(err.kind != "unavailable")
        cost = cost_of(err.usage, spec.price)
        self.ledger.append(
            Entry(self.what, spec.name, "", calls, err.usage, cost, None, self.step, error=str(err))
        )
