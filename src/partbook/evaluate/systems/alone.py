"""Systems of one worker: alone, with more room, voting with itself, reflecting, merging itself.

They answer the question that a team must stand up to: what does the best worker reach by itself,
once it may spend as much? In one public comparison about three quarters of the gain of a panel
came from merging, with the best model merged with itself (docs/systems.md).
"""

from dataclasses import dataclass, replace

from partbook.budget import prompt_bound
from partbook.errors import ConfigError
from partbook.evaluate.system import Sitting
from partbook.evaluate.systems.asking import Given, ask, merging_step, sampled
from partbook.evaluate.systems.voting import Key, majority, normalised
from partbook.evaluate.systems.wording import DEFAULT_WORDING, Wording
from partbook.pool import AgentPool
from partbook.prompt import worker_messages
from partbook.workflow import MAX_STEPS, Step, Workflow

__all__ = ["LongContext", "OneWorker", "SelfConsistency", "SelfFusion", "SelfReflection"]


@dataclass(frozen=True, slots=True)
class OneWorker:
    """One worker, asked once."""

    name: str
    worker: str
    """Its name in the pool."""
    wording: Wording = DEFAULT_WORDING

    async def answer(self, sitting: Sitting) -> str | None:
        """As `System.answer`; 1 call."""
        step = Step(sitting.pool.find(self.worker), self.wording.answer)
        return (await sitting.play(Given(Workflow((step,)), self.name))).answer


@dataclass(frozen=True, slots=True)
class LongContext:
    """One worker, asked once, with room for a completion several times as long.

    The paper's "5x context" (arXiv:2512.04388, Table 7): 4096 tokens become 20480. Where the
    worker's context window is known, the completion gets no more than the prompt leaves of it.
    """

    name: str
    worker: str
    factor: int = 5
    wording: Wording = DEFAULT_WORDING

    async def answer(self, sitting: Sitting) -> str | None:
        """As `System.answer`; 1 call."""
        pool, index = sitting.pool, sitting.pool.find(self.worker)
        spec = pool[index].spec
        own = spec.sampling.max_tokens
        room = own * self.factor
        if spec.context_window is not None:
            prompt = worker_messages(sitting.question, self.wording.answer, (), spec)
            room = max(own, min(room, spec.context_window - prompt_bound(prompt)))
        sampling = replace(spec.sampling, max_tokens=room)
        roomy = replace(pool[index], spec=replace(spec, sampling=sampling))
        workflow = Workflow((Step(0, self.wording.answer),))
        wider = AgentPool(pool.name, (roomy, *pool.workers))
        return (await sitting.play(Given(workflow, self.name), pool=wider)).answer


@dataclass(frozen=True, slots=True)
class SelfConsistency:
    """The majority of several samples of one worker (arXiv:2203.11171)."""

    name: str
    worker: str
    votes: int = 5
    wording: Wording = DEFAULT_WORDING
    key: Key = normalised

    async def answer(self, sitting: Sitting) -> str | None:
        """As `System.answer`; as many calls as votes."""
        index = sitting.pool.find(self.worker)
        pool = sampled(sitting.pool, index, self.votes, sitting.rng)
        steps = [Step(i, self.wording.answer) for i in range(self.votes)]
        return majority((await ask(sitting, steps, self.name, pool)).answers, self.key)


@dataclass(frozen=True, slots=True)
class SelfReflection:
    """One worker that goes over its own answer again and again (arXiv:2303.17651).

    The first of the rounds is the answer itself, so that five rounds are five calls and cost what
    five votes do (arXiv:2512.04388, Table 5). It reads all its earlier answers, and goes on to the
    last round whatever it thinks of them.
    """

    name: str
    worker: str
    rounds: int = 5
    """1 to `MAX_STEPS`."""
    wording: Wording = DEFAULT_WORDING

    def __post_init__(self) -> None:
        if not 1 <= self.rounds <= MAX_STEPS:
            raise ConfigError(
                f"self-reflection has 1 to {MAX_STEPS} rounds, the answer itself included; found "
                f"{self.rounds}"
            )

    async def answer(self, sitting: Sitting) -> str | None:
        """As `System.answer`; as many calls as rounds."""
        index = sitting.pool.find(self.worker)
        again = (Step(index, self.wording.reflect, tuple(range(i))) for i in range(1, self.rounds))
        workflow = Workflow((Step(index, self.wording.answer), *again))
        return (await sitting.play(Given(workflow, self.name))).answer


@dataclass(frozen=True, slots=True)
class SelfFusion:
    """One worker that merges several samples of its own.

    Four samples and the merging are five calls: what five votes cost.
    """

    name: str
    worker: str
    samples: int = 4
    wording: Wording = DEFAULT_WORDING

    async def answer(self, sitting: Sitting) -> str | None:
        """As `System.answer`; a call for each sample, and one."""
        index = sitting.pool.find(self.worker)
        pool = sampled(sitting.pool, index, self.samples, sitting.rng)
        steps = [Step(i, self.wording.answer) for i in range(self.samples)]
        asked = await ask(sitting, steps, self.name, pool)
        if not asked.whole:
            return majority(asked.answers)
        merger = merging_step(sitting, index, asked.answers, self.wording)
        trace = await sitting.play(Given(Workflow((merger,)), self.name))
        return trace.answer or majority(asked.answers)
