"""What one process of `partbook serve` opens, and how it answers until it is to end."""

import asyncio
import datetime
import functools
import hashlib
import json
import logging
import sys
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from partbook.budget import Limits
from partbook.cli.asking import check_prices
from partbook.cli.opening import Guard, opened_pool
from partbook.cli.serve_page import opened_keeper, page_of
from partbook.cli.serve_shadow import opened_shadow
from partbook.cli.setup import Setup
from partbook.cli.shadow_options import ShadowWish
from partbook.conduct import Conductor, Proposer
from partbook.config import load_workflow, workflow_names
from partbook.errors import ConfigError
from partbook.ledger import CONDUCTOR
from partbook.message import Message, Sampling
from partbook.pool import AgentPool
from partbook.price import FREE

if TYPE_CHECKING:
    import socket

    from partbook.server.admission import Admission
    from partbook.server.app import Endpoint
    from partbook.server.chat_request import FollowUp
    from partbook.server.siblings import Siblings
    from partbook.store import ApiKeys

__all__ = ["Place", "ServeWish", "answer"]


@dataclass(frozen=True, slots=True)
class ServeWish:
    """What the command line asks for; every process is given the same."""

    pool: str
    workflow: str | None
    conductor: str | None
    limits: Limits
    """Of one request."""
    prices: Path | None
    host: str
    port: int
    strict: bool
    reasoning: bool
    follow_ups: "FollowUp"
    keep: bool
    warm: bool
    grace_s: float
    log: bool
    page: bool
    reports: Path | None
    shadow: ShadowWish | None
    usd_per_day: Decimal | None
    """Of all requests together; None: no limit."""
    usd_per_month: Decimal | None


@dataclass(frozen=True, slots=True)
class Place:
    """A process among others on one port."""

    sock: "socket.socket"
    """Where it listens."""
    siblings: "Siblings"
    greet: Callable[[Sequence[str]], None]
    """Told the lines of its greeting once it answers."""
    when_alone: Callable[[Callable[[], None]], None]
    """Has something done once nobody looks after it any more."""


def answer(wish: ServeWish, place: Place | None = None) -> None:
    """Open everything, and answer until it is to end.

    Args:
        wish: what is asked for.
        place: of this process among others; None: it is alone.

    Raises:
        ConfigError: it cannot be opened.
    """
    setup = Setup.of(wish.pool, wish.workflow, wish.conductor, wish.limits, wish.prices, None, None)
    if wish.log:
        _log_requests()
    from partbook.server.serving import fast_loop
    from partbook.store import ApiKeys, default_url

    with ApiKeys.open(default_url()) as keys:
        serving = _Serving(wish, setup, keys, place)
        with asyncio.Runner(loop_factory=fast_loop()) as runner:
            runner.run(serving.serve())


@dataclass(frozen=True, slots=True)
class _Serving:
    """All that a process is started with."""

    wish: ServeWish
    setup: Setup
    keys: "ApiKeys"
    place: Place | None

    async def serve(self) -> None:
        """Open everything, and answer until it is to end."""
        from partbook.server.app import Endpoint
        from partbook.server.served import Served

        setup, wish = self.setup, self.wish
        async with AsyncExitStack() as stack:
            admission = self._admission()
            pool = await stack.enter_async_context(
                opened_pool(setup.config, prices=setup.prices, guard=await self._guard(stack))
            )
            proposer = await stack.enter_async_context(
                setup.choice.opened(pool, prices=setup.prices)
            )
            self._check_prices(pool, proposer)
            if wish.warm:
                await _load_models(pool, proposer)
            known = (load_workflow(name) for name in workflow_names())
            pin, created = self._pin()
            keeper = await opened_keeper(stack) if wish.keep else None
            served = Served(
                pool,
                proposer,
                pin,
                created,
                {each.name: each for each in known if each.fits(pool)},
                setup.limits,
                wish.strict,
                wish.reasoning,
                wish.follow_ups,
                None if keeper is None else keeper.put,
                None if keeper is None else keeper.kept,
            )
            routes = None
            if wish.page:
                routes = page_of(stack, setup, self.keys, served, admission, keeper, wish.reports)
            shadow = None
            if wish.shadow is not None:
                shadow = await opened_shadow(stack, wish.shadow, setup, served)
            siblings = None if self.place is None else self.place.siblings
            endpoint = Endpoint(
                served, admission, extra_routes=routes, shadow=shadow, siblings=siblings
            )
            await self._answer(stack, endpoint, needs_key=admission.needs_key)

    async def _answer(
        self, stack: AsyncExitStack, endpoint: "Endpoint", *, needs_key: bool
    ) -> None:
        from partbook.server.serving import Serving, listening

        wish, place, names = self.wish, self.place, endpoint.served.names()
        if place is None:
            sock = listening(wish.host, wish.port)
            port = sock.getsockname()[1]
            print("\n".join(self._greeting(port, names, needs_key=needs_key)), flush=True)
            await Serving(endpoint, wish.grace_s).serve([sock])
            return
        await stack.enter_async_context(place.siblings.told(endpoint.metrics))
        port = place.sock.getsockname()[1]
        lines = self._greeting(port, names, needs_key=needs_key)
        serving = Serving(endpoint, wish.grace_s, functools.partial(place.greet, lines))

        def end() -> None:
            serving.should_exit = True

        place.when_alone(end)
        await serving.serve([place.sock])

    @property
    def _is_shared(self) -> bool:
        """Whether other servers may be on the store, so that limits have to be kept there."""
        return self.place is not None or self.keys.is_of_many

    async def _guard(self, stack: AsyncExitStack) -> Guard | None:
        """What keeps the pool's limits; None: this process alone does."""
        if not self._is_shared:
            return None
        from partbook.server.shared_limits import SharedLimits

        limits = SharedLimits(self.keys.counting, self.setup.config.name)
        await stack.enter_async_context(limits.alive())
        return limits.guarded

    def _check_prices(self, pool: AgentPool, proposer: Proposer) -> None:
        limits, wish = self.setup.limits, self.wish
        check_prices(pool, None, limits, proposer)
        total = wish.usd_per_month if wish.usd_per_day is None else wish.usd_per_day
        check_prices(pool, None, replace(limits, usd=total), proposer, "--usd-per-day")

    def _admission(self) -> "Admission":
        from partbook.server.admission import KeyDesk, OpenDoor, is_loopback, total_account

        wish = self.wish
        total = total_account(self.keys, wish.usd_per_day, wish.usd_per_month)
        if any(key.revoked_at is None for key in self.keys.all_keys()):
            return KeyDesk(self.keys, total, is_shared=self._is_shared)
        if is_loopback(wish.host):
            return OpenDoor(total)
        raise ConfigError(
            f"--host {wish.host}: others could ask without a key; make one first: "
            "partbook keys create NAME"
        )

    def _pin(self) -> tuple[str, int]:
        """The dated name of what is served, and when it was first served."""
        setup, choice = self.setup, self.setup.choice
        said = [
            version("partbook"),
            sorted(setup.hashes.items()),
            choice.name,
            setup.conductor_hash,
            repr(choice.fixed),
            repr(choice.fallback),
        ]
        fingerprint = hashlib.sha256(json.dumps(said).encode()).hexdigest()
        first = self.keys.first_served(fingerprint)
        day = datetime.datetime.fromtimestamp(first, datetime.UTC).date()
        return f"partbook-{day.isoformat()}-{fingerprint[:6]}", int(first)

    def _greeting(self, port: int, names: list[str], *, needs_key: bool) -> list[str]:
        wish = self.wish
        host = f"[{wish.host}]" if ":" in wish.host else wish.host
        key = "a key is needed" if needs_key else "no key is needed, only this machine is answered"
        lines = [
            f"Partbook listens on http://{host}:{port}/v1 ({key})",
            f"models: {', '.join(names)}",
        ]
        if wish.page:
            lines.append(f"page: http://{host}:{port}/")
        if wish.shadow is not None:
            lines.append(f"shadow: {wish.shadow.told()}")
        return lines


async def _load_models(pool: AgentPool, proposer: Proposer) -> None:
    """Let every model in this process say a token, so that no request waits until it is loaded.

    Raises:
        ConfigError: a model is missing or cannot be loaded.
        WorkerError: it cannot answer.
    """
    models = {
        worker.spec.model: worker.model
        for worker in pool.workers
        if worker.spec.kind in ("local", "torch")
    }
    if isinstance(proposer, Conductor) and proposer.price == FREE:
        models[CONDUCTOR] = proposer.model
    for model in models.values():
        await model.chat((Message("user", "Hi"),), Sampling(max_tokens=1))


def _log_requests() -> None:
    from partbook.server.access_log import access_log

    access_log.addHandler(logging.StreamHandler(sys.stderr))
    access_log.setLevel(logging.INFO)
    access_log.propagate = False
