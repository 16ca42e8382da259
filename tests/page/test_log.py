"""The log of a run: numbered, merged, bounded."""

import asyncio
import json

import pytest

pytest.importorskip("starlette", reason="needs pip install 'partbook[serve]'")

from partbook.event import ProposalText, RoundStarted, RunFinished, StepFinished, StepText
from partbook.page.log import EventLog


def lines(log: EventLog) -> list[dict]:
    return [json.loads(line) for line in log.since(0, 10**9)]


async def test_pieces_are_put_together_by_step_and_stay_in_order():
    log = EventLog(lambda: 1.5)
    for event in (
        ProposalText(0, "mo"),
        ProposalText(0, "del"),
        RoundStarted(0),
        StepText(0, 0, "a"),
        StepText(0, 1, "x"),
        StepText(0, 0, "b"),
        RunFinished("answered", 2.0),
    ):
        log.add(event)

    assert [(e["type"], e.get("step"), e.get("text")) for e in lines(log)] == [
        ("proposal_text", None, "model"),
        ("round_started", None, None),
        ("step_text", 0, "ab"),
        ("step_text", 1, "x"),
        ("run_finished", None, None),
    ]


async def test_a_piece_does_not_wait_for_another_event():
    log, wake = EventLog(lambda: 0.0), asyncio.Event()
    with log.followed(wake):
        log.add(StepText(0, 0, "a"))
        before = lines(log)
        async with asyncio.timeout(5):
            await wake.wait()

    assert before == []
    assert lines(log) == [{"type": "step_text", "at_s": 0.0, "round": 0, "step": 0, "text": "a"}]


async def test_a_full_log_leaves_texts_out_and_says_so_and_tells_the_end():
    log = EventLog(lambda: 0.0, most_chars=10_000)
    for _ in range(100):
        log.add(StepText(0, 0, "x" * 1000))
        log.add(RoundStarted(0))
    answer = "y" * 50_000
    log.add(StepFinished(0, 0, 1.0, answer, None, "m", None, None, "stop"))
    log.end({"id": "r"})

    found = lines(log)
    texts = [event for event in found if event["type"] == "step_text"]
    assert sum(event["type"] == "cut" for event in found) == 1
    assert sum(len(event["text"]) for event in texts) < 10_000
    assert len(found[-2]["answer"]) < 3000
    assert found[-1] == {"type": "ended", "at_s": 1.0, "run": {"id": "r"}}
    assert log.chars < 30_000


async def test_time_does_not_go_back():
    log = EventLog(lambda: 2.0)
    log.add(RoundStarted(0))
    log.add(StepFinished(0, 0, 1.9997, "42", None, "m", None, None, "stop"))

    assert [event["at_s"] for event in lines(log)] == [2.0, 2.0]


async def test_a_part_of_a_log_is_bounded_and_never_empty():
    log = EventLog(lambda: 0.0)
    for _ in range(10):
        log.add(RoundStarted(0))

    assert len(log.since(0, 1)) == 1
    assert len(log.since(7, 10**6)) == 3
    assert log.since(10, 10**6) == []
    assert log.since(99, 10**6) == []
