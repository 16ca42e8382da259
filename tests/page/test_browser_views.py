"""Comparing, reports, trainings and spending in a real browser, on what real runs wrote."""

import json
import re
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="needs pip install 'partbook[serve]'")
pytest.importorskip("playwright", reason="needs pip install playwright")
pytest.importorskip("axe_playwright_python", reason="needs pip install axe-playwright-python")

from playwright.async_api import Page, expect

from partbook.price import Price
from partbook.server.admission import KeyDesk
from partbook.store import ApiKeys, Store, Tags
from tests.fakes import pool_of
from tests.page.browser import IN_BROWSER, looking, violations
from tests.page.live import page_serving
from tests.server.models import Saying, Stepwise
from tests.traces import a_trace

pytestmark = IN_BROWSER

EXAM = Path(__file__).parents[2] / "runs" / "embedded" / "pool-exam" / "report.json"
TRAINING = Path(__file__).parent / "data" / "training"
HOSTILE = "<script>hacked = 1</script><img src=x onerror='hacked = 1'>\u202e" + "x" * 3_000
FILLED = (
    ("/reports", ".entries"),
    ("/reports/exam", ".report-systems"),
    ("/training/out%2Ftiny", ".training-samples"),
    ("/spend?by=worker", ".bars"),
)
"""Addresses, and what is there once they have loaded."""


@pytest.fixture
def root(tmp_path):
    """A folder with an evaluation and a training."""
    folder = tmp_path / "runs"
    (folder / "exam").mkdir(parents=True)
    shutil.copy(EXAM, folder / "exam")
    shutil.copytree(TRAINING, folder / "out" / "tiny", copy_function=shutil.copyfile)
    return folder


def some_run(run_id: str, worker_says: str = "4"):
    """A run of today that cost something."""
    trace = a_trace(run_id, datetime.now(UTC).timestamp())
    [round_] = trace.rounds
    *others, last = round_.steps
    last = replace(last, cost_usd=Decimal("0.5"))
    round_ = replace(round_, steps=(*others, last), answer=worker_says)
    return replace(trace, rounds=(round_,))


async def test_a_report_shows_every_system_and_orders_them_by_any_column(browser, place, root):
    report = json.loads(EXAM.read_text(encoding="utf-8"))
    best = max(report["systems"], key=lambda one: one["accuracy"])["system"]
    dearest = max(report["systems"], key=lambda one: one["calls"])["system"]
    async with (
        page_serving(pool_of(Saying(("42",))), place, reports=root) as client,
        looking(browser, f"{client.url}/reports") as page,
    ):
        await page.get_by_role("link", name="exam", exact=True).click()
        rows = page.locator(".report-systems tbody tr")
        await expect(rows).to_have_count(len(report["systems"]))
        await expect(rows.first).to_contain_text(best)
        calls = page.get_by_role("columnheader", name="Calls")
        await calls.get_by_role("button").click()
        await calls.get_by_role("button").click()

        await expect(rows.first).to_contain_text(dearest)
        await expect(calls).to_have_attribute("aria-sort", "descending")
        await expect(page.locator(".differences li")).to_have_count(len(report["comparisons"]))
        await expect(page.get_by_text(report["findings"][0])).to_be_visible()


async def test_the_frontier_is_drawn_again_for_another_cost_by_keyboard(browser, place, root):
    report = json.loads(EXAM.read_text(encoding="utf-8"))
    async with (
        page_serving(pool_of(Saying(("42",))), place, reports=root) as client,
        looking(browser, f"{client.url}/reports/exam") as page,
    ):
        plot = page.get_by_role("img", name="Quality against cost")
        await expect(plot.locator("circle")).to_have_count(len(report["systems"]))
        await expect(plot).to_contain_text("tokens per problem")
        await page.get_by_role("radio", name="Tokens").focus()
        await page.keyboard.press("ArrowRight")
        await expect(plot).to_contain_text("calls per problem")
        table = page.locator(".chart-frontier details")
        await table.locator("summary").click()

        await expect(table.locator("tbody tr")).to_have_count(len(report["systems"]))


async def test_a_training_is_drawn_and_goes_on_without_a_reload(browser, place, root):
    metrics = root / "out" / "tiny" / "metrics.jsonl"
    async with (
        page_serving(pool_of(Saying(("42",))), place, reports=root) as client,
        looking(browser, f"{client.url}/training") as page,
    ):
        await page.get_by_role("link", name="tiny").click()
        reward = page.get_by_role("figure", name=re.compile("^Reward"))
        await expect(reward.locator(".key").first).to_contain_text("0.")
        await expect(page.get_by_text("40 of 80 steps")).to_be_visible()
        line = {"kind": "step", "step": 41, "seconds": 1_900.0, "reward": 0.123, "valid": 1.0}
        exam = {"kind": "greedy", "step": 41, "accuracy": 0.875, "workers": {"ada": 1.0}}
        with metrics.open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(line)}\n")
        await expect(page.get_by_text("41 of 80 steps")).to_be_visible()
        with metrics.open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(exam)}\n")

        await expect(page.locator(".tile-figure", has_text="87.5 %")).to_be_visible()
        await expect(reward.locator(".key").first).to_contain_text("0.123")
        await expect(page.locator(".shares li")).to_have_count(5)


async def test_one_slider_moves_all_charts_of_a_training(browser, place, root):
    async with (
        page_serving(pool_of(Saying(("42",))), place, reports=root) as client,
        looking(browser, f"{client.url}/training/out%2Ftiny") as page,
    ):
        slider = page.get_by_role("slider", name="Step shown")
        await slider.focus()
        await page.keyboard.press("Home")
        reward = page.get_by_role("figure", name=re.compile("^Reward"))
        right = page.get_by_role("figure", name=re.compile("^Right answers"))

        await expect(slider).to_have_attribute("aria-valuetext", "step 1")
        await expect(reward.locator(".key").first).to_have_text("reward 0.654")
        await expect(right.locator(".key").first).to_have_text("training 31.3 %")
        await expect(page.locator(".cursor").first).to_be_attached()
        await reward.locator("summary").click()
        await expect(reward.locator("tbody tr").first).to_contain_text("0.654")


async def test_a_rollout_is_told_as_text_whatever_it_holds(browser, place, root):
    trace = a_trace("a", 100.0)
    [round_] = trace.rounds
    proposal = replace(round_.proposals[-1], text=HOSTILE)
    trace = replace(trace, question=HOSTILE, rounds=(replace(round_, proposals=(proposal,)),))
    with Store.open(place) as store:
        store.save(trace, Tags("sums", "train tiny step 7", "right"))
    async with (
        page_serving(pool_of(Saying(("42",))), place, reports=root) as client,
        looking(
            browser,
            f"{client.url}/training/out%2Ftiny",
            viewport={"width": 360, "height": 740},
        ) as page,
    ):
        sample = page.locator(".training-samples li")

        await expect(sample).to_contain_text("step 7 · reward 1 · valid plan")
        await expect(sample.locator("pre")).to_contain_text("<script>hacked = 1</script>")
        assert await sample.locator("img, script").count() == 0
        assert await page.evaluate("typeof hacked") == "undefined"
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_spending_is_shown_by_day_worker_and_key_with_what_is_left(browser, place):
    with Store.open(place) as store:
        store.save(some_run("a"), Tags("sums"))
    with ApiKeys.open(place) as keys:
        _, secret = keys.create("team", sees_traces=True, usd_per_day=Decimal(2))
        async with (
            page_serving(
                pool_of(Saying(("42",))), place, keys=keys, admission=KeyDesk(keys)
            ) as client,
            looking(browser, f"{client.url}/spend", "401") as page,
        ):
            await page.get_by_label("API key").fill(secret)
            await page.get_by_role("button", name="Use this key").click()
            await expect(page.locator(".spend-column")).to_have_count(1)
            await expect(page.get_by_text("$2.00 left of $2.00")).to_be_visible()
            await page.get_by_role("radio", name="Worker").click()
            await expect(page.locator(".bars .bar-name").first).to_be_visible()
            assert page.url.endswith("/spend?by=worker&days=30")
            await page.reload()

            await expect(page.get_by_role("radio", name="Worker")).to_be_checked()
            await expect(page.get_by_role("heading", name="By worker")).to_be_visible()
            await expect(page.get_by_role("heading", name="Savings")).to_be_visible()


async def compare(page: Page, question: str = "What is 6*7?") -> None:
    await page.get_by_role("textbox", name="Question").fill(question)
    await page.get_by_role("button", name="Ask all").click()


async def test_one_question_to_several_systems_and_whether_they_agree(browser, place):
    price = Price(Decimal(1), Decimal(2))
    says = ("So it is $\\boxed{42}$.",), ("**42**",), ("41",)
    pool = pool_of(*map(Saying, says), price=price)
    async with (
        page_serving(pool, place, keep=True) as client,
        looking(browser, f"{client.url}/compare") as page,
    ):
        await compare(page)
        columns = page.locator(".compare-column")
        await expect(page.locator(".compare-state.answered")).to_have_count(4)
        await expect(page.locator(".compare-agreement .compare-said")).to_have_text(
            "3 of 4 answers come to the same."
        )
        await expect(columns.nth(1)).to_contain_text("w0")
        await expect(columns.nth(1).locator(".katex-html")).to_have_count(1)
        await expect(columns.nth(1).locator(".compare-figures dd")).to_have_text(
            ["1", "15", "$0.000020", re.compile("s$")]
        )
        await page.reload()
        await expect(page.locator(".compare-state.answered")).to_have_count(4)
        await expect(page.locator(".compare-asked")).to_have_text("What is 6*7?")
        await columns.nth(3).get_by_role("link", name="The whole run").click()

        await expect(page.locator("main h1")).to_contain_text("What is 6*7?")


async def test_all_that_play_are_stopped_together(browser, place):
    workers = Stepwise(), Stepwise()
    async with (
        page_serving(pool_of(*workers), place) as client,
        looking(browser, f"{client.url}/compare") as page,
    ):
        await page.get_by_role("checkbox", name=re.compile("plan")).uncheck()
        await compare(page)
        for worker in workers:
            worker.pieces.put_nowait("It is ")
        await expect(page.locator(".compare-tail")).to_have_text(["It is", "It is"])
        await expect(page.locator(".note.running")).to_have_count(2)
        await page.get_by_role("button", name="Stop all").click()

        await expect(page.locator(".compare-state.stopped")).to_have_count(2)
        for worker in workers:
            await worker.cancelled.wait()


async def test_filled_views_fit_a_narrow_screen_and_axe_finds_nothing(browser, place, root):
    with Store.open(place) as store:
        store.save(some_run("a"), Tags("sums", "train tiny step 7", "right"))
    narrow = {"width": 360, "height": 740}
    wide, found = [], []
    async with page_serving(pool_of(Saying(("42",))), place, keep=True, reports=root) as client:
        for scheme, language in (("light", "en-US"), ("dark", "ko-KR")):
            async with looking(
                browser,
                client.url,
                viewport=narrow,
                color_scheme=scheme,
                locale=language,
            ) as page:
                for path, part in FILLED:
                    await page.goto(client.url + path)
                    await expect(page.locator(part).first).to_be_visible()
                    if await page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                        wide.append(path)
                    found += await violations(page)
                await page.goto(f"{client.url}/compare")
                await page.locator("textarea").fill("What is 6*7?")
                await page.locator(".compare-form button").click()
                await expect(page.locator(".compare-state.answered")).to_have_count(2)
                found += await violations(page)

    assert wide == []
    assert found == []
