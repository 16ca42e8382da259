"""pydantic-graph as it is shipped: agents of Pydantic AI, on its OpenAI model, in a graph's steps.

The graph is built once, which flatters it: a Conductor's workflows differ from question to
question, so that each would have to be built.
"""

from driver import P1, P2, Run, last_prompt, main
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_graph import GraphBuilder, StepContext
from pydantic_graph.join import reduce_dict_update


async def setup(base_url: str, limit: int) -> Run:
    provider = OpenAIProvider(base_url=base_url, api_key="x")
    agents = {name: Agent(OpenAIChatModel(name, provider=provider)) for name in ("w1", "w2", "w3")}
    graph = GraphBuilder(input_type=str, output_type=str)

    @graph.step
    async def first(ctx: StepContext[None, None, str]) -> dict[str, str]:
        return {"a": (await agents["w1"].run(P1)).output}

    @graph.step
    async def second(ctx: StepContext[None, None, str]) -> dict[str, str]:
        return {"b": (await agents["w2"].run(P2)).output}

    both = graph.join(reduce_dict_update, initial_factory=dict[str, str])

    @graph.step
    async def third(ctx: StepContext[None, None, dict[str, str]]) -> str:
        prompt = last_prompt(ctx.inputs["a"], ctx.inputs["b"])
        return (await agents["w3"].run(prompt)).output

    graph.add(
        graph.edge_from(graph.start_node).to(first, second),
        graph.edge_from(first, second).to(both),
        graph.edge_from(both).to(third),
        graph.edge_from(third).to(graph.end_node),
    )
    built = graph.build()

    async def run(i: int) -> str:
        return await built.run(inputs="Solve the problem.")

    return run


if __name__ == "__main__":
    main("pydantic-graph + Pydantic AI", setup)
