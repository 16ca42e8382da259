"""Microsoft's agent framework as it is shipped: agents on its OpenAI client, in a graph's nodes.

The start node hands the question on to two executors, each of which asks an agent of its own; their
answers meet in a third one, whose agent's answer leaves the graph. A graph refuses to run twice at
once, so one is built for every run, on agents and clients that all of them share.
"""

from typing import Never

from agent_framework import Agent, Executor, WorkflowBuilder, WorkflowContext, handler
from agent_framework.openai import OpenAIChatCompletionClient
from driver import P1, P2, Run, last_prompt, main


class Start(Executor):
    @handler
    async def begin(self, question: str, ctx: WorkflowContext[str]) -> None:
        await ctx.send_message(question)


class Part(Executor):
    def __init__(self, id: str, agent: Agent, prompt: str) -> None:
        super().__init__(id=id)
        self.agent = agent
        self.prompt = prompt

    @handler
    async def ask(self, question: str, ctx: WorkflowContext[str]) -> None:
        await ctx.send_message((await self.agent.run(self.prompt)).text)


class Last(Executor):
    def __init__(self, id: str, agent: Agent) -> None:
        super().__init__(id=id)
        self.agent = agent

    @handler
    async def combine(self, answers: list[str], ctx: WorkflowContext[Never, str]) -> None:
        reply = await self.agent.run(last_prompt(*answers))
        await ctx.yield_output(reply.text)


async def setup(base_url: str, limit: int) -> Run:
    agents = {
        name: Agent(OpenAIChatCompletionClient(name, api_key="x", base_url=base_url), name=name)
        for name in ("w1", "w2", "w3")
    }

    async def run(i: int) -> str:
        start = Start(id="start")
        parts = [Part("first", agents["w1"], P1), Part("second", agents["w2"], P2)]
        last = Last("third", agents["w3"])
        builder = WorkflowBuilder(start_executor=start, output_from=[last])
        workflow = builder.add_fan_out_edges(start, parts).add_fan_in_edges(parts, last).build()
        return (await workflow.run("Solve the problem.")).get_outputs()[0]

    return run


if __name__ == "__main__":
    main("Microsoft agent framework", setup)
