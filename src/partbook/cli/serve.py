"""`partbook serve`: a pool behind one OpenAI-compatible endpoint.

The command line opens what is served; how it is served is left to the `server` package, which is
imported late, because it needs the packages of the extra `serve`.
"""

import asyncio
import datetime
import hashlib
import json
import logging
import sys
from contextlib import AsyncExitStack
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from partbook.cli.asking import (
    AssumePriceOption,
    ConductorOption,
    MaxCallsOption,
    MaxTokensOption,
    MaxUsdOption,
    PoolOption,
    PricesOption,
    TimeoutOption,
    WorkflowOption,
    check_prices,
    limits_of,
)
from partbook.cli.extra import need_packages
from partbook.cli.opening import opened_pool
from partbook.cli.serve_page import opened_keeper, page_of, reports_folder
from partbook.cli.serve_shadow import opened_shadow
from partbook.cli.setup import Setup
from partbook.cli.shadow_options import (
    ShadowJournalOption,
    ShadowJudgeOption,
    ShadowOption,
    ShadowPairsOption,
    ShadowSystemOption,
    ShadowUsdOption,
    ShadowWish,
    shadow_wish,
)
from partbook.conduct import Conductor, Proposer
from partbook.config import load_workflow, workflow_names
from partbook.errors import ConfigError
from partbook.message import Message, Sampling
from partbook.pool import FREE, AgentPool

if TYPE_CHECKING:
    from partbook.server.admission import Admission
    from partbook.server.chat_request import FollowUp
    from partbook.store import ApiKeys

__all__ = ["serve_command"]


def serve_command(
    pool: PoolOption = "embedded",
    workflow: WorkflowOption = None,
    conductor: ConductorOption = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any free one.")] = 8000,
    max_usd: MaxUsdOption = None,
    max_calls: MaxCallsOption = None,
    max_tokens: MaxTokensOption = None,
    timeout: TimeoutOption = 600.0,
    assume_price: AssumePriceOption = None,
    prices: PricesOption = None,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Refuse requests with fields that would be passed over."),
    ] = False,
    reasoning: Annotated[
        bool,
        typer.Option("--reasoning/--no-reasoning", help="Show plan and steps as reasoning."),
    ] = True,
    keep: Annotated[
        bool,
        typer.Option("--keep", help="Keep every run, with all that was said, as `run` does."),
    ] = False,
    follow_ups: Annotated[
        str,
        typer.Option(
            help="How a conversation goes on: plan (every turn anew), keep (the last turn's plan, "
            "where nothing argues against it) or easy (so too, and short messages to one worker)."
        ),
    ] = "keep",
    warm: Annotated[
        bool,
        typer.Option("--warm/--no-warm", help="Load models in this process before listening."),
    ] = True,
    grace: Annotated[
        float, typer.Option(min=0, help="Seconds that requests may go on once it is to end.")
    ] = 30.0,
    log: Annotated[
        bool, typer.Option("--log/--no-log", help="Write a line for each request to stderr.")
    ] = True,
    page: Annotated[
        bool, typer.Option("--page/--no-page", help="Show the page, for people, at /.")
    ] = True,
    reports: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Where the page looks for evaluations and trainings.  [default: runs, if there]",
        ),
    ] = None,
    shadow: ShadowOption = None,
    shadow_system: ShadowSystemOption = None,
    shadow_usd_per_day: ShadowUsdOption = None,
    shadow_judge: ShadowJudgeOption = None,
    shadow_pairs: ShadowPairsOption = 200,
    shadow_journal: ShadowJournalOption = None,
) -> None:
    """Serve a pool behind one OpenAI-compatible endpoint.

    The limits hold for each request. Without keys (see `partbook keys`), only this machine is
    answered. See docs/serving.md.
    """
    need_packages("partbook serve", "starlette", "uvicorn", extra="serve")
    if follow_ups not in ("plan", "keep", "easy"):
        raise ConfigError(f"--follow-ups: plan, keep or easy was expected, found {follow_ups!r}")
    limits = limits_of(max_usd, max_calls, max_tokens, timeout, assume_price)
    setup = Setup.of(pool, workflow, conductor, limits, prices, None, None)
    wish = shadow_wish(
        shadow, shadow_system, shadow_usd_per_day, shadow_judge, shadow_pairs, shadow_journal
    )
    if log:
        _log_requests()
    from partbook.server.serving import fast_loop
    from partbook.store import ApiKeys, default_url

    with ApiKeys.open(default_url()) as keys:
        serving = _Serving(
            setup,
            keys,
            host,
            port,
            strict,
            reasoning,
            cast("FollowUp", follow_ups),
            keep,
            warm,
            grace,
            page,
            reports_folder(reports),
            wish,
        )
        with asyncio.Runner(loop_factory=fast_loop()) as runner:
            runner.run(serving.serve())


@dataclass(frozen=True, slots=True)
class _Serving:
    """All that a server is started with."""

    setup: Setup
    keys: "ApiKeys"
    host: str
    port: int
    strict: bool
    reasoning: bool
    follow_ups: "FollowUp"
    keep: bool
    warm: bool
    grace_s: float
    page: bool
    reports: Path | None
    shadow: ShadowWish | None

    async def serve(self) -> None:
        """Open everything, and answer until it is to end."""
        from partbook.server.app import Endpoint
        from partbook.server.served import Served, can_be_played
        from partbook.server.serving import Serving, listening

        setup = self.setup
        admission = self._admission()
        async with AsyncExitStack() as stack:
            pool = await stack.enter_async_context(opened_pool(setup.config, prices=setup.prices))
            proposer = await stack.enter_async_context(
                setup.choice.opened(pool, prices=setup.prices)
            )
            check_prices(pool, None, setup.limits, proposer)
            if self.warm:
                await _load_models(pool, proposer)
            known = (load_workflow(name) for name in workflow_names())
            pin, created = self._pin()
            keeper = await opened_keeper(stack) if self.keep else None
            served = Served(
                pool,
                proposer,
                pin,
                created,
                {each.name: each for each in known if can_be_played(each, pool)},
                setup.limits,
                self.strict,
                self.reasoning,
                self.follow_ups,
                None if keeper is None else keeper.put,
                None if keeper is None else keeper.kept,
            )
            routes = None
            if self.page:
                routes = page_of(stack, setup, self.keys, served, admission, keeper, self.reports)
            shadow = None
            if self.shadow is not None:
                shadow = await opened_shadow(stack, self.shadow, setup, served)
            sock = listening(self.host, self.port)
            self._greet(sock.getsockname()[1], served.names(), needs_key=admission.needs_key)
            endpoint = Endpoint(served, admission, extra_routes=routes, shadow=shadow)
            await Serving(endpoint, self.grace_s).serve([sock])

    def _admission(self) -> "Admission":
        from partbook.server.admission import KeyDesk, OpenDoor, is_loopback

        if any(key.revoked_at is None for key in self.keys.all_keys()):
            return KeyDesk(self.keys)
        if is_loopback(self.host):
            return OpenDoor()
        raise ConfigError(
            f"--host {self.host}: others could ask without a key; make one first: "
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

    def _greet(self, port: int, names: list[str], *, needs_key: bool) -> None:
        host = f"[{self.host}]" if ":" in self.host else self.host
        key = "a key is needed" if needs_key else "no key is needed, only this machine is answered"
        print(f"Partbook listens on http://{host}:{port}/v1 ({key})", flush=True)
        print(f"models: {', '.join(names)}", flush=True)
        if self.page:
            print(f"page: http://{host}:{port}/", flush=True)
        if self.shadow is not None:
            print(f"shadow: {self.shadow.told()}", flush=True)


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
        models["(conductor)"] = proposer.model
    for model in models.values():
        await model.chat((Message("user", "Hi"),), Sampling(max_tokens=1))


def _log_requests() -> None:
    from partbook.server.access_log import access_log

    access_log.addHandler(logging.StreamHandler(sys.stderr))
    access_log.setLevel(logging.INFO)
    access_log.propagate = False
