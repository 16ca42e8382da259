"""The least that a proxy in Python can be: Starlette in front, aiohttp behind, nothing between.

UPSTREAM=http://127.0.0.1:8001/v1 uvicorn --app-dir bench bare_proxy:app
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

UPSTREAM = os.environ.get("UPSTREAM", "http://127.0.0.1:8001/v1")


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        app.state.session = session
        yield


async def chat(request: Request) -> Response:
    session: aiohttp.ClientSession = request.app.state.session
    body = await request.body()
    headers = {"Content-Type": "application/json"}
    async with session.post(f"{UPSTREAM}/chat/completions", data=body, headers=headers) as reply:
        return Response(await reply.read(), media_type="application/json")


app = Starlette(routes=[Route("/v1/chat/completions", chat, methods=["POST"])], lifespan=lifespan)
