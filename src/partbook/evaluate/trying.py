"""Trials on posed problems: where the workers are measured and MasRouter is trained."""

from collections.abc import Sequence

from partbook.evaluate.asking import Given
from partbook.evaluate.measured import Trial, Tried
from partbook.evaluate.posed import Posed
from partbook.evaluate.system import Play
from partbook.pool import AgentPool
from partbook.workflow import Workflow

__all__ = ["posed_trial"]


def posed_trial(problems: Sequence[Posed], pool: AgentPool, play: Play) -> Trial:
    """A trial that plays on a pool and asks each problem's own judge.

    A run that did not end by itself is not judged: who is measured here, is a worker, and an
    outage says nothing about it.

    Args:
        problems: of another split than that which is reported on.
        pool: numbers the workers, whatever order a problem has them in.
        play: conducts, under whatever limits there are.
    """

    async def trial(index: int, workflow: Workflow) -> Tried:
        posed = problems[index]
        trace = await play(posed.question, pool, Given(workflow))
        cost_usd, answer = float(trace.cost_usd or 0), trace.answer or ""
        if trace.status != "answered":
            return Tried(None, cost_usd, answer)
        verdict = await posed.judge.judge(answer)
        right = None if verdict.outcome == "not judged" else verdict.outcome == "right"
        return Tried(right, cost_usd, answer)

    return trial
