"""`partbook serve --shadow`: how the other system and the judge are opened."""

import hashlib
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from partbook.cli.choosing import Choice, choose
from partbook.cli.files import beside_store
from partbook.cli.opening import closed_pool, opened_pool
from partbook.cli.setup import Setup
from partbook.cli.shadow_options import ShadowWish
from partbook.conduct import Conductor, Proposer
from partbook.config import PoolConfig
from partbook.errors import ConfigError
from partbook.ledger import CONDUCTOR
from partbook.model import ChatModel
from partbook.pool import AgentPool, WorkerSpec

if TYPE_CHECKING:
    from partbook.server.served import Offer, Served
    from partbook.server.shadow import Shadow
    from partbook.server.shadow_play import Judge

__all__ = ["opened_shadow", "shadow_file"]


@dataclass(frozen=True, slots=True)
class _Rival:
    """The other system, before anything is opened."""

    needed: set[str] | None
    """Names of its workers; None: all of the pool."""
    alone: str = ""
    """The worker that answers alone; empty: a workflow is played."""
    choice: Choice | None = None


async def opened_shadow(
    stack: AsyncExitStack, wish: ShadowWish, setup: Setup, served: "Served"
) -> "Shadow":
    """The shadow, ready to work; leaving the stack ends it.

    Raises:
        ConfigError: a worker is unknown, is no language model, has no price, or cannot be opened.
    """
    from partbook.evaluate.shadowing.shadow import Experiment
    from partbook.evaluate.shadowing.shadow_journal import ShadowJournal
    from partbook.server.shadow import Shadow
    from partbook.server.shadow_play import Rival

    config = setup.config
    rival = _rival(wish.system, config, setup)
    judge = _judge(wish.judge, config)
    names = {spec.name for spec in config.workers} if rival.needed is None else set(rival.needed)
    names.add(judge)
    specs = {spec.name: spec for spec in config.workers}
    far = {name for name in names if specs[name].kind == "http"}
    opened = await stack.enter_async_context(opened_pool(config, far, prices=setup.prices))
    # Models in this process are shared, for their memory; what is far gets sessions, queues and
    # breakers of its own, so that nothing that fails here is refused to a live request.
    pairs = zip(opened.workers, served.pool.workers, strict=True)
    pool = AgentPool(config.name, tuple(new if new.name in far else live for new, live in pairs))
    offer, proposer = await _offer(stack, rival, pool, setup)
    _check_prices(pool, names, setup, proposer)
    outside = None if rival.choice is None else rival.choice.outside
    near = names != far or (outside is not None and outside.spec.kind != "http")
    worker = pool[pool.find(judge)]
    price = worker.spec.price or setup.limits.assumed_price
    made = Rival(
        offer, pool, frozenset(names), worker, _comparing(worker.spec), price, gives_way=near
    )
    experiment = Experiment(
        served.pin, wish.system, judge, _hash_of(rival.choice), pairs=wish.pairs
    )
    journal = ShadowJournal.open(wish.journal or shadow_file(), experiment, time.time())
    shadow = Shadow(served, made, journal, wish.rate, wish.usd_per_day)
    await stack.enter_async_context(shadow.alive())
    return shadow


def shadow_file() -> Path:
    """The journal where none is named: beside the store."""
    return beside_store(".shadow.jsonl")


def _rival(system: str, config: PoolConfig, setup: Setup) -> _Rival:
    kind, _, name = system.partition(":")
    if kind == "single" and name:
        pool = closed_pool(config)
        worker = pool[pool.find(name)].spec
        if worker.kind == "conductor":
            raise ConfigError(f"--shadow-system: {name!r} is the Conductor and cannot answer alone")
        return _Rival({worker.name}, worker.name)
    if kind == "workflow" and name:
        choice = choose(config, name, None)
        return _Rival(choice.needed(config), "", choice)
    if kind == "conductor":
        who = name or config.conductor
        if not who:
            raise ConfigError(
                f"--shadow-system: pool {config.name!r} names no Conductor; say conductor:WHO"
            )
        choice = choose(config, None, who)
        if (
            setup.choice.fixed is None
            and setup.choice.name == choice.name
            and (setup.choice.outside == choice.outside)
        ):
            raise ConfigError(
                "--shadow-system: this Conductor is what is served; serve --workflow NAME, or "
                "name another system"
            )
        return _Rival(None, "", choice)
    raise ConfigError(
        "--shadow-system: single:WORKER, workflow:NAME, conductor or conductor:WHO was expected, "
        f"found {system!r}"
    )


def _judge(asked: str | None, config: PoolConfig) -> str:
    pool = closed_pool(config)
    try:
        spec = pool[pool.find(asked or "check")].spec
    except ConfigError as err:
        if asked:
            raise ConfigError(f"--shadow-judge: {err}") from err
        raise ConfigError(
            f"pool {config.name!r} has nobody with the role `check`; name who compares: "
            "--shadow-judge WORKER"
        ) from err
    if not spec.is_model:
        raise ConfigError(f"--shadow-judge: a language model was expected, {spec.name!r} is none")
    return spec.name


async def _offer(
    stack: AsyncExitStack, rival: _Rival, pool: AgentPool, setup: Setup
) -> "tuple[Offer, Proposer | None]":
    from partbook.server.served import Alone, Orchestra

    if rival.choice is None:
        return Alone("shadow", pool[pool.find(rival.alone)]), None
    proposer = await stack.enter_async_context(rival.choice.opened(pool, prices=setup.prices))
    return Orchestra("shadow", proposer), proposer


def _check_prices(
    pool: AgentPool, names: set[str], setup: Setup, proposer: Proposer | None
) -> None:
    """A budget in dollars can be kept only where every price is known or assumed."""
    if setup.limits.assumed_price is not None:
        return
    unknown = [w.name for w in pool.workers if w.name in names and w.spec.price is None]
    if isinstance(proposer, Conductor) and proposer.price is None:
        unknown.append(CONDUCTOR)
    if unknown:
        raise ConfigError(
            f"--shadow-usd-per-day needs the price of every worker; unknown: {', '.join(unknown)}; "
            "give each a `price` in the pool file or in your prices file"
        )


def _comparing(spec: WorkerSpec) -> "Judge":
    """How the judge of this spec is asked."""
    from partbook.economy.pairwise import judged, judging_room, judging_sampling
    from partbook.server.shadow_play import Judgement

    room, sampling = judging_room(spec), judging_sampling(spec)

    async def compare(model: ChatModel, question: str, first: str, second: str) -> Judgement:
        found = await judged(model, question, first, second, sampling, room_chars=room)
        prefers = {"first": True, "second": False, "tie": None}[found.outcome]
        return Judgement(prefers, found.is_judged, found.is_torn, len(found.texts), found.usage)

    return compare


def _hash_of(choice: Choice | None) -> str:
    if choice is None:
        return ""
    outside = choice.outside
    print_ = "" if outside is None else outside.text + outside.fingerprint()
    said = f"{choice.fixed!r} {choice.conductor} {print_} {choice.fallback!r}"
    return hashlib.sha256(said.encode()).hexdigest()[:12]
