"""How a system that is no Conductor asks workers: given workflows, independent steps, samples.

A workflow has at most `MAX_STEPS` steps, and some systems need more calls. They play several
workflows one after another: each is under what is left of the problem's limits, which plays at the
same time could not know of each other. What a later play is to read stands in its subtasks.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from partbook.errors import ConfigError
from partbook.evaluate.system import Sitting
from partbook.evaluate.systems.wording import Wording
from partbook.event import Planned
from partbook.pool import AgentPool, Worker
from partbook.prompt import worker_messages
from partbook.shorten import is_surely_too_long, room_for_answers, shortened
from partbook.stage import Stage
from partbook.trace import Trace
from partbook.workflow import MAX_STEPS, Step, Workflow

__all__ = [
    "SAMPLED_TEMPERATURE",
    "Asked",
    "Given",
    "answers_in",
    "ask",
    "language_models",
    "merging_step",
    "sampled",
]

SAMPLED_TEMPERATURE = 0.7
"""Temperature of samples where the worker's own is 0, at which all of them would be one
(arXiv:2203.11171, section 3.1)."""


@dataclass(frozen=True, slots=True)
class Given:
    """Proposes one workflow, whose workers are numbered already."""

    workflow: Workflow
    name: str = ""
    """What the trace calls it."""

    async def propose(self, stage: Stage, round_index: int) -> Planned:
        """As `conduct.Proposer.propose`; no model is asked."""
        return Planned(round_index, self.workflow, "fixed", self.name)

    def count_earlier(self, stage: Stage) -> None:
        """As `conduct.Proposer.count_earlier`; there are none."""


class Asked(NamedTuple):
    """What came of asking several workers."""

    answers: list[str]
    """Those that came, in order of the steps."""
    whole: bool
    """Whether all steps were answered; else a limit or a worker put an end to it."""


async def ask(
    sitting: Sitting, steps: Sequence[Step], name: str, pool: AgentPool | None = None
) -> Asked:
    """Have steps carried out that do not read each other, as many at once as a workflow may hold.

    Args:
        sitting: the problem.
        steps: any number; their access lists are empty.
        name: what the traces call the workflows.
        pool: whom the steps number; None: the whole pool.
    """
    answers: list[str] = []
    for start in range(0, len(steps), MAX_STEPS):
        workflow = Workflow(tuple(steps[start : start + MAX_STEPS]))
        trace = await sitting.play(Given(workflow, name), pool=pool)
        answers += answers_in(trace)
        if trace.status != "answered":
            return Asked(answers, False)
    return Asked(answers, True)


def answers_in(trace: Trace) -> list[str]:
    """All answers of a trace, in order of their steps."""
    return [
        step.answer for round_ in trace.rounds for step in round_.steps if step.answer is not None
    ]


def language_models(pool: AgentPool) -> list[int]:
    """The workers that generate text, as indices.

    Raises:
        ConfigError: the pool has only tools.
    """
    found = [i for i, worker in enumerate(pool.workers) if not worker.spec.is_tool]
    if not found:
        raise ConfigError(f"pool {pool.name!r} has only tools; a language model was expected")
    return found


def merging_step(sitting: Sitting, worker: int, answers: Sequence[str], wording: Wording) -> Step:
    """The step in which a worker of the sitting's pool merges answers.

    Where they do not fit into its context window and its `on_overflow` is `shorten`, they are
    shortened as earlier answers on an access list are.
    """
    spec = sitting.pool[worker].spec
    subtask = wording.merging(answers)
    window, limit = spec.context_window, spec.sampling.max_tokens
    if spec.on_overflow == "shorten" and window is not None:
        messages = worker_messages(sitting.question, subtask, (), spec)
        if is_surely_too_long(messages, window, limit):
            room = room_for_answers(messages, answers, window, limit)
            subtask = wording.merging(shortened(answers, room))
    return Step(worker, subtask)


def sampled(pool: AgentPool, worker: int, count: int, rng: random.Random) -> AgentPool:
    """A pool that begins with `count` copies of a worker, each of which draws for itself.

    The copies keep the worker's name, so that its calls are counted as its own. The pool's own
    workers follow, so that fallbacks are found.
    """
    copies = tuple(_reseeded(pool[worker], rng.randrange(1, 2**30)) for _ in range(count))
    return AgentPool(pool.name, (*copies, *pool.workers))


def _reseeded(worker: Worker, seed: int) -> Worker:
    sampling = replace(worker.spec.sampling, seed=seed)
    if sampling.temperature == 0:
        sampling = replace(sampling, temperature=SAMPLED_TEMPERATURE)
    return replace(worker, spec=replace(worker.spec, sampling=sampling))
