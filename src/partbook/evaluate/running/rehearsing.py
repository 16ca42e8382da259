"""Rehearsing systems that learn: before anything is measured, nobody knows the best worker.

The dearest worker stands for it, and a router makes as many calls as it may, so that an estimate is
rather too high than too low. What learning itself takes is estimated beside the systems.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from partbook.budget import Limits
from partbook.conduct import Conductor
from partbook.evaluate.posed import Posed
from partbook.evaluate.running.estimate import Estimate, estimate
from partbook.evaluate.system import Sitting, System
from partbook.evaluate.systems.alone import OneWorker
from partbook.evaluate.systems.asking import ask, language_models
from partbook.evaluate.systems.building import Materials, build_systems
from partbook.evaluate.systems.catalogue import Choice
from partbook.evaluate.systems.conducted import Policy
from partbook.evaluate.systems.kinds import ROUTERS
from partbook.evaluate.systems.measured import Measured
from partbook.pool import AgentPool
from partbook.price import total_usd
from partbook.workflow import Step

__all__ = ["dearest", "learning_estimates", "rehearsed_systems"]


@dataclass(frozen=True, slots=True)
class _Router:
    """A router that always asks the same worker, as often as the real one may ask anybody."""

    name: str
    worker: str
    calls: int

    async def answer(self, sitting: Sitting) -> str | None:
        """As `System.answer`."""
        step = Step(sitting.pool.find(self.worker), "Answer the question.")
        answers = (await ask(sitting, [step] * self.calls, self.name)).answers
        return answers[0] if answers else None


def dearest(pool: AgentPool) -> str:
    """The language model that costs most for each token written; one without a price first."""

    def price(i: int) -> Decimal:
        known = pool[i].spec.price
        return Decimal("Infinity") if known is None else known.output_usd

    return pool.names[max(language_models(pool), key=price)]


async def rehearsed_systems(
    choices: Sequence[Choice],
    pool: AgentPool,
    conductor: Conductor | None,
    policy: Policy | None,
) -> list[System]:
    """The systems, with stand-ins where something has to be learned first."""
    worker = dearest(pool)
    measured = Measured((worker,), ("?",), ((True,),), ((0.0,),), (("",),))
    materials = Materials(pool, measured=measured, conductor=conductor, policy=policy)
    systems: list[System] = []
    for choice in choices:
        if choice.kind in ROUTERS:
            systems.append(_Router(choice.name, worker, choice.calls(pool)[1]))
        else:
            systems += await build_systems([choice], materials)
    return systems


async def learning_estimates(
    choices: Sequence[Choice],
    pool: AgentPool,
    problems: Sequence[Posed],
    measured: int,
    answer_tokens: int,
) -> list[Estimate]:
    """What measuring the workers and training the routers takes; empty where nothing learns.

    Args:
        choices: the systems.
        pool: whose workers are measured.
        problems: taken to be like those that are learned from.
        measured: how many of those there are.
        answer_tokens: what a worker is taken to write.
    """
    found: list[Estimate] = []
    if any("measured" in choice.needs for choice in choices):
        names = [pool.names[i] for i in language_models(pool)]
        alone = [OneWorker(name, name) for name in names]
        each = await estimate(alone, problems, 1, Limits(), answer_tokens)
        found.append(_summed("(measuring the workers)", each, measured / len(problems)))
    for choice in choices:
        if choice.kind == "masrouter":
            # Imported here because it needs the optional packages.
            from partbook.evaluate.systems.mas_router import MasRouterSettings  # noqa: PLC0415

            most = MasRouterSettings().calls(measured)[1]
            alone = [OneWorker(choice.name, dearest(pool))]
            each = await estimate(alone, problems, 1, Limits(), answer_tokens)
            found.append(_summed("(training masrouter)", each, most / len(problems)))
    return found


def _summed(name: str, each: Sequence[Estimate], times: float) -> Estimate:
    def usd(values: Sequence[Decimal | None]) -> Decimal | None:
        total = total_usd(values)
        return None if total is None else total * Decimal(str(times))

    return replace(
        each[0],
        system=name,
        calls=times * sum(one.calls for one in each),
        prompt_tokens=times * sum(one.prompt_tokens for one in each),
        completion_tokens=times * sum(one.completion_tokens for one in each),
        usd=usd([one.usd for one in each]),
        most_usd=usd([one.most_usd for one in each]),
    )
