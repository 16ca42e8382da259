"""Staging: from a pool's specs and all figures that there are to a stage.

What is stated goes before what is measured, what is measured before what is assumed of everybody.
Who may be called and has no figures is an error that says how to give some; a price that nobody
knows is none, and stays unknown to the end.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

from partbook.errors import ConfigError
from partbook.ledger import CONDUCTOR
from partbook.pool import WorkerSpec
from partbook.price import Price
from partbook.simulate.assumed import NOTHING, Stated, StatedWorker
from partbook.simulate.figures import (
    ANYBODY,
    Assumed,
    Calls,
    Mix,
    Plan,
    PlannedRound,
    PlannedStep,
    WorkerFigures,
)
from partbook.simulate.measured import Measurement
from partbook.simulate.serving import Endpoint, Stage
from partbook.workflow import MAX_STEPS, Workflow

__all__ = ["Sources", "fixed_mix", "stage_of", "steps_mix", "unpriced"]

_HOW = (
    "play some requests on this pool so that the store has calls, or state them: a [[workers]] "
    "table in --figures FILE, or --assume-latency P50/P95 with --assume-tokens READ/WRITTEN"
)


@dataclass(frozen=True, slots=True)
class Sources:
    """Where figures may come from."""

    measured: Sequence[Measurement] = ()
    """The one to be asked first, first."""
    stated: Stated = NOTHING
    calls: Assumed | None = None
    """Assumed of everybody of whom nothing else is known."""
    price: Price | None = None
    """Likewise."""
    only: Calls | None = None
    """Known of whoever is asked for; None: look for them."""

    def calls_of(self, name: str, at_once: int, stated: StatedWorker) -> Calls | None:
        """A worker's calls, from the first source that has some."""
        if self.only is not None:
            return self.only
        if stated.calls is not None:
            return stated.calls
        found = (one.calls_of(name, at_once) for one in self.measured)
        return next((calls for calls in found if calls is not None), self.calls)

    def mix(self) -> Mix | None:
        """The workflows of requests, from the first source that has some."""
        if self.stated.mix is not None:
            return self.stated.mix
        found = (one.mix() for one in self.measured)
        return next((mix for mix in found if mix is not None), None)

    def figures_of(self, spec: WorkerSpec) -> WorkerFigures:
        """All that is known of a worker, or of the Conductor.

        Raises:
            ConfigError: nothing is known of its calls.
        """
        own = self.stated.conductor if spec.name == CONDUCTOR else None
        stated = own or self.stated.of(spec.name)
        at_once = stated.max_concurrency or spec.max_concurrency
        calls = self.calls_of(spec.name, at_once, stated)
        if calls is None:
            who = "the Conductor" if spec.name == CONDUCTOR else f"worker {spec.name!r}"
            raise ConfigError(f"no figures for the calls of {who}; {_HOW}")
        faults = stated.faults
        if faults is None:
            found = (one.faults_of(spec.name) for one in self.measured)
            faults = next((shares for shares in found if shares), {})
        return WorkerFigures(
            spec.name,
            calls,
            stated.price or spec.price or self.price,
            at_once,
            stated.requests_per_minute or spec.requests_per_minute,
            stated.tokens_per_minute or spec.tokens_per_minute,
            spec.sampling.max_tokens,
            spec.timeout_s,
            0 if spec.is_tool else spec.retries,
            spec.kind == "http",
            faults,
            spec.fallbacks,
            stated.provider,
        )


def stage_of(
    specs: Sequence[WorkerSpec],
    sources: Sources,
    mix: Mix,
    conductor: WorkerSpec | None = None,
    timeout_s: float | None = None,
    endpoint: Endpoint | None = None,
) -> Stage:
    """Put a stage together.

    Args:
        specs: the pool's workers, each with its price, where it is known.
        sources: where figures may come from.
        mix: the workflows of requests.
        conductor: who writes them: one of the specs, or one of its own; None: nobody.
        timeout_s: deadline of a request.
        endpoint: the server in front; None: it takes nothing.

    Raises:
        ConfigError: somebody who may be called has no figures, or is not there.
    """
    by_name = {spec.name: spec for spec in specs}
    sources.stated.check_names(list(by_name), "the pool")
    called = mix.workers
    for name in sorted(called - by_name.keys() - {ANYBODY}):
        raise ConfigError(
            f"{mix.source}: worker {name!r} was called, the pool has {', '.join(by_name)}"
        )
    names = list(by_name) if ANYBODY in called else [name for name in by_name if name in called]
    names += [name for one in names for name in by_name[one].fallbacks if name not in names]
    workers = {name: sources.figures_of(by_name[name]) for name in dict.fromkeys(names)}
    if not mix.is_conducted:
        return Stage(workers, mix, timeout_s, endpoint or Endpoint())
    if conductor is None:
        raise ConfigError(
            f"{mix.source}: a Conductor is asked, and the pool has none; name it: --conductor WHO"
        )
    if conductor.name in by_name:
        stated = sources.stated.conductor or StatedWorker()
        proposals = replace(sources, calls=None).calls_of(CONDUCTOR, 1, stated)
        if conductor.name not in workers:
            # It does nothing else, so that these are all its calls.
            own = sources if proposals is None else replace(sources, only=proposals)
            workers[conductor.name] = own.figures_of(by_name[conductor.name])
        return Stage(workers, mix, timeout_s, endpoint or Endpoint(), conductor.name, proposals)
    workers[CONDUCTOR] = sources.figures_of(replace(conductor, name=CONDUCTOR))
    return Stage(workers, mix, timeout_s, endpoint or Endpoint())


def fixed_mix(workflow: Workflow, names: Sequence[str], source: str) -> Mix:
    """One workflow for every request.

    Args:
        workflow: what is played.
        names: of the pool's workers, as the workflow numbers them.
        source: where it is from, for a person.
    """
    steps = tuple(PlannedStep(names[step.worker], step.access) for step in workflow.steps)
    return Mix((Plan((PlannedRound(0, steps),)),), (1.0,), source)


def steps_mix(mean: float, source: str, proposals: int = 0) -> Mix:
    """Workflows with so many steps on average, each for anybody and reading all before it.

    Args:
        mean: 1 to 5.
        source: where it is from, for a person.
        proposals: calls of the Conductor for each.

    Raises:
        ConfigError: the mean is out of range.
    """
    if not 1 <= mean <= MAX_STEPS:
        raise ConfigError(f"{source}: 1 to {MAX_STEPS} steps were expected, found {mean:g}")
    most = ceil(mean)
    shares = {most: 1 - (most - mean), most - 1: most - mean}
    plans = {}
    for number, share in shares.items():
        if share > 0:
            steps = tuple(PlannedStep(ANYBODY, tuple(range(i))) for i in range(number))
            plans[Plan((PlannedRound(proposals, steps),))] = share
    return Mix(tuple(plans), tuple(plans.values()), source)


def unpriced(stage: Stage) -> list[str]:
    """Names of those whose price nobody knows."""
    return [one.name for one in stage.workers.values() if one.price is None]
