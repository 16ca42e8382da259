"""Conducts a question: propose, play, perhaps once more, and end with a trace, whatever happened.

This is the one place where a failure becomes a trace; only cancellation, bugs and what the user
must mend leave it as exceptions. Who settles a workflow is left to `propose.py`, what happens in
the rounds to `conducting.py`.
"""

import asyncio

from partbook.budget import Limits
from partbook.conducting import Conducting
from partbook.errors import BudgetError, ConfigError, ParseError, StoreError, WorkerError
from partbook.event import OnEvent, Planned
from partbook.pool import AgentPool
from partbook.propose import Conductor, Fixed, Proposer
from partbook.rounds import NEVER, StopRule
from partbook.running import Run
from partbook.trace import Trace

__all__ = ["Conductor", "Fixed", "Proposer", "conduct", "plan"]


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
    stop: StopRule | None = None,
) -> Trace:
    """Answer a question.

    Args:
        question: what the user asks; not blank.
        pool: who may be called.
        proposer: who settles the workflow.
        limits: what the request may spend, over all its calls, and how many rounds it may have.
        on_event: receives every event as it happens.
        stream: whether `on_event` also wants texts piece by piece.
        journal: receives every event, before anybody else does. When it returns, what happened
            must outlive this process: no call is made before all that was paid for is kept.
        earlier: what this run had done before it was cut short; `on_event` is told again, `journal`
            is not. Its id, its question and what it spent stay.
        stop: whether another round follows, where the limits allow one; None: until the Conductor
            keeps its answer.

    Returns:
        The trace; its status says whether a workflow was played to the end. Where a later round
        fails or reaches a limit, the answer of the one before stands, and the trace says so.

    Raises:
        ConfigError: the pool and the workflow or the limits do not go together; nobody was called,
            or the run could not go on for a reason that only the user can mend.
        StoreError: the journal could not be written; the run ended there.
        asyncio.CancelledError: the caller gave up; the last event says `interrupted`.
    """
    run = Run.begin(question, pool, limits or Limits(), on_event, stream, journal, earlier)
    conducting = Conducting(run, proposer, stop or StopRule())
    try:
        async with asyncio.timeout(run.seconds_left) as deadline:
            await conducting.play()
            run.finish("answered")
    except TimeoutError:
        if not deadline.expired():
            raise
        detail = f"the limit of {run.limits.timeout_s} s is reached"
        conducting.stop("stopped", "timeout", "timeout", detail)
    except BudgetError as err:
        conducting.stop("stopped", err.limit, err.limit, str(err))
    except WorkerError as err:
        conducting.stop("failed", "worker", "worker", str(err))
    except ParseError as err:
        conducting.stop("failed", "workflow", "workflow", str(err))
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
            planned = await Conducting(run, proposer, NEVER).planned(0)
    except TimeoutError as err:
        raise BudgetError(
            f"the limit of {run.limits.timeout_s} s is reached", limit="timeout"
        ) from err
    if planned is None:
        raise AssertionError("a first round has no answer to keep")
    return planned
