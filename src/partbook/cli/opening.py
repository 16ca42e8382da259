"""Opens a pool: from what its file says to workers that can be called, and closes it again."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace

from partbook.config import PoolConfig, api_key
from partbook.errors import ConfigError
from partbook.message import Completion, Message, Sampling
from partbook.model import ChatModel, OnText
from partbook.models.limited import Limited
from partbook.pool import FREE, AgentPool, Worker, WorkerSpec

__all__ = ["Absent", "closed_pool", "opened_pool"]

LOCAL_CONTEXT = 4096
"""Context window of a model in this process where the pool file names none, in tokens."""


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
    config: PoolConfig, needed: Collection[str] | None = None
) -> AsyncIterator[AgentPool]:
    """The pool, ready to be called.

    Args:
        config: what the pool file says.
        needed: names of the workers that will be called; the others need no key and no model, and
            refuse a call. None: all.

    Raises:
        ConfigError: a key, a model or a package is missing; nobody was called.
    """
    async with AsyncExitStack() as stack:
        opener = _Opener(stack)
        workers = [
            await opener.open(worker.spec) if needed is None or worker.name in needed else worker
            for worker in closed_pool(config).workers
        ]
        yield AgentPool(config.name, tuple(workers))


class _Opener:
    """Builds models, each kind's shared parts once: an HTTP session, the loaded model files."""

    def __init__(self, stack: AsyncExitStack) -> None:
        self._stack = stack
        self._http: Callable[[WorkerSpec], ChatModel] | None = None
        self._local: Callable[[WorkerSpec], ChatModel] | None = None

    async def open(self, spec: WorkerSpec) -> Worker:
        """A worker whose model can be called, with its price and its context window."""
        match spec.kind:
            case "http":
                spec = _with_preset(spec)
                model = await self._open_http(spec)
                spec = _with_list_price(spec)
            case "local":
                model = self._open_local(spec)
                window = spec.context_window or LOCAL_CONTEXT
                spec = replace(spec, price=spec.price or FREE, context_window=window)
            case "calculator":
                from partbook.models.calculator import Calculator

                model, spec = Calculator(), replace(spec, price=FREE)
            case "lab":
                from partbook.lab.pool import lab_pool

                scripted = lab_pool(order=[spec.model])[0]
                model, price = scripted.model, scripted.spec.price
                spec = replace(spec, price=price, card=spec.card or scripted.spec.card)
            case "python":
                from partbook.models.program import PythonRunner
                from partbook.sandbox import run_program, sandbox_available

                await asyncio.to_thread(sandbox_available)
                model, spec = PythonRunner(run_program), replace(spec, price=FREE)
        return Worker(spec, Limited(model, spec.max_concurrency))

    async def _open_http(self, spec: WorkerSpec) -> ChatModel:
        if self._http is None:
            from partbook.models.http import HttpModel, open_session

            session = await self._stack.enter_async_context(open_session())

            def build(spec: WorkerSpec) -> ChatModel:
                key = api_key(spec.name, spec.key_env) if spec.key_env else None
                return HttpModel(session, spec.endpoint, spec.model, key, timeout_s=spec.timeout_s)

            self._http = build
        return self._http(spec)

    def _open_local(self, spec: WorkerSpec) -> ChatModel:
        if self._local is None:
            from partbook.models.local import LocalModels, LocalSpec
            from partbook.models.registry import model_path

            models = LocalModels()
            self._stack.push_async_callback(models.aclose)

            def build(spec: WorkerSpec) -> ChatModel:
                window = spec.context_window or LOCAL_CONTEXT
                return models.get(LocalSpec(model_path(spec.model), window, spec.max_concurrency))

            self._local = build
        return self._local(spec)


def _with_preset(spec: WorkerSpec) -> WorkerSpec:
    """The spec with the URL and key variable of the preset that its endpoint may name."""
    from partbook.models.http import PRESETS

    if "://" in spec.endpoint:
        return spec
    if spec.endpoint not in PRESETS:
        raise ConfigError(
            f"worker {spec.name!r}: `endpoint` must be a URL or one of {', '.join(PRESETS)}; "
            f"found {spec.endpoint!r}"
        )
    preset = PRESETS[spec.endpoint]
    return replace(spec, endpoint=preset.endpoint, key_env=spec.key_env or preset.key_env)


def _with_list_price(spec: WorkerSpec) -> WorkerSpec:
    from partbook.prices import context_window_of, price_of

    return replace(
        spec,
        price=spec.price or price_of(spec.model, spec.endpoint),
        context_window=spec.context_window or context_window_of(spec.model, spec.endpoint),
    )
