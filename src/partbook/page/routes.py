"""The routes of the page. What each of them answers is left to the module that it names."""

from collections.abc import Sequence

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from partbook.page.about import about
from partbook.page.ask_request import read_ask
from partbook.page.asks import MOST_ASKS, Ask, Asks
from partbook.page.following import KEEP_ALIVE_S, Following
from partbook.page.reports import list_reports, show_report
from partbook.page.room import PageSetup, Room, not_found
from partbook.page.runs import list_runs, show_run
from partbook.page.savings import savings
from partbook.page.spend import Spending, spend
from partbook.page.static import Static
from partbook.page.trainings import list_trainings, show_training
from partbook.server.app import ExtraRoutes
from partbook.server.body import body_of, json_reply
from partbook.server.fields import parsed
from partbook.server.metrics import Metrics
from partbook.server.running import Running

__all__ = ["page_routes"]

_MOST_BODY_BYTES = 2**21

_ADDRESSES = (
    "/",
    "/ask/{id}",
    "/runs",
    "/runs/{id}",
    "/compare",
    "/reports",
    "/reports/{id:path}",
    "/training",
    "/training/{id:path}",
    "/spend",
)
"""Addresses of the page: all of them give its one HTML file."""


def page_routes(
    setup: PageSetup,
    static: Static | None = None,
    *,
    keep_alive_s: float = KEEP_ALIVE_S,
    most_asks: int = MOST_ASKS,
) -> ExtraRoutes:
    """What makes the page's routes for an endpoint.

    Args:
        setup: what the page is started with.
        static: the built files; None: those that come along.
        keep_alive_s: longest silence of a stream, in seconds.
        most_asks: how many runs of the page stay in memory.
    """
    files = static or Static()

    def routes(running: Running, metrics: Metrics) -> Sequence[BaseRoute]:
        asks = Asks(setup.served, running, metrics, most_asks)
        room = Room(setup, asks, running)
        desk = _Desk(room, keep_alive_s)
        shelf = _Shelf(room, Spending(setup.store, asks))
        return [
            *(Route(address, files.page, methods=["GET"]) for address in _ADDRESSES),
            Route("/assets/{name:path}", files.asset, methods=["GET"]),
            Route("/page/about", desk.about, methods=["GET"]),
            Route("/page/asks", desk.ask, methods=["POST"]),
            Route("/page/asks/{id}/events", desk.events, methods=["GET"]),
            Route("/page/asks/{id}/stop", desk.stop, methods=["POST"]),
            Route("/page/runs", desk.runs, methods=["GET"]),
            Route("/page/runs/{id}", desk.run, methods=["GET"]),
            Route("/page/spend", shelf.spend, methods=["GET"]),
            Route("/page/savings", shelf.savings, methods=["GET"]),
            Route("/page/reports", shelf.reports, methods=["GET"]),
            Route("/page/reports/{id:path}", shelf.report, methods=["GET"]),
            Route("/page/trainings", shelf.trainings, methods=["GET"]),
            Route("/page/trainings/{id:path}", shelf.training, methods=["GET"]),
        ]

    return routes


class _Desk:
    """Takes requests, as far as they can be refused."""

    def __init__(self, room: Room, keep_alive_s: float) -> None:
        self._room = room
        self._keep_alive_s = keep_alive_s

    async def about(self, request: Request) -> Response:
        visitor = await self._room.admit(request)
        return _json(about(self._room, visitor))

    async def ask(self, request: Request) -> Response:
        room = self._room
        holder = (await room.admit(request)).holder
        room.running.check()
        if holder.rate is not None:
            await holder.rate.take()
        try:
            body = await body_of(request, _MOST_BODY_BYTES)
        except ClientDisconnect:
            return Response(status_code=499)
        asked = read_ask(parsed(body), room.setup.served, holder.workers)
        if holder.account is not None:
            await holder.account.check()
        ask = await room.asks.begin(asked, holder)
        request.state.note.update({"id": ask.run_id, "key": holder.key_id})
        return _json({"ask": ask.run_id}, 202)

    async def events(self, request: Request) -> ASGIApp:
        ask = await self._found(request)
        told = request.query_params.get("after") or request.headers.get("last-event-id", "0")
        after = int(told) if told.isdecimal() and len(told) < 12 else 0
        return Following(ask.log, after, self._keep_alive_s)

    async def stop(self, request: Request) -> Response:
        ask = await self._found(request)
        ask.stop()
        return _json({"ask": ask.run_id}, 202)

    async def runs(self, request: Request) -> Response:
        visitor = await self._room.admit(request)
        return _json(await list_runs(self._room, visitor, request.query_params))

    async def run(self, request: Request) -> Response:
        visitor = await self._room.admit(request)
        return _json(await show_run(self._room, visitor, request.path_params["id"]))

    async def _found(self, request: Request) -> Ask:
        """The run in memory that is asked for."""
        visitor = await self._room.admit(request)
        run_id: str = request.path_params["id"]
        ask = self._room.asks.get(run_id)
        if ask is None or not visitor.may_see(ask):
            raise not_found("run", run_id)
        return ask


class _Shelf:
    """What is read and not played; all of it is for those who see everything."""

    def __init__(self, room: Room, spending: Spending) -> None:
        self._room = room
        self._spending = spending

    async def spend(self, request: Request) -> Response:
        await self._room.admit(request, all_runs=True)
        return _json(await spend(self._room, self._spending, request.query_params))

    async def savings(self, request: Request) -> Response:
        await self._room.admit(request, all_runs=True)
        return _json(await savings(self._spending, request.query_params))

    async def reports(self, request: Request) -> Response:
        await self._room.admit(request, all_runs=True)
        return _json(await list_reports(self._room.setup.reports))

    async def report(self, request: Request) -> Response:
        await self._room.admit(request, all_runs=True)
        return _json(await show_report(self._room.setup.reports, request.path_params["id"]))

    async def trainings(self, request: Request) -> Response:
        await self._room.admit(request, all_runs=True)
        return _json(await list_trainings(self._room.setup.reports))

    async def training(self, request: Request) -> Response:
        await self._room.admit(request, all_runs=True)
        setup, told = self._room.setup, request.query_params.get("after", "")
        after = int(told) if told.isdecimal() and len(told) < 12 else -1
        name: str = request.path_params["id"]
        return _json(await show_training(setup.reports, setup.store, name, after))


def _json(data: object, status: int = 200) -> Response:
    headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
    return json_reply(data, status, headers)
