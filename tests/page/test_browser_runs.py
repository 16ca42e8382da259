"""Runs in a real browser: the list, one run, two side by side, replay; and every view by axe."""

import json

import pytest

pytest.importorskip("starlette", reason="needs pip install 'partbook[serve]'")
pytest.importorskip("playwright", reason="needs pip install playwright")
pytest.importorskip("axe_playwright_python", reason="needs pip install axe-playwright-python")

from playwright.async_api import Route, expect

from partbook.conduct import Conductor
from partbook.price import FREE
from partbook.store import Store
from tests.fakes import pool_of
from tests.page.browser import IN_BROWSER, looking, violations
from tests.page.live import ask, followed, page_serving
from tests.server.models import Saying
from tests.traces import events

pytestmark = IN_BROWSER

PLAN = "model_id = [0, 1]\nsubtasks = ['Think.', 'Answer.']\naccess_list = [[], 'all']"
VIEWS = ("/", "/runs", "/compare", "/reports", "/training", "/spend")


def conducted(*answers: str):
    """A pool whose last worker answers so, and a Conductor that calls two of its workers."""
    return pool_of(Saying(("A thought.",)), Saying(answers)), Conductor(Saying((PLAN,)), price=FREE)


async def run_of(client, question: str) -> str:
    run_id = await ask(client, question)
    await followed(client, run_id)
    return run_id


async def test_runs_are_searched_and_filtered_and_the_address_keeps_it(browser, place):
    async with page_serving(pool_of(Saying(("42", "lime"))), place, keep=True) as client:
        await run_of(client, "What is 6*7?")
        await run_of(client, "Which fruit is green?")
        async with looking(browser, f"{client.url}/runs") as page:
            rows = page.locator(".run-row-question")
            await expect(rows).to_have_text(["Which fruit is green?", "What is 6*7?"])
            await page.get_by_role("searchbox").fill("lime")
            await expect(rows).to_have_text(["Which fruit is green?"])
            await page.reload()
            await expect(page.get_by_role("searchbox")).to_have_value("lime")
            await expect(rows).to_have_text(["Which fruit is green?"])
            await page.get_by_text("Filters", exact=True).click()
            await page.get_by_label("State").select_option("failed")

            await expect(page.locator(".runs-none")).to_have_text("No run fits.")


async def test_one_run_shows_every_message_that_a_worker_saw(browser, place):
    pool, conductor = conducted("It is 42.")
    async with page_serving(pool, place, conductor, keep=True) as client:
        run_id = await run_of(client, "What is 6*7?")
        async with looking(browser, f"{client.url}/runs/{run_id}") as page:
            await page.get_by_role("button", name="Step 2").click()
            dialog = page.get_by_role("dialog")
            await expect(dialog).to_contain_text("What is 6*7?")
            await expect(dialog).to_contain_text("A thought.")
            await expect(dialog).to_contain_text("It is 42.")
            link = page.url
            await page.goto(link)

            assert link == f"{client.url}/runs/{run_id}?step=1.2"
            await expect(dialog).to_contain_text("A thought.")


async def test_a_run_is_played_again_moment_by_moment(browser, place):
    pool, conductor = conducted("It is 42.")
    async with page_serving(pool, place, conductor, keep=True) as client:
        run_id = await run_of(client, "What is 6*7?")
        async with looking(browser, f"{client.url}/runs/{run_id}") as page:
            await expect(page.locator(".step.done")).to_have_count(2)
            back = page.get_by_role("button", name="Step back")
            while await page.locator(".step").count() > 0:
                await back.click()
            await expect(page.locator(".conductor")).to_be_visible()
            await page.get_by_role("button", name="16×").click()
            await page.get_by_role("button", name="Play", exact=True).click()

            await expect(page.locator(".step.done")).to_have_count(2)
            await expect(page.locator(".answer .prose")).to_have_text("It is 42.")


async def test_a_run_that_was_killed_is_listed_as_cut_short(browser, place):
    with Store.open(place) as store:
        journal = store.journal()
        for event in events("killed")[:8]:
            journal.add(event)
        journal.close()
    async with (
        page_serving(pool_of(Saying(("42",))), place, keep=True) as client,
        looking(browser, f"{client.url}/runs") as page,
    ):
        await expect(page.locator(".run-row-state")).to_have_text(["Cut short"])
        await page.get_by_text("Filters", exact=True).click()
        await page.get_by_label("State").select_option("unfinished")
        await expect(page.locator(".run-row-state")).to_have_text(["Cut short"])
        await page.get_by_label("State").select_option("answered")

        await expect(page.locator(".runs-none")).to_have_text("No run fits.")


async def test_a_link_is_copied_where_the_browser_has_no_clipboard_for_the_page(browser, place):
    """As on a machine of the office network, whose pages come by http."""
    async with page_serving(pool_of(Saying(("42",))), place, keep=True) as client:
        run_id = await run_of(client, "What is 6*7?")
        async with looking(browser, f"{client.url}/runs/{run_id}") as page:
            await page.evaluate(
                "Object.defineProperty(navigator, 'clipboard', { value: undefined });"
                "addEventListener('copy', () => (window.copied = getSelection().toString()"
                " || document.activeElement.value))"
            )
            await page.get_by_role("button", name="Copy link").click()

            await expect(page.get_by_text("Copied", exact=True)).to_be_visible()
            assert await page.evaluate("copied") == f"{client.url}/runs/{run_id}"


async def test_two_runs_stand_side_by_side(browser, place):
    async with page_serving(pool_of(Saying(("42", "43"))), place, keep=True) as client:
        await run_of(client, "What is 6*7?")
        await run_of(client, "What is 6*7?")
        async with looking(browser, f"{client.url}/runs") as page:
            boxes = page.get_by_role("checkbox")
            await boxes.nth(0).check()
            await boxes.nth(1).click()

            await expect(page.locator(".answer .prose")).to_have_text(["43", "42"])


async def test_ten_thousand_runs_are_a_few_rows_of_the_page(browser, place):
    def row(i: int) -> dict[str, object]:
        return {
            "id": f"run-{i}", "started_at": 1.79e9 - i, "seconds": 1.5, "status": "answered",
            "reason": None, "question": f"Question {i}", "answer": "42", "pool": "test",
            "source": "fixed", "workflow": "plan", "calls": 1, "prompt_tokens": 10,
            "completion_tokens": 5, "cost_usd": "0.001", "task": None, "label": None,
            "verdict": None,
        }  # fmt: skip

    async def page_of_runs(route: Route) -> None:
        _, _, before = route.request.url.partition("before=")
        first = int(before or 0)
        runs = [row(i) for i in range(first, min(first + 100, 10_000))]
        later = str(first + 100) if first + 100 < 10_000 else None
        await route.fulfill(body=json.dumps({"runs": runs, "next": later, "total": 10_000}))

    async with (
        page_serving(pool_of(Saying(("42",))), place) as client,
        looking(browser, client.url) as page,
    ):
        await page.route("**/page/runs?*", page_of_runs)
        await page.get_by_role("link", name="Runs", exact=True).click()
        await expect(page.get_by_role("status").first).to_have_text("10,000 runs")
        for _ in range(12):
            await page.evaluate("scrollTo(0, document.body.scrollHeight)")
            await page.wait_for_timeout(50)

        await expect(page.locator(".run-row-question").last).not_to_have_text("Question 99")
        assert await page.locator(".run-row").count() < 60


async def test_axe_finds_nothing_in_any_view_by_day_or_by_night(browser, place):
    pool, conductor = conducted("It is **42**, for $6 \\cdot 7 = 42$.\n\n```\n6*7\n```")
    found: list[str] = []
    async with page_serving(pool, place, conductor, keep=True) as client:
        run_id = await run_of(client, "What is 6*7?")
        other = await run_of(client, "What is 6*7?")
        run = f"/runs/{run_id}?step=1.1"
        by_day = (*VIEWS, f"/ask/{run_id}", run, f"/runs/{run_id}?with={other}")
        for scheme, paths in (("light", by_day), ("dark", ("/", "/runs", run))):
            async with looking(browser, client.url, color_scheme=scheme) as page:
                for path in paths:
                    await page.goto(client.url + path)
                    await expect(page.locator("main h1").first).to_be_visible()
                    await page.wait_for_load_state("networkidle")
                    found += await violations(page)

    assert found == []


async def test_every_view_fits_a_narrow_screen_and_speaks_korean(browser, place):
    pool, conductor = conducted("42")
    async with page_serving(pool, place, conductor, keep=True) as client:
        run_id = await run_of(client, "What is 6*7?")
        narrow = {"width": 360, "height": 740}
        async with looking(browser, client.url, viewport=narrow, locale="ko-KR") as page:
            wide = []
            for path in (*VIEWS, f"/ask/{run_id}", f"/runs/{run_id}"):
                await page.goto(client.url + path)
                await expect(page.locator("main h1").first).to_be_visible()
                await page.wait_for_load_state("networkidle")
                if await page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                    wide.append(path)

            assert wide == []
            assert await page.evaluate("document.documentElement.lang") == "ko"
            await expect(page.get_by_role("link", name="실행 기록", exact=True)).to_be_visible()
