"""The least that a Python engine can do: one request a step through aiohttp, by hand."""

import asyncio

import aiohttp
from driver import LAST, PARTS, Run, last_prompt, main


async def setup(base_url: str, limit: int) -> Run:
    session = aiohttp.ClientSession(
        headers={"authorization": "Bearer x"}, connector=aiohttp.TCPConnector(limit=0)
    )

    async def call(model: str, prompt: str) -> str:
        body = {"model": model, "messages": [{"role": "user", "content": prompt}]}
        async with session.post(base_url + "/chat/completions", json=body) as reply:
            return (await reply.json())["choices"][0]["message"]["content"]

    async def run(i: int) -> str:
        answers = await asyncio.gather(*(call(model, prompt) for model, prompt in PARTS))
        return await call(LAST, last_prompt(*answers))

    return run


if __name__ == "__main__":
    main("aiohttp, by hand", setup)
