"""DSPy as it is shipped: a module that asks three of its language models; its cache is off.

The models are asked for plain text, which flatters it: a signature would be written into each
prompt and read out of each answer. With `ENGINE=litellm` the calls go through LiteLLM, as all calls
did before DSPy had a client of its own.
"""

import asyncio
import os

import dspy
from driver import P1, P2, Run, last_prompt, main

ENGINE = os.environ.get("ENGINE", "auto")


class Solve(dspy.Module):
    def __init__(self, models: dict[str, dspy.LM]) -> None:
        super().__init__()
        self.models = models

    async def aforward(self, question: str) -> dspy.Prediction:
        a, b = await asyncio.gather(self.ask("w1", P1), self.ask("w2", P2))
        return dspy.Prediction(answer=await self.ask("w3", last_prompt(a, b)))

    async def ask(self, model: str, prompt: str) -> str:
        return text_of((await self.models[model].acall(prompt))[0])


def text_of(output: str | dict[str, str]) -> str:
    return output if isinstance(output, str) else output["text"]


async def setup(base_url: str, limit: int) -> Run:
    options = {"api_base": base_url, "api_key": "x", "cache": False, "engine": ENGINE}
    solve = Solve({name: dspy.LM(f"openai/{name}", **options) for name in ("w1", "w2", "w3")})

    async def run(i: int) -> str:
        return (await solve.acall(question="Solve the problem.")).answer

    return run


if __name__ == "__main__":
    main("DSPy" if ENGINE == "auto" else f"DSPy over {ENGINE}", setup)
