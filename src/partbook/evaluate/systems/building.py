"""Makes systems of choices, once what they need is there.

Nothing here costs a call but MasRouter, which is trained by playing: `MasRouterSettings.calls`
says how many. What learns is imported only if it is wanted, because it needs numpy.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from partbook.conduct import Conductor
from partbook.config import load_workflow
from partbook.errors import ConfigError
from partbook.evaluate.system import System
from partbook.evaluate.systems.alone import (
    LongContext,
    OneWorker,
    SelfConsistency,
    SelfFusion,
    SelfReflection,
)
from partbook.evaluate.systems.catalogue import RANDOM, Choice
from partbook.evaluate.systems.conducted import Conducted, Policy, Recursive
from partbook.evaluate.systems.kinds import KINDS, ROUTERS
from partbook.evaluate.systems.measured import Measured, Trial
from partbook.evaluate.systems.mixture import MixtureOfAgents
from partbook.evaluate.systems.plans import FixedPlan, RandomPlan
from partbook.evaluate.systems.system_plugin import SystemWanted, build_plugged_system
from partbook.evaluate.systems.wording import DEFAULT_WORDING, Wording
from partbook.pool import AgentPool

if TYPE_CHECKING:
    from partbook.evaluate.systems.encoder import Encoder
    from partbook.evaluate.systems.mas_router import MasRouterSettings
    from partbook.evaluate.systems.router_dc import RouterDCSettings

__all__ = ["Materials", "build_systems"]


@dataclass(frozen=True, slots=True)
class Materials:
    """What systems are made of; what none of the chosen ones needs may be None."""

    pool: AgentPool
    wording: Wording = DEFAULT_WORDING
    seed: int = 0
    """Of all training."""
    measured: Measured | None = None
    """The workers on another split than that which is reported on."""
    trial: Trial | None = None
    """Plays on the problems of `measured`, with the workers numbered as in `pool`."""
    encoder: "Encoder | None" = None
    conductor: Conductor | None = None
    policy: Policy | None = None
    mas_router: "MasRouterSettings | None" = None
    router_dc: "RouterDCSettings | None" = None


async def build_systems(choices: Sequence[Choice], materials: Materials) -> list[System]:
    """Make the systems, in order.

    Raises:
        ConfigError: something is missing that one of them needs.
    """
    systems: list[System] = []
    for choice in choices:
        if choice.kind in ROUTERS:
            systems.append(await _router(choice, materials))
        elif choice.kind in ("prompted", "trained", "recursive"):
            systems.append(_conducted(choice, materials))
        else:
            systems.append(_plain(choice, materials))
    return systems


def _plain(choice: Choice, materials: Materials) -> System:
    name, number, wording = choice.name, choice.number, materials.wording
    match choice.kind:
        case "worker":
            return OneWorker(name, choice.argument, wording)
        case "workflow":
            return FixedPlan(name, load_workflow(choice.argument))
        case "random":
            return RandomPlan(name, wording)
    if choice.kind not in KINDS:
        return _plugged(choice, materials)
    worker = choice.worker or _measured(choice, materials).best()
    match choice.kind:
        case "best":
            return OneWorker(name, worker, wording)
        case "context":
            return LongContext(name, worker, number, wording)
        case "self-consistency":
            return SelfConsistency(name, worker, number, wording)
        case "self-reflection":
            return SelfReflection(name, worker, number, wording)
        case "self-fusion":
            return SelfFusion(name, worker, number, wording)
        case "moa":
            return MixtureOfAgents(name, None if worker == RANDOM else worker, number, wording)
    raise ConfigError(f"no system {choice.name!r}")


def _plugged(choice: Choice, materials: Materials) -> System:
    worker = choice.worker
    if not worker and "measured" in choice.needs:
        worker = _measured(choice, materials).best()
    wanted = SystemWanted(choice.name, choice.number, worker, materials.pool, materials.seed)
    return build_plugged_system(choice.kind, wanted)


def _conducted(choice: Choice, materials: Materials) -> System:
    if choice.kind == "recursive":
        proposer = materials.policy or materials.conductor
    elif choice.kind == "trained":
        proposer = materials.policy
    else:
        proposer = materials.conductor
    if proposer is None:
        raise ConfigError(f"system {choice.name!r} needs a Conductor")
    if choice.kind == "recursive":
        return Recursive(choice.name, proposer, choice.number)
    return Conducted(choice.name, proposer)


async def _router(choice: Choice, materials: Materials) -> System:
    # Imported here because they need the optional packages.
    from partbook.evaluate.systems.mas_router import MasRouter  # noqa: PLC0415
    from partbook.evaluate.systems.router_dc import RouterDC  # noqa: PLC0415
    from partbook.evaluate.systems.smoothie import Smoothie  # noqa: PLC0415

    measured, encoder, wording = _measured(choice, materials), materials.encoder, materials.wording
    if encoder is None:
        raise ConfigError(f"system {choice.name!r} needs a sentence encoder")
    if choice.kind == "smoothie":
        dependent = choice.argument == "dependent"
        return Smoothie.fit(
            measured, encoder, dependent=dependent, wording=wording, name=choice.name
        )
    if choice.kind == "routerdc":
        return RouterDC.fit(
            measured,
            encoder,
            seed=materials.seed,
            settings=materials.router_dc,
            wording=wording,
            name=choice.name,
        )
    if materials.trial is None:
        raise ConfigError(f"system {choice.name!r} is trained by playing, which needs a trial")
    return await MasRouter.fit(
        measured.questions,
        materials.pool,
        materials.trial,
        encoder,
        seed=materials.seed,
        settings=materials.mas_router,
        wording=wording,
        name=choice.name,
    )


def _measured(choice: Choice, materials: Materials) -> Measured:
    if materials.measured is None:
        raise ConfigError(
            f"system {choice.name!r} needs the workers measured on another split; or name a worker "
            "with @WORKER where the system works on one"
        )
    materials.measured.check_pool(materials.pool)
    return materials.measured
