"""The least that a Python engine can do: three requests through aiohttp, by hand."""

import asyncio

import aiohttp
from driver import P1, P2, Run, main, step3_prompt


async def setup(base_url: str, limit: int) -> Run:
    session = aiohttp.ClientSession(
        headers={"authorization": "Bearer x"}, connector=aiohttp.TCPConnector(limit=1000)
    )

    async def call(model: str, prompt: str) -> str:
        body = {"model": model, "messages": [{"role": "user", "content": prompt}]}
        async with session.post(base_url + "/chat/completions", json=body) as reply:
            return (await reply.json())["choices"][0]["message"]["content"]

    async def run(i: int) -> str:
        a, b = await asyncio.gather(call("w1", P1), call("w2", P2))
        return await call("w3", step3_prompt(a, b))

    return run


if __name__ == "__main__":
    main("aiohttp, by hand", setup)
