"""Asks the checker whether it agrees with the answer of a round.

The checker is a worker of the pool. It sees the question and the answer as it would see any earlier
step, and says AGREE or DISAGREE on a line of its own; anything else says neither. Each of its calls
is told by an `AnswerChecked` event, so it is on the bill, and a run that goes on does not make it
again.
"""

from collections.abc import Sequence

from partbook.budget import Budgeted
from partbook.errors import ConfigError, WorkerError
from partbook.event import AnswerChecked
from partbook.message import Message, Usage
from partbook.pool import Worker
from partbook.price import Price
from partbook.rounds import LOST, checker_messages, standing
from partbook.stage import Stage, cost_of
from partbook.trace import Trace
from partbook.usable import Checked

__all__ = ["answer_agrees", "verdict_of"]

_READ_CHARS = 20_000
_MARKS = " \t*_#>`\"'.:,;!-()[]"


def verdict_of(text: str) -> bool | None:
    """Whether a checker agrees: by the last line that says nothing else, or else its first word.

    >>> verdict_of("DISAGREE\\nThe sum is wrong."), verdict_of("I am not sure.")
    (False, None)
    """
    said = {"agree": True, "disagree": False}
    lines = [line.strip(_MARKS).casefold() for line in text[:_READ_CHARS].splitlines()]
    for line in reversed(lines):
        if line in said:
            return said[line]
    words = " ".join(lines).split(maxsplit=1)
    return said.get(words[0].strip(_MARKS)) if words else None


async def answer_agrees(stage: Stage, past: Trace, index: int, checker: str) -> bool | None:
    """Ask about a round's answer.

    Args:
        stage: that of the round.
        past: what the run has done so far.
        index: a round with an answer.
        checker: name or role of the worker who is asked.

    Returns:
        Whether it agrees; None: it does not say, or could not be asked.

    Raises:
        BudgetError: a limit forbade asking it.
    """
    for known in past.rounds[index].checks:
        if known.fault is None:
            return known.agrees
    if standing(past, index + 1) is None:
        return None
    there, _ = stage.for_conductor(past, len(past.rounds))
    try:
        worker = there.pool[there.pool.find(checker)]
    except ConfigError:
        why = "it failed earlier and is not there any more"
        gone = WorkerError(why, usage=Usage(), kind="unavailable")
        stage.emit(_failed(index, checker, None, gone, 0.0))
        return None
    return await _ask(stage, index, worker, checker_messages(past, index, worker.spec))


async def _ask(
    stage: Stage, index: int, worker: Worker, messages: Sequence[Message]
) -> bool | None:
    spec = worker.spec
    if _may_be_lost(stage.earlier, index):
        stage.reserve_lost(messages, spec.sampling, spec.price)
        lost = WorkerError(LOST, kind="unknown")
        stage.emit(_failed(index, spec.name, spec.price, lost, 0.0))
    begun = stage.clock()

    def on_retry(err: WorkerError, attempt: int, wait_s: float) -> None:
        nonlocal begun
        stage.emit(_failed(index, spec.name, spec.price, err, stage.clock() - begun))
        begun = stage.clock() + wait_s

    budgeted = Budgeted(worker.model, stage.budget, spec.price)
    model = stage.retrying(Checked(budgeted, spec), spec.retries, on_retry)
    try:
        completion = await model.chat(messages, spec.sampling)
    except WorkerError as err:
        stage.emit(_failed(index, spec.name, spec.price, err, stage.clock() - begun))
        return None
    agrees = verdict_of(completion.text)
    stage.emit(
        AnswerChecked(
            index,
            spec.name,
            text=completion.text,
            agrees=agrees,
            model=completion.model,
            usage=completion.usage,
            cost_usd=cost_of(completion.usage, spec.price),
            seconds=stage.clock() - begun,
            cached=completion.cached,
            price=spec.price,
        )
    )
    return agrees


def _failed(
    index: int, worker: str, price: Price | None, err: WorkerError, seconds: float
) -> AnswerChecked:
    return AnswerChecked(
        index,
        worker,
        text="",
        agrees=None,
        model="",
        usage=err.usage,
        cost_usd=cost_of(err.usage, price),
        seconds=seconds,
        error=str(err),
        fault=err.kind,
        price=price,
    )


def _may_be_lost(earlier: Trace | None, index: int) -> bool:
    """Whether the checker may have been asked when the process ended: the round was over."""
    if earlier is None or earlier.reason != "interrupted" or index >= len(earlier.rounds):
        return False
    return earlier.rounds[index].answer is not None
