"""Who settles the workflow of a run: chosen by its options, else by the pool file, and opened."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from partbook.cli.conductors import CONDUCTOR_TOKENS, Outside, find_outside
from partbook.cli.opening import closed_pool, opened_worker
from partbook.cli.selecting import EVERYBODY, Selection
from partbook.conduct import Conductor, Fixed, Proposer
from partbook.config import PoolConfig, load_workflow
from partbook.errors import ConfigError
from partbook.fixed import FixedWorkflow
from partbook.pool import AgentPool, Worker
from partbook.prompt import PromptStyle

if TYPE_CHECKING:
    from partbook.models.recorded import Recording
    from partbook.models.replayed import Replay
    from partbook.spread.post import Away

__all__ = ["Choice", "choose"]


@dataclass(frozen=True, slots=True)
class Choice:
    """Who settles the workflow: a person's fixed one, or a language model as Conductor."""

    fixed: FixedWorkflow | None
    conductor: str
    """Name of the worker of the pool that conducts; empty where none does."""
    outside: Outside | None
    """The Conductor where it is no worker of the pool."""
    fallback: FixedWorkflow | None
    show_names: bool

    def needed(self, config: PoolConfig) -> set[str] | None:
        """Names of the workers that may be called; None: all of them.

        Raises:
            ConfigError: a fixed workflow asks for a worker that is not there, or for the Conductor.
        """
        if self.fixed is None:
            return None
        pool = closed_pool(config)
        played = [pool[i].spec for i in self.fixed.resolve(pool).workers]
        for spec in played:
            if spec.kind == "conductor":
                raise ConfigError(
                    f"workflow {self.fixed.name!r}: worker {spec.name!r} is the Conductor, and a "
                    "fixed workflow has none; use --conductor WHO"
                )
        return {spec.name for spec in played}.union(*(spec.fallbacks for spec in played))

    @property
    def name(self) -> str:
        """Name of the Conductor; empty for a fixed workflow."""
        return self.conductor if self.outside is None else self.outside.spec.name

    def everybody(self, config: PoolConfig) -> PoolConfig:
        """The pool and the Conductor: all who may be called."""
        if self.outside is None:
            return config
        return replace(config, workers=(*config.workers, self.outside.spec))

    @asynccontextmanager
    async def opened(
        self,
        pool: AgentPool,
        *,
        prices: Path | None = None,
        recording: "Recording | None" = None,
        replay: "Replay | None" = None,
        away: "Away | None" = None,
    ) -> AsyncIterator[Proposer]:
        """The proposer on an opened pool.

        Args:
            pool: the workers.
            prices: as for the pool; likewise `recording`, `replay` and `away`.

        Raises:
            ConfigError: a Conductor from outside cannot be opened.
        """
        if self.fixed is not None:
            yield Fixed(self.fixed)
        elif self.outside is None:
            worker = pool[pool.find(self.conductor)]
            yield self._conductor(worker, "paper", constrain=worker.spec.kind == "local")
        else:
            style, constrain = self.outside.style, self.outside.constrain
            async with opened_worker(
                self.outside.spec, prices=prices, recording=recording, replay=replay, away=away
            ) as worker:
                yield self._conductor(worker, style, constrain=constrain)

    def _conductor(self, worker: Worker, style: PromptStyle, *, constrain: bool) -> Conductor:
        sampling = worker.spec.sampling
        if self.outside is None:
            # A worker's own limit is for its answers, a workflow needs this much.
            most = max(CONDUCTOR_TOKENS, sampling.max_tokens)
            sampling = replace(sampling, max_tokens=most, stop=())
        return Conductor(
            worker.model,
            sampling,
            price=worker.spec.price,
            show_names=self.show_names,
            constrain=constrain,
            fallback=self.fallback,
            retries=worker.spec.retries,
            style=style,
        )


def choose(
    whole: PoolConfig,
    workflow: str | None,
    conductor: str | None,
    selection: Selection = EVERYBODY,
) -> Choice:
    """What the options ask for, else what the pool file says.

    Args:
        whole: what the pool file says.
        workflow: a fixed workflow; None: none is asked for.
        conductor: who conducts; None: nobody is asked for.
        selection: who may be called, the Conductor included.

    Raises:
        ConfigError: both are asked for, neither is anywhere, nobody is known as the Conductor, or
            it may not be called.
    """
    config = selection.of(whole)
    if workflow and conductor:
        raise ConfigError("--workflow and --conductor exclude each other")
    where = "--conductor"
    if not workflow and not conductor:
        workflow, conductor = config.workflow, config.conductor
        where = f"pool {config.name!r}: conductor"
    if workflow:
        return Choice(load_workflow(workflow), "", None, None, config.show_names)
    if not conductor:
        raise ConfigError(
            f"pool {config.name!r} names neither a workflow nor a conductor: use --workflow NAME "
            "or --conductor WHO"
        )
    workers = {spec.name: spec for spec in whole.workers}
    models = [spec.name for spec in config.workers if spec.is_model]
    if conductor in workers and (why := selection.against(workers[conductor])):
        raise ConfigError(
            f"{where}: {conductor!r} would read the question, and {why}; name another Conductor "
            "with --conductor WHO"
        )
    if conductor in workers and conductor not in models:
        raise ConfigError(
            f"{where}: a language model was expected, worker {conductor!r} of pool "
            f"{config.name!r} is none; there are: {', '.join(models)}"
        )
    outside = None if conductor in workers else find_outside(conductor, models, where)
    if outside is not None and (why := selection.against_conductor(outside.spec)):
        raise ConfigError(
            f"{where}: {conductor!r} would read the question, and {why}; name another Conductor "
            "with --conductor WHO"
        )
    name = conductor if outside is None else ""
    fallback = load_workflow(config.fallback)
    # Without its players, the text is refused, as it is where a pool has no fallback.
    is_whole = len(config.workers) == len(whole.workers) or fallback.fits(closed_pool(config))
    return Choice(None, name, outside, fallback if is_whole else None, config.show_names)
