"""Asking and watching in a real browser: streams, reloading, stopping, restarts, hostile texts."""

import asyncio
import re
import subprocess
import sys

import pytest

pytest.importorskip("starlette", reason="needs pip install 'partbook[serve]'")
pytest.importorskip("playwright", reason="needs pip install playwright")
pytest.importorskip("axe_playwright_python", reason="needs pip install axe-playwright-python")

from playwright.async_api import Page, expect

from partbook.conduct import Conductor
from partbook.models.registry import model_path
from partbook.price import FREE
from partbook.server.admission import KeyDesk
from partbook.store import ApiKeys
from tests.fakes import pool_of
from tests.page.browser import IN_BROWSER, line_to, looking, port_of
from tests.page.live import page_serving
from tests.server.models import Saying, Stepwise

pytestmark = IN_BROWSER

PLAN = "model_id = [0, 1]\nsubtasks = ['Think.', 'Answer.']\naccess_list = [[], 'all']"
ANSWER = "It is **42**, for $6 \\cdot 7 = 42$.\n\n| a | b |\n|---|---|\n| 6 | 7 |"
HOSTILE = (
    "<script>hacked = 1</script><img src=x onerror='hacked = 1'>\n\n"
    "[link](javascript:hacked=1) ![picture](http://127.0.0.2:9/p.png)\n\n"
    "\u202eright to left\u2066 and \u0000 on\n\n<b>bold</b>\n\n"
)


async def ask(page: Page, question: str = "What is 6*7?") -> None:
    await page.get_by_role("textbox", name="What shall they work out?").fill(question)
    await page.get_by_role("button", name="Ask", exact=True).click()


async def is_answered(page: Page) -> None:
    await expect(page.locator(".run-state")).to_have_text("Answered")


async def test_the_conductors_plan_becomes_a_score_and_its_end_an_answer(browser, place):
    pool = pool_of(Saying(("Six times seven.",)), Saying((ANSWER,)))
    writing = Stepwise()
    async with (
        page_serving(pool, place, Conductor(writing, price=FREE)) as client,
        looking(browser, client.url) as page,
    ):
        await ask(page)
        writing.pieces.put_nowait(PLAN[:40])
        await expect(page.locator(".conductor-text")).to_contain_text("model_id = [0, 1]")
        writing.pieces.put_nowait(PLAN[40:])
        writing.pieces.put_nowait(None)
        await is_answered(page)
        steps = page.get_by_role("button", name=re.compile("^Step"))

        await expect(steps).to_have_count(2)
        await expect(steps.first).to_contain_text("Six times seven.")
        await expect(page.locator(".read.given")).to_have_count(1)
        await expect(page.locator(".answer strong")).to_have_text("42")
        await expect(page.locator(".answer td")).to_have_text(["6", "7"])
        await expect(page.locator(".answer .katex-html")).to_have_count(1)


async def test_a_page_loaded_again_in_the_middle_goes_on(browser, place):
    worker = Stepwise()
    async with (
        page_serving(pool_of(worker), place) as client,
        looking(browser, client.url) as page,
    ):
        await ask(page)
        worker.pieces.put_nowait("It is ")
        await expect(page.locator(".step-text")).to_have_text("It is")
        await page.reload()
        await expect(page.locator(".step-text")).to_have_text("It is")
        worker.pieces.put_nowait("42.")
        worker.pieces.put_nowait(None)
        await is_answered(page)

        await expect(page.locator(".answer .prose")).to_have_text("It is 42.")
        await expect(page.get_by_role("heading", level=1)).to_have_text("What is 6*7?")


async def test_stop_cuts_the_worker_off(browser, place):
    worker = Stepwise()
    async with (
        page_serving(pool_of(worker), place) as client,
        looking(browser, client.url) as page,
    ):
        await ask(page)
        await expect(page.locator(".step.running")).to_have_count(1)
        await page.get_by_role("button", name="Stop").click()
        await expect(page.locator(".run-state")).to_have_text("Stopped")
        await worker.cancelled.wait()

        await expect(page.locator(".step")).to_contain_text("cut off")
        await expect(page.get_by_role("button", name="Ask again")).to_be_visible()


async def test_a_line_that_breaks_on_a_slow_network_loses_and_doubles_nothing(browser, place):
    worker = Stepwise()
    async with (
        page_serving(pool_of(worker), place) as client,
        line_to(client.url) as (url, line),
        looking(browser, url, "Failed to load resource", "net::ERR") as page,
    ):
        session = await page.context.new_cdp_session(page)
        slow = {"latency": 400, "downloadThroughput": 20_000, "uploadThroughput": 20_000}
        await session.send("Network.emulateNetworkConditions", {"offline": False} | slow)
        await ask(page)
        worker.pieces.put_nowait("one ")
        await expect(page.locator(".step-text")).to_have_text("one")
        line.cut(0)
        await expect(page.locator(".off-line")).to_be_visible()
        worker.pieces.put_nowait("two ")
        line.cut(port_of(client.url))
        await expect(page.locator(".step-text")).to_have_text("one two")
        worker.pieces.put_nowait(None)

        await is_answered(page)
        await expect(page.locator(".off-line")).to_have_count(0)


async def test_after_a_restart_the_page_says_so_and_offers_to_ask_again(browser, place):
    async with (
        page_serving(pool_of(Stepwise()), place) as first,
        page_serving(pool_of(Saying(("42",))), place) as second,
        line_to(first.url) as (url, line),
        looking(browser, url, "Failed to load resource", "net::ERR") as page,
    ):
        await ask(page)
        await expect(page.locator(".step.running")).to_have_count(1)
        line.cut(port_of(second.url))
        await expect(page.get_by_role("alert")).to_contain_text("The server was restarted.")
        await page.get_by_role("alert").get_by_role("button", name="Ask again").click()

        await expect(page.locator("#question")).to_have_value("What is 6*7?")
        await page.get_by_role("button", name="Ask", exact=True).click()
        await is_answered(page)


async def test_hostile_text_stays_text(browser, place):
    async with (
        page_serving(pool_of(Saying((HOSTILE,))), place, keep=True) as client,
        looking(browser, client.url) as page,
    ):
        await ask(page, HOSTILE)
        await is_answered(page)
        answer = page.locator(".answer .prose")

        await expect(answer).to_contain_text("<script>hacked = 1</script>")
        await expect(answer.locator("img, script, b")).to_have_count(0)
        await expect(page.locator("a[href^='javascript']")).to_have_count(0)
        await page.locator(".step").click()
        await expect(page.get_by_role("dialog")).to_contain_text("<b>bold</b>")
        assert await page.evaluate("'hacked' in window") is False


async def test_a_megabyte_without_a_space_freezes_nothing_and_stays_in_its_box(browser, place):
    worker = Saying(("x" * 1_000_000,))
    async with (
        page_serving(pool_of(worker), place) as client,
        looking(browser, client.url, viewport={"width": 390, "height": 800}) as page,
    ):
        await ask(page)
        await is_answered(page)
        await page.locator(".step").click()
        await expect(page.locator("dialog .long-piece").first).to_be_visible()

        await expect(page.get_by_label("What it said").locator(".long-piece")).to_have_count(250)
        await page.get_by_role("button", name="Close").click()
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_a_key_is_asked_for_and_one_that_expires_loses_nothing(browser, place):
    with ApiKeys.open(place) as keys:
        _, good = keys.create("ann")
        async with (
            page_serving(
                pool_of(Saying(("42",))), place, keys=keys, admission=KeyDesk(keys)
            ) as client,
            looking(browser, client.url, "401") as page,
        ):
            key = page.get_by_label("API key")
            await key.fill(good)
            await key.press("Enter")
            await expect(page.locator(".players li")).to_have_count(1)
            # The server learns of a key that was revoked after a while; this one it never knew.
            await page.evaluate("sessionStorage.setItem('partbook-key', 'expired')")
            await ask(page)
            await expect(page.get_by_role("alert")).to_contain_text("was not accepted")
            await key.fill(good)
            await key.press("Enter")

            await is_answered(page)
            await expect(page.get_by_role("heading", level=1)).to_have_text("What is 6*7?")
            assert await page.evaluate("JSON.stringify(localStorage)") == "{}"


async def test_everything_can_be_done_from_the_keyboard(browser, place):
    async with (
        page_serving(pool_of(Saying(("It is 42.",))), place) as client,
        looking(browser, client.url) as page,
    ):
        await expect(page.locator("#question")).to_be_focused()
        await page.keyboard.type("What is 6*7?")
        await page.keyboard.press("Control+Enter")
        await is_answered(page)
        step = page.locator(".step")
        for _ in range(20):
            if await step.evaluate("element => element === document.activeElement"):
                break
            await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("dialog")).to_be_visible()
        await page.keyboard.press("Escape")

        await expect(page.get_by_role("dialog")).to_have_count(0)
        await expect(step).to_be_focused()


@pytest.mark.models
async def test_a_question_to_the_embedded_pool_is_watched_to_its_end(browser):
    for name in ("qwen2.5-coder-0.5b", "smollm2-135m"):
        model_path(name)
    command = [sys.executable, "-m", "partbook", "serve", "--port", "0", "--no-log"]
    process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        line = b""
        while not line.startswith(b"page: "):
            line = await process.stdout.readline()
            assert line
        async with looking(browser, line.decode().split()[1]) as page:
            await ask(page, "How many primes are there below 20?")
            await expect(page.locator(".step").first).to_be_visible()
            await is_answered(page)

            await expect(page.locator(".step.done").last).to_be_visible()
            await expect(page.locator(".answer .prose")).not_to_be_empty()
    finally:
        process.terminate()
        await process.wait()
