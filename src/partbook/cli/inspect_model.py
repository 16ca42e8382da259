"""Any system as a model of Inspect, so that its tasks, scorers and viewer work on it.

    inspect eval task.py --model partbook/moa:3@gpt-5 -M pool=mine.toml

What stands after `partbook/` is a system as `partbook evaluate --systems` takes it, but for those
that must learn first. Inspect finds this module by the entry point of the extra `[inspect]`; it
sits with the commands because it opens pools. Calls of tools by the answering model are not
supported: a workflow's last step writes text.
"""

import random
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from partbook.budget import Limits
from partbook.cli.evaluate_room import RoomWanted, opened_room
from partbook.cli.opening import closed_pool
from partbook.conduct import Proposer, conduct
from partbook.config import load_pool
from partbook.errors import ConfigError, WorkerError
from partbook.evaluate.posed import LAB
from partbook.evaluate.running.cell import spent_of
from partbook.evaluate.system import Sitting, System
from partbook.evaluate.systems.building import Materials, build_systems
from partbook.evaluate.systems.catalogue import parse_systems
from partbook.evaluate.systems.kinds import Need
from partbook.evaluate.systems.wording import DEFAULT_WORDING, LAB_WORDING
from partbook.pool import AgentPool
from partbook.store import Store, Tags, default_url
from partbook.trace import Trace

__all__ = ["PartbookModel", "question_of"]


@modelapi(name="partbook")
class PartbookModel(ModelAPI):
    """A system on a pool, asked as a model."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        pool: str = "embedded",
        conductor: str = "",
        policy: str = "",
        max_calls: int | None = None,
        seed: int = 0,
    ) -> None:
        """Read what is asked for; the pool is opened by the first question.

        Args:
            model_name: one system.
            base_url: not used: endpoints stand in the pool file.
            api_key: not used: keys are named in the pool file.
            config: not used: a worker's sampling stands in the pool file.
            pool: name of a pool that comes along, or a file.
            conductor: who conducts in `prompted`; as for `partbook run --conductor`.
            policy: who conducts in `trained`; likewise.
            max_calls: of each question.
            seed: of all draws.

        Raises:
            ConfigError: the system or the pool is unknown.
        """
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())
        have: list[Need] = ["conductor"] if conductor else []
        if policy:
            have.append("policy")
        self._config = load_pool(pool)
        choices = parse_systems(model_name, closed_pool(self._config), have)
        if len(choices) != 1:
            raise ConfigError(f"one system was expected, {model_name!r} names {len(choices)}")
        self._choice = choices[0]
        self._wanted = RoomWanted(
            {pool: self._config}, None, conductor, policy, "", "", seed, None, Limits()
        )
        self._pool_name, self._seed = pool, seed
        self._limits = Limits(calls=max_calls)
        self._stack = AsyncExitStack()
        self._opened: tuple[System, AgentPool] | None = None

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Answer a chat.

        Raises:
            ConfigError: tools are to be called.
            WorkerError: a worker gave no usable answer; nobody can say how the system would do.
        """
        if tools:
            raise ConfigError(
                "a Partbook system calls no tools of Inspect; its workers may be some"
            )
        system, pool = await self._system()
        question = question_of([(message.role, message.text) for message in input])

        async def play(
            question: str, pool: AgentPool, proposer: Proposer, rounds: int = 1
        ) -> Trace:
            limits = replace(self._limits, rounds=rounds)
            return await conduct(question, pool, proposer, limits=limits)

        rng = random.Random(f"{self._seed}|{question}|{config.seed or 0}")
        sitting = Sitting(question, pool, rng, play)
        answer = await system.answer(sitting)
        tags = [Tags(label=f"inspect: {system.name}") for _ in sitting.traces]
        with Store.open(default_url()) as store:
            store.save_many(sitting.traces, tags)
        for trace in sitting.traces:
            if trace.reason in ("worker", "timeout"):
                raise WorkerError(trace.detail)
        return _output(system.name, answer or "", sitting.traces)

    async def aclose(self) -> None:
        """Close the pool."""
        await self._stack.aclose()
        self._opened = None

    def max_connections(self) -> int:
        """Questions in flight at once; each worker has a limit of its own in the pool file."""
        return 8

    async def _system(self) -> tuple[System, AgentPool]:
        if self._opened is None:
            room = await self._stack.enter_async_context(opened_room(self._wanted))
            wording = LAB_WORDING if self._pool_name == LAB else DEFAULT_WORDING
            materials = Materials(
                room.main, wording, self._seed, conductor=room.conductor, policy=room.policy
            )
            self._opened = (await build_systems([self._choice], materials))[0], room.main
        return self._opened


def question_of(messages: Sequence[tuple[str, str]]) -> str:
    """A chat as one question: the text alone, or with several turns who said what.

    >>> question_of([("system", "Be brief."), ("user", "2 + 2?")])
    'Be brief.\\n\\n2 + 2?'
    """
    said = [(role, text.strip()) for role, text in messages if text.strip()]
    if all(role in ("system", "user") for role, _ in said):
        return "\n\n".join(text for _, text in said)
    return "\n\n".join(f"{role}: {text}" for role, text in said)


def _output(name: str, answer: str, traces: Sequence[Trace]) -> ModelOutput:
    spent = spent_of(traces)
    output = ModelOutput.from_content(name, answer)
    output.usage = ModelUsage(
        input_tokens=spent.prompt_tokens,
        output_tokens=spent.completion_tokens,
        total_tokens=spent.tokens,
        total_cost=None if spent.cost_usd is None else float(spent.cost_usd),
    )
    facts: dict[str, Any] = {
        "partbook_runs": [trace.run_id for trace in traces],
        "partbook_calls": spent.calls,
        "partbook_workers": dict(spent.workers),
    }
    output.metadata = facts
    return output
