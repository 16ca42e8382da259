"""A real Chromium that looks at the page, and a line to the server that can be cut."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, Page, async_playwright, expect

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next((found for found in map(shutil.which, NAMES) if found), None)
"""The system's browser; None: there is none."""

PATIENCE_MS = 60_000
"""How long something may take that comes: the machine may be busy."""

expect.set_options(timeout=PATIENCE_MS)

IN_BROWSER = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(CHROMIUM is None, reason="needs apt-get install chromium"),
]
"""The marks of a file whose tests look with the fixture `browser`."""


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """The system's Chromium."""
    async with async_playwright() as playwright:
        # Root has no sandbox of its own, and what is shown is ours.
        options = ["--no-sandbox", "--disable-dev-shm-usage"]
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=options)
        try:
            yield browser
        finally:
            await browser.close()


@dataclass
class Sight:
    """A tab, and what went wrong in it."""

    page: Page
    host: str
    problems: list[str] = field(default_factory=list)
    """Errors on the console, the policy's among them, and requests to anywhere else."""
    expected: tuple[str, ...] = ()
    """Parts of errors that the test is about: an answer of 404, a connection that is refused."""

    def console(self, kind: str, text: str) -> None:
        if kind in ("error", "warning") and not any(part in text for part in self.expected):
            self.problems.append(f"{kind}: {text}")

    def requested(self, url: str) -> None:
        if not url.startswith(("data:", "blob:")) and urlsplit(url).netloc != self.host:
            self.problems.append(f"request to {url}")


@asynccontextmanager
async def looking(
    browser: Browser, url: str, *expected: str, **context: Any
) -> AsyncIterator[Page]:
    """A tab at an address; at its end, nothing may have gone wrong in it.

    Args:
        browser: where.
        url: the address.
        expected: parts of console errors that do not count.
        context: arguments of playwright's `new_context`.
    """
    opened = await browser.new_context(**({"locale": "en-US"} | context))
    page = await opened.new_page()
    page.set_default_timeout(PATIENCE_MS)
    sight = Sight(page, urlsplit(url).netloc, expected=expected)
    page.on("console", lambda message: sight.console(message.type, message.text))
    page.on("pageerror", lambda error: sight.console("error", str(error)))
    page.on("request", lambda request: sight.requested(request.url))
    try:
        await page.goto(url)
        yield page
        assert sight.problems == []
    finally:
        await opened.close()


async def violations(page: Page) -> list[str]:
    """What axe finds wrong with what is shown."""
    # Colours are compared where they have come to rest.
    await page.emulate_media(reduced_motion="reduce")
    found = await Axe().run(page)
    return [
        f"{page.url} {rule['id']}: {node['html'][:200]}"
        for rule in found.response["violations"]
        for node in rule["nodes"]
    ]


@dataclass
class Line:
    """Passes bytes on to a server that may be another one the next time."""

    port: int = 0
    """Of the server; 0: nobody is there."""
    sockets: set[asyncio.StreamWriter] = field(default_factory=set)

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.port == 0:
            writer.transport.abort()
            return
        their_reader, their_writer = await asyncio.open_connection("127.0.0.1", self.port)
        ends = {writer, their_writer}
        self.sockets |= ends
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(_pass_on(reader, their_writer))
                both.create_task(_pass_on(their_reader, writer))
        finally:
            self.sockets -= ends
            for end in ends:
                end.close()

    def cut(self, port: int) -> None:
        """End all connections; the next ones go to this port."""
        self.port = port
        for end in self.sockets:
            end.transport.abort()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.close()
    except ConnectionError:
        writer.transport.abort()


@asynccontextmanager
async def line_to(url: str) -> AsyncIterator[tuple[str, Line]]:
    """A line to the server at this address, and the address of its near end."""
    line = Line(urlsplit(url).port or 0)
    listening = await asyncio.start_server(line, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}", line
    finally:
        line.cut(0)
        listening.close()
        await listening.wait_closed()


def port_of(url: str) -> int:
    """The port in an address."""
    port = urlsplit(url).port
    assert port is not None
    return port
