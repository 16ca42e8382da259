"""LangGraph as it is shipped, with the openai SDK in its nodes.

The graph is compiled once, which flatters it: a Conductor's workflows differ from question to
question, so that each would have to be compiled.
"""

from typing import TypedDict

from driver import P1, P2, Run, last_prompt, main, oai
from langgraph.graph import END, START, StateGraph


class State(TypedDict, total=False):
    a: str
    b: str
    out: str


async def setup(base_url: str, limit: int) -> Run:
    client = oai(base_url)

    async def call(model: str, prompt: str) -> str:
        messages = [{"role": "user", "content": prompt}]
        reply = await client.chat.completions.create(model=model, messages=messages)
        return reply.choices[0].message.content

    async def first(state: State) -> State:
        return {"a": await call("w1", P1)}

    async def second(state: State) -> State:
        return {"b": await call("w2", P2)}

    async def third(state: State) -> State:
        return {"out": await call("w3", last_prompt(state["a"], state["b"]))}

    graph = StateGraph(State)
    for name, node in (("first", first), ("second", second), ("third", third)):
        graph.add_node(name, node)
    graph.add_edge(START, "first")
    graph.add_edge(START, "second")
    graph.add_edge(["first", "second"], "third")
    graph.add_edge("third", END)
    compiled = graph.compile()

    async def run(i: int) -> str:
        return (await compiled.ainvoke({}))["out"]

    return run


if __name__ == "__main__":
    main("LangGraph + openai SDK", setup)
