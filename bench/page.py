"""How long the page takes from a key or a click to the next picture, where there is much to show.

Ten thousand runs in the list, and a run of 200 steps that is played again at 16 times its speed.
The server's answers are made up here; the page is the built one, in the system's Chromium.

    python bench/page.py
"""

import json
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, Route, sync_playwright

WORKERS = ("coder", "thinker", "searcher")
WATCH = """() => {
  window.took = [];
  new PerformanceObserver((seen) => {
    for (const entry of seen.getEntries()) if (entry.interactionId) took.push(entry.duration);
  }).observe({ type: 'event', durationThreshold: 16 });
}"""
"""Notes how long each interaction took, by the Event Timing API, in steps of 8 ms from 16 ms on."""


def summary(i: int, seconds: float = 1.5) -> dict[str, Any]:
    return {
        "id": f"run-{i}", "started_at": 1.79e9 - i, "seconds": seconds, "status": "answered",
        "reason": None, "question": f"Question {i} of many", "answer": "42", "pool": "bench",
        "source": "fixed", "workflow": "plan", "calls": 1, "prompt_tokens": 10,
        "completion_tokens": 5, "cost_usd": "0.001", "task": None, "label": None, "verdict": None,
    }  # fmt: skip


def long_run() -> list[dict[str, Any]]:
    """The events of 40 rounds with 5 steps each, every answer of 11,000 characters."""
    events: list[dict[str, Any]] = [
        {"type": "run_started", "at_s": 0, "run_id": "long", "question": "A long run",
         "pool": "bench", "workers": WORKERS, "at": 1.79e9, "rounds": 40}
    ]  # fmt: skip
    text = "Some words of an answer that goes on. " * 290
    for r in range(40):
        steps = [
            {"worker": i % 3, "subtask": f"Subtask {i}", "access": [*range(i)]} for i in range(5)
        ]
        events.append({"type": "round_started", "at_s": 5 * r, "round": r, "parent": None})
        plan = {"workflow": {"steps": steps}, "source": "conductor", "name": ""}
        events.append({"type": "planned", "at_s": 5 * r, "round": r} | plan)
        for s in range(5):
            of = {"round": r, "step": s}
            said = [{"role": "user", "text": "word " * 2000}]
            call = {"model": "m", "usage": None, "cost_usd": "0.001", "error": None, "calls": 1}
            end = {"answer": text, "finish_reason": "stop", "answered_by": "", "notes": []}
            at_s = 5 * r + s
            events += [
                {"type": "step_started", "at_s": at_s, "worker": "coder", "messages": said} | of,
                {"type": "step_text", "at_s": at_s + 1, "text": text} | of,
                {"type": "step_finished", "at_s": at_s + 1, "messages": None} | of | call | end,
            ]
    events.append({"type": "run_finished", "at_s": 200, "status": "answered", "seconds": 200,
                   "reason": None, "detail": ""})  # fmt: skip
    return events


def runs(route: Route) -> None:
    first = int(route.request.url.partition("before=")[2].partition("&")[0] or 0)
    later = str(first + 100) if first + 100 < 10_000 else None
    page = {"runs": [summary(i) for i in range(first, first + 100)], "total": 10_000}
    route.fulfill(body=json.dumps(page | {"next": later}))


def told(page: Page, what: str, times: int, act: Callable[[], None]) -> None:
    """Do something several times and print how long it took."""
    page.evaluate(WATCH)
    for _ in range(times):
        act()
        page.wait_for_timeout(250)
    took = page.evaluate("took") or [0]
    print(f"{what:<40} median {statistics.median(took):4.0f} ms, worst {max(took):4.0f} ms")


def main() -> None:
    command = [
        sys.executable,
        "-m",
        "partbook",
        "serve",
        "--pool",
        "lab",
        "--port",
        "0",
        "--no-log",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url = next(line.split()[1] for line in server.stdout if line.startswith("page: "))
        try:
            with sync_playwright() as playwright:
                chromium = shutil.which("chromium") or shutil.which("google-chrome")
                browser = playwright.chromium.launch(
                    executable_path=chromium, args=["--no-sandbox"]
                )
                measure(browser.new_page(viewport={"width": 1440, "height": 900}), url.rstrip("/"))
                browser.close()
        finally:
            server.terminate()


def measure(page: Page, url: str) -> None:
    page.route("**/page/runs?*", runs)
    whole = {"run": summary(0, 200) | {"id": "long"}, "trace": {}, "events": long_run()}
    page.route("**/page/runs/long", lambda route: route.fulfill(body=json.dumps(whole)))
    page.goto(f"{url}/runs")
    page.wait_for_selector(".run-row")
    page.get_by_role("searchbox").focus()
    told(page, "10,000 runs: a letter in the search", 10, lambda: page.keyboard.type("a"))
    told(page, "10,000 runs: a page down", 20, lambda: page.keyboard.press("PageDown"))
    page.goto(f"{url}/runs/long")
    page.locator(".step").nth(3).wait_for()
    told(page, "200 steps: a step opened", 5, lambda: opened(page))
    told(page, "200 steps: a moment forward", 20, page.get_by_label("Step forward").click)
    page.get_by_role("button", name="16×").click()
    page.locator(".transport-play").click()
    told(page, "200 steps: a click while it is played", 8, page.get_by_text("4×").click)


def opened(page: Page) -> None:
    page.locator(".step").nth(3).click()
    page.get_by_role("button", name="Close").click()


if __name__ == "__main__":
    main()
