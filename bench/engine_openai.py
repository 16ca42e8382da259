"""Three calls through the openai SDK, by hand."""

import asyncio

from driver import P1, P2, Run, last_prompt, main, oai


async def setup(base_url: str, limit: int) -> Run:
    client = oai(base_url)

    async def call(model: str, prompt: str) -> str:
        messages = [{"role": "user", "content": prompt}]
        reply = await client.chat.completions.create(model=model, messages=messages)
        return reply.choices[0].message.content

    async def run(i: int) -> str:
        a, b = await asyncio.gather(call("w1", P1), call("w2", P2))
        return await call("w3", last_prompt(a, b))

    return run


if __name__ == "__main__":
    main("openai SDK, by hand", setup)
