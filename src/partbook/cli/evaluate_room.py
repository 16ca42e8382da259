"""Opens what an evaluation asks: pools, Conductors, the model that grades, the sentence encoder."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from partbook.budget import Limits
from partbook.cli.asking import check_prices
from partbook.cli.choosing import choose
from partbook.cli.opening import Absent, opened_pool
from partbook.conduct import Conductor
from partbook.config import PoolConfig
from partbook.errors import ConfigError
from partbook.evaluate.posed import LAB, lab_workers
from partbook.evaluate.systems.conducted import Policy
from partbook.message import Message, Sampling
from partbook.models.recorded import described
from partbook.models.replayed import Replay
from partbook.pool import AgentPool, Worker
from partbook.price import FREE
from partbook.prompt import PromptStyle, conductor_messages
from partbook.workflow import MAX_STEPS

if TYPE_CHECKING:
    from partbook.evaluate.systems.encoder import Encoder, EncoderName
    from partbook.spread.post import Away

__all__ = ["Room", "RoomWanted", "encoder_name", "opened_room", "stand_in_policy"]


@dataclass(frozen=True, slots=True)
class RoomWanted:
    """What is to be opened."""

    configs: Mapping[str, PoolConfig]
    """By the name that asks for the pool; the first one numbers the workers."""
    needed: set[str] | None
    """Names of the workers that may be called; None: all."""
    conductor: str
    policy: str
    grader: str
    encoder: str
    """Empty where none is needed."""
    seed: int
    prices: Path | None
    limits: Limits
    """With a limit in dollars, all prices must be known."""
    nobody: Path | None = None
    """Where answers come from in place of all models: none is opened, and no key is read."""
    away: "Away | None" = None
    """Gives what stands for models that nodes open; None: they are opened here."""


@dataclass(frozen=True, slots=True)
class Room:
    """What was opened."""

    pools: Mapping[str, AgentPool]
    main: AgentPool
    """Numbers the workers where systems are built and workers are measured."""
    conductor: Conductor | None
    policy: Policy | None
    grader: Worker | None
    encoder: "Encoder | None"


def encoder_name(wanted: str) -> str:
    """The encoder that will be used: the one that is wanted, else the best that is here.

    Raises:
        ConfigError: there is none of that name, or numpy is missing.
    """
    if find_spec("numpy") is None:
        raise ConfigError("learned routers need numpy: pip install 'partbook[eval]'")
    from partbook.evaluate.systems.encoder import ENCODERS, open_encoder

    if wanted:
        if wanted not in ENCODERS:
            raise ConfigError(
                f"--encoder: one of {', '.join(ENCODERS)} was expected, found {wanted!r}"
            )
        return wanted
    try:
        open_encoder("minilm")
    except ConfigError:
        return "words"
    return "minilm"


@asynccontextmanager
async def opened_room(wanted: RoomWanted) -> AsyncIterator[Room]:
    """Open it all.

    Raises:
        ConfigError: a key, a model, a package or a price is missing; nobody was called.
    """
    async with AsyncExitStack() as stack:
        pools: dict[str, AgentPool] = {}
        for name, config in wanted.configs.items():
            if name == LAB:
                pools[name] = lab_workers(wanted.seed)
                continue
            pools[name] = await stack.enter_async_context(
                opened_pool(
                    config,
                    wanted.needed,
                    prices=wanted.prices,
                    replay=_nobody(wanted, config),
                    away=wanted.away,
                )
            )
        first = next(iter(wanted.configs))
        conductor = await _conductor(wanted, wanted.conductor, pools[first], stack)
        policy = await _conductor(wanted, wanted.policy, pools[first], stack)
        for pool in pools.values():
            check_prices(pool, wanted.needed, wanted.limits)
        for one in (conductor, policy):
            if one is not None:
                check_prices(pools[first], set(), wanted.limits, one)
        grader = None
        if wanted.grader:
            grader = pools[first][pools[first].find(wanted.grader)]
        yield Room(
            pools,
            pools[first],
            conductor,
            None if policy is None else _as_policy(policy),
            grader,
            _encoder(wanted.encoder),
        )


def stand_in_policy() -> Policy:
    """Takes a trained Conductor's place in an estimate."""
    return Policy(Absent("(trained)"), Sampling(1024), price=FREE)


async def _conductor(
    wanted: RoomWanted, who: str, pool: AgentPool, stack: AsyncExitStack
) -> Conductor | None:
    if not who:
        return None
    config = next(iter(wanted.configs.values()))
    opened = choose(config, None, who).opened(
        pool, prices=wanted.prices, replay=_nobody(wanted, config), away=wanted.away
    )
    proposer = await stack.enter_async_context(opened)
    assert isinstance(proposer, Conductor), "a Conductor was asked for"
    # A fallback would answer in its place, and the report would count that as its own.
    return replace(proposer, fallback=None)


def _as_policy(conductor: Conductor) -> Policy:
    """The same Conductor, asked once and in the style in which it was trained."""
    return Policy(
        conductor.model,
        conductor.sampling,
        price=conductor.price,
        show_names=conductor.show_names,
        constrain=conductor.constrain,
        retries=conductor.retries,
        style=conductor.style,
        prompt=partial(_prompt, style=conductor.style),
    )


def _prompt(question: str, pool: AgentPool, style: PromptStyle) -> Sequence[Message]:
    return conductor_messages(question, pool, MAX_STEPS, style=style)


def _nobody(wanted: RoomWanted, config: PoolConfig) -> Replay | None:
    """Knows the pool, and no call: who has not been asked in the folder, cannot be asked now."""
    if wanted.nobody is None:
        return None
    return Replay(wanted.nobody, {"pool": config.name, "workers": described(config.workers)})


def _encoder(name: str) -> "Encoder | None":
    if not name:
        return None
    from partbook.evaluate.systems.encoder import ENCODERS, open_encoder

    known: EncoderName = next(one for one in ENCODERS if one == name)
    return open_encoder(known)
