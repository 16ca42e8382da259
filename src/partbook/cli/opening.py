"""Opens a pool: from what its file says to workers that can be called, and closes it again."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from partbook.cli.settling import LOCAL_CONTEXT, settled
from partbook.config import PoolConfig
from partbook.errors import ConfigError
from partbook.keys import key_of
from partbook.message import Completion, Message, Sampling
from partbook.model import ChatModel, OnText
from partbook.models.breaker import Breaker
from partbook.models.limited import Limited
from partbook.models.paced import Paced
from partbook.own_prices import read_own_prices
from partbook.pool import AgentPool, Worker, WorkerSpec

if TYPE_CHECKING:
    from partbook.models.recorded import Recording
    from partbook.models.replayed import Replay
    from partbook.spread.post import Away

__all__ = ["Absent", "Guard", "closed_pool", "opened_pool", "opened_worker"]

Guard = Callable[[WorkerSpec, ChatModel], ChatModel]
"""Puts a model behind what its worker is allowed."""


@dataclass(frozen=True, slots=True)
class Absent:
    """Stands for the model of a worker that is not called."""

    name: str

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        """Refuse.

        Raises:
            ConfigError: always.
        """
        raise ConfigError(f"worker {self.name!r} was not opened for this run")


def closed_pool(config: PoolConfig) -> AgentPool:
    """The pool by names and roles only; nobody can be called."""
    workers = tuple(Worker(spec, Absent(spec.name)) for spec in config.workers)
    return AgentPool(config.name, workers)


@asynccontextmanager
async def opened_pool(
    config: PoolConfig,
    needed: Collection[str] | None = None,
    *,
    prices: Path | None = None,
    recording: "Recording | None" = None,
    replay: "Replay | None" = None,
    guard: Guard | None = None,
    away: "Away | None" = None,
) -> AsyncIterator[AgentPool]:
    """The pool, ready to be called.

    Args:
        config: what the pool file says.
        needed: names of the workers that will be called; the others need no key and no model, and
            refuse a call. None: all.
        prices: the file of one's own prices; None: the usual one, if it is there.
        recording: where every call is recorded.
        replay: who answers in the workers' place; no key is read and no model is opened.
        guard: keeps the limits of workers at endpoints; None: as for this process alone.
        away: gives what stands for models that nodes open; None: they are opened here.

    Raises:
        ConfigError: a key, a model or a package is missing, or another pool was recorded; nobody
            was called.
    """
    if replay is not None:
        from partbook.models.recorded import described

        named = (spec for spec in config.workers if needed is None or spec.name in needed)
        replay.check(config.name, described(named))
    async with AsyncExitStack() as stack:
        opener = _Opener(stack, prices, recording, replay, guard, away)
        workers = [
            await opener.open(worker.spec) if needed is None or worker.name in needed else worker
            for worker in closed_pool(config).workers
        ]
        yield AgentPool(config.name, tuple(workers))


@asynccontextmanager
async def opened_worker(
    spec: WorkerSpec,
    *,
    prices: Path | None = None,
    recording: "Recording | None" = None,
    replay: "Replay | None" = None,
    away: "Away | None" = None,
) -> AsyncIterator[Worker]:
    """One worker of no pool, ready to be called; otherwise as `opened_pool`."""
    async with AsyncExitStack() as stack:
        yield await _Opener(stack, prices, recording, replay, None, away).open(spec)


class _Opener:
    """Builds models, each kind's shared parts once: an HTTP session, the loaded model files."""

    def __init__(
        self,
        stack: AsyncExitStack,
        prices: Path | None,
        recording: "Recording | None",
        replay: "Replay | None",
        guard: Guard | None = None,
        away: "Away | None" = None,
    ) -> None:
        self._stack, self._guard, self._away = stack, guard, away
        self._recording = recording
        self._replay = replay
        # A file that is named is read even where nobody's price is asked for: it may be misspelt.
        self._own = None if prices is None else read_own_prices(prices)
        self._http: Callable[[WorkerSpec], ChatModel] | None = None
        self._local: Callable[[WorkerSpec], ChatModel] | None = None

    async def open(self, spec: WorkerSpec) -> Worker:
        """A worker whose model can be called, with its price and its context window."""
        if self._own is None and spec.kind == "http":
            self._own = read_own_prices(None)
        spec = settled(spec, self._own or ())
        if self._replay is not None:
            return Worker(spec, self._replay.of(spec.name))
        if self._away is not None and spec.kind != "conductor":
            return Worker(spec, self._away(spec, self._wrapped))
        return Worker(spec, self._wrapped(spec, await self._model(spec)))

    def _wrapped(self, spec: WorkerSpec, model: ChatModel) -> ChatModel:
        """A model behind its limits, its cache and the recording."""
        guard = self._guard if self._guard is not None and spec.kind == "http" else _guarded
        model = guard(spec, model)
        if spec.cache:
            from partbook.models.cached import Cached, CompletionCache, completions_dir

            who = {"kind": spec.kind, "endpoint": spec.endpoint, "model": spec.model}
            if spec.plugged is not None:
                from partbook.plugins import WORKERS, find_plugin

                plugin = find_plugin(WORKERS, spec.kind)  # another version, other answers
                who |= {"plugin": str(plugin), "settings": repr(spec.plugged.settings)}
            model = Cached(model, CompletionCache(completions_dir()), who)
        if self._recording is not None:
            model = self._recording.of(spec.name, model)
        return model

    async def _model(self, spec: WorkerSpec) -> ChatModel:
        match spec.kind:
            case "http":
                return await self._open_http(spec)
            case "local":
                return self._open_local(spec)
            case "torch":
                from partbook.models.in_torch import TorchModel

                model = TorchModel(spec.model)
                self._stack.push_async_callback(model.aclose)
                return model
            case "lab":
                from partbook.lab.pool import lab_pool

                return lab_pool(order=[spec.model])[0].model
            case "conductor":
                return Absent(spec.name)
            case "calculator":
                from partbook.models.calculator import Calculator

                return Calculator()
            case "python":
                from partbook.models.program import PythonRunner
                from partbook.sandbox import run_program, sandbox_available

                await asyncio.to_thread(sandbox_available)
                return PythonRunner(run_program)
            case _:
                return await self._open_foreign(spec)

    async def _open_foreign(self, spec: WorkerSpec) -> ChatModel:
        from partbook.models.discreet import Discreet
        from partbook.models.foreign import open_foreign

        key = key_of(spec)
        model = await open_foreign(self._stack, spec, key)
        return model if key is None else Discreet(model, key)

    async def _open_http(self, spec: WorkerSpec) -> ChatModel:
        if self._http is None:
            from partbook.models.discreet import Discreet
            from partbook.models.http import HttpModel, open_session
            from partbook.models.parameters import Parameters

            session = await self._stack.enter_async_context(open_session())
            known: dict[tuple[str, str], Parameters] = {}

            def build(spec: WorkerSpec) -> ChatModel:
                key = key_of(spec)
                place = (spec.endpoint, spec.model)
                model = HttpModel(
                    session, *place, key, timeout_s=spec.timeout_s, parameters=known.get(place)
                )
                known[place] = model.parameters
                return model if key is None else Discreet(model, key)

            self._http = build
        return self._http(spec)

    def _open_local(self, spec: WorkerSpec) -> ChatModel:
        if self._local is None:
            from partbook.models.local import LocalModels, LocalSpec
            from partbook.models.registry import model_files

            models = LocalModels()
            self._stack.push_async_callback(models.aclose)

            def build(spec: WorkerSpec) -> ChatModel:
                window = spec.context_window or LOCAL_CONTEXT
                path, adapter = model_files(spec.model)
                return models.get(LocalSpec(path, window, spec.max_concurrency, lora=adapter))

            self._local = build
        return self._local(spec)


def _guarded(spec: WorkerSpec, model: ChatModel) -> ChatModel:
    """The model behind the limits that hold for all its calls, whoever makes them.

    The breaker is inside the queue: those who wait there while a worker goes down are told so.
    """
    if spec.requests_per_minute is not None or spec.tokens_per_minute is not None:
        model = Paced(model, requests=spec.requests_per_minute, tokens=spec.tokens_per_minute)
    if spec.kind == "http":
        model = Breaker(model)
    return Limited(model, spec.max_concurrency)
