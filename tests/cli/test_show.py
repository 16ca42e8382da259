import json
from decimal import Decimal

import pytest
import typer
from typer.testing import CliRunner

from partbook.cli.show import show_command
from partbook.errors import StoreError
from partbook.event import (
    AnswerChecked,
    Planned,
    Proposed,
    RoundFinished,
    RoundStarted,
    RoundUnanswered,
    RunFinished,
    RunStarted,
    StepFinished,
    StepStarted,
)
from partbook.message import Message, Usage
from partbook.trace import TraceBuilder
from partbook.trace_json import trace_to_dict
from partbook.workflow import Step, Workflow
from tests.traces import a_trace

app = typer.Typer()
app.command("show")(show_command)


pytestmark = pytest.mark.usefixtures("utc")


def show(*arguments: str, charset: str = "utf-8") -> list[str]:
    runner = CliRunner(charset=charset)
    result = runner.invoke(app, list(arguments), env={"COLUMNS": "80"})
    if result.exception is not None:
        raise result.exception
    return [line.rstrip() for line in result.stdout.splitlines()]


def built(*events: object):
    builder = TraceBuilder()
    for event in events:
        builder.add(event)  # type: ignore[arg-type]
    return builder.build()


HOSTILE = "[bold]\x1b[2J\x1b]0;owned\x07text\r:smile:"


def broken_run():
    """Two rounds: a worker fails in the first, the second has no workflow."""
    asked = (Message("system", "Be brief."), Message("user", HOSTILE))
    return built(
        RunStarted("broken", HOSTILE, "demo", ("coder",), 1_764_000_000.0),
        RoundStarted(0),
        Planned(0, Workflow((Step(0, "try\nhard"), Step(0, "again", (0,)))), "fixed", "pair"),
        StepStarted(0, 0, "coder", asked, 0.0),
        StepFinished(0, 0, 1.0, HOSTILE, None, "m", None, None, "length"),
        StepStarted(0, 1, "coder", (), 1.0),
        StepFinished(0, 1, 2.0, None, "the endpoint answered 503", "", Usage(5, 0), None, None),
        RoundStarted(1),
        Proposed(1, "no lists here", "c-7b", Usage(9, 3), None, 0.25, "there are no lists"),
        RunFinished("failed", 3.0, "workflow", "round 1: there are no lists"),
    )


def test_a_run_is_shown_from_the_question_to_the_answer(store):
    store.save(a_trace())

    assert show("run-1") == [
        "run run-1",
        "2025-11-24 16:00:00, pool demo",
        "",
        "   What is the sum of the digits of 2**100?",
        "",
        "Conductor",
        "   c-7b, 0.5 s, 800 + 120 tokens, $0.0002",
        "   model_id = [0, 1, 2]",
        "",
        "workflow of the Conductor",
        "         wave 0                               wave 1",
        "coder    0 ▸ Write a program that adds t… ─┐",
        "           ✓ 1.2 s                         │",
        "                                           │",
        "thinker  1 ▸ Reason it out ────────────────┤",
        "           ✓ 1.0 s                         │",
        "                                           │",
        "checker                                    └▶ 2 ▸ Compare both answers and gi…",
        "                                                ✓ 0.8 s",
        "",
        "0  coder",
        "   m-0, 1.2 s, 50 + 30 tokens, $0.0001",
        "   > Write a program that adds the digits of 2**100",
        "   115",
        "",
        "1  thinker",
        "   m-1, 1.0 s, 60 + 40 tokens, $0.0003",
        "   > Reason it out",
        "   116",
        "",
        "2  checker  reads 0, 1",
        "   m-2, 0.8 s, 90 + 10 tokens, $0.0004",
        "   > Compare both answers and give the right one",
        "   115",
        "",
        "╭─ answer ─╮",
        "│ 115      │",
        "╰──────────╯",
        "answered after 2.5 s, 4 calls, 1,000 + 200 tokens, $0.001",
    ]


def test_a_broken_run_shows_what_failed_and_the_best_answer(store):
    store.save(broken_run())

    assert show("broken") == [
        "run broken",
        "2025-11-24 16:00:00, pool demo",
        "",
        "   [bold]text",
        "   :smile:",
        "",
        "round 0 ────────────────────────────────────────────────────────────────────────",
        "",
        "fixed workflow pair",
        "       wave 0          wave 1",
        "coder  0 ▸ try hard ─▶ 1 ▸ again",
        "         ✓ 1.0 s         ✗ 1.0 s",
        "",
        "0  coder",
        "   m, 1.0 s, tokens unknown, price unknown",
        "   > try",
        "   > hard",
        "   [bold]text",
        "   :smile:",
        "   cut off at its token limit",
        "",
        "1  coder  reads 0",
        "   1.0 s, 5 + 0 tokens, price unknown",
        "   > again",
        "   failed: the endpoint answered 503",
        "",
        "round 1 ────────────────────────────────────────────────────────────────────────",
        "",
        "Conductor",
        "   c-7b, 0.2 s, 9 + 3 tokens, price unknown",
        "   no lists here",
        "   no workflow: there are no lists",
        "",
        "╭─ best answer so far ─╮",
        "│ [bold]text           │",
        "│ :smile:              │",
        "╰──────────────────────╯",
        "failed (workflow) after 3.0 s, 3 calls, 14 + 3 tokens, price unknown",
        "round 1: there are no lists",
    ]


def test_every_message_that_a_worker_saw_can_be_shown(store):
    store.save(broken_run())

    lines = show("broken", "--messages")

    first = lines.index("0  coder")
    assert lines[first + 1 : first + 11] == [
        "   m, 1.0 s, tokens unknown, price unknown",
        "   [system]",
        "   Be brief.",
        "   [user]",
        "   [bold]text",
        "   :smile:",
        "   [answer]",
        "   [bold]text",
        "   :smile:",
        "   cut off at its token limit",
    ]


def test_no_control_sequence_reaches_the_terminal(store):
    store.save(broken_run())

    for arguments in (["broken"], ["broken", "--messages"], ["broken", "--json"]):
        assert all(line.isprintable() for line in show(*arguments))


def test_a_step_that_did_not_finish_is_said_not_to_have(store):
    store.save(
        built(
            RunStarted("r", "q", "demo", ("coder",), 0.0),
            RoundStarted(0),
            Planned(0, Workflow((Step(0, "try"),)), "conductor"),
            StepStarted(0, 0, "coder", (), 1.5),
        )
    )

    lines = show("r")

    assert "   did not finish" in lines
    assert "no answer" in lines
    assert lines[-1] == "stopped (interrupted) after 1.5 s, 1 call, 0 + 0 tokens, price unknown"


def test_without_a_name_the_last_run_is_shown(store):
    store.save_many([a_trace("late", at=2.0), a_trace("early", at=1.0)])

    assert show()[0] == "run late"


def test_a_beginning_of_the_id_is_enough(store):
    store.save_many([a_trace("abc"), a_trace("xyz")])

    assert show("x")[0] == "run xyz"


def test_an_unknown_run_is_refused(store):
    store.save(a_trace("abc"))

    with pytest.raises(StoreError, match="no run begins with 'x'"):
        show("x")


def test_without_any_run_it_says_what_to_do():
    with pytest.raises(StoreError, match="there are no runs yet; ask a question first"):
        show()


def test_the_trace_is_printed_as_json(store):
    store.save(a_trace())

    assert json.loads("\n".join(show("--json"))) == trace_to_dict(a_trace())


def test_a_terminal_without_line_characters_gets_ascii(store):
    store.save(a_trace())

    text = "\n".join(show(charset="ascii"))

    assert text.isascii()
    assert "checker                                    +> 2 : Compare" in text
    assert "| 115      |" in text


def test_rounds_checks_and_why_a_round_has_no_answer_are_shown(store):
    store.save(
        built(
            RunStarted("r", "q", "demo", ("coder", "reader"), 1_764_000_000.0, 3),
            RoundStarted(0),
            Planned(0, Workflow((Step(0, "try"),)), "conductor"),
            StepStarted(0, 0, "coder", (), 0.0),
            StepFinished(0, 0, 1.0, "7", None, "m", Usage(2, 1), Decimal(0), "stop"),
            RoundFinished(0, "7"),
            AnswerChecked(0, "reader", HOSTILE, False, "m", Usage(3, 1), Decimal(0), 0.5),
            RoundStarted(1),
            Planned(1, Workflow((Step(1, "mend", (), True),)), "conductor"),
            StepStarted(1, 0, "reader", (), 1.0),
            StepFinished(1, 0, 2.0, None, "down", "", Usage(), Decimal(0), None, fault="auth"),
            RoundUnanswered(1, "worker", "worker 'reader': down"),
            RunFinished("answered", 3.0, None, "down; the answer of round 0 stands"),
        )
    )

    lines = show("r")

    first, second = (next(i for i, x in enumerate(lines) if f"round {n} ─" in x) for n in (0, 1))
    assert lines[first:second][-7:-1] == [
        "",
        "check by reader",
        "   m, 0.5 s, 3 + 1 tokens, $0",
        "   [bold]text",
        "   :smile:",
        "   it does not agree",
    ]
    assert "0  reader  reads the answer before" in lines[second:]
    assert "   worker 'reader': down" in lines[second:]
    assert lines[-2:] == [
        "answered after 3.0 s, 3 calls, 5 + 2 tokens, $0",
        "down; the answer of round 0 stands",
    ]
