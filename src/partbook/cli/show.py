"""`partbook show`: one run, from the question to the answer.

All text of models and users is printed as text: no markup is read in it, and no control sequence
reaches the terminal.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule
from rich.text import Text

from partbook.cli.figures import date, tokens
from partbook.cli.plain import clean, head, open_console
from partbook.cli.score import score
from partbook.errors import StoreError
from partbook.event import Proposed
from partbook.message import Message
from partbook.trace import RoundTrace, StepTrace, Trace
from partbook.trace_json import money, trace_to_dict
from partbook.workflow import Step, Workflow

__all__ = ["drawn_trace", "show_command"]

_STATUS_STYLES = {"answered": "green", "stopped": "yellow", "failed": "red"}


def show_command(
    run: Annotated[
        str, typer.Argument(help="The run's id, or the beginning of it. Default: the last run.")
    ] = "",
    messages: Annotated[
        bool, typer.Option("--messages", help="Show every message that the workers saw.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the trace as JSON.")] = False,
) -> None:
    """Show one run: its workflow, who answered what, and what it took."""
    from partbook.store import Store, default_url

    with Store.open(default_url()) as store:
        trace = store.load(run) if run else store.latest()
    if trace is None:
        raise StoreError("there are no runs yet; ask a question first")
    if as_json:
        typer.echo(json.dumps(trace_to_dict(trace), indent=2))
        return
    open_console().print(drawn_trace(trace, messages=messages))


def drawn_trace(trace: Trace, *, messages: bool = False) -> RenderableType:
    """A trace for the terminal; with `messages`, also all that the workers saw."""
    return Group(*_parts(trace, messages))


def _parts(trace: Trace, messages: bool) -> Iterator[RenderableType]:
    """The blocks of a trace, with a blank line between two."""
    yield Text.assemble(("run ", "dim"), (head(trace.run_id), "bold"))
    yield _dim(date(trace.started_at), f"pool {trace.pool}")
    yield Text()
    yield _body(trace.question)
    for i, round_ in enumerate(trace.rounds):
        if len(trace.rounds) > 1:
            yield Text()
            yield Rule(Text(f"round {i}"), align="left", style="dim")
        for block in _blocks(trace, round_, messages):
            yield Text()
            yield Group(*block)
    yield Text()
    yield from _ending(trace)


def _blocks(trace: Trace, round_: RoundTrace, messages: bool) -> Iterator[Iterable[RenderableType]]:
    for proposal in round_.proposals:
        yield _proposal(proposal)
    if round_.workflow is not None:
        yield _drawn(trace, round_, round_.workflow)
        for done in round_.steps:
            yield _step(round_.workflow.steps[done.step], done, messages)


def _proposal(proposal: Proposed) -> Iterator[RenderableType]:
    yield Text("Conductor", "bold")
    yield _cost_line(
        proposal.model, proposal.seconds, tokens(proposal.usage), money(proposal.cost_usd)
    )
    yield _body(proposal.text)
    if proposal.error is not None:
        yield _body(f"no workflow: {proposal.error}", "red")


def _drawn(trace: Trace, round_: RoundTrace, workflow: Workflow) -> Iterator[RenderableType]:
    if round_.source != "conductor":
        yield _dim(" ".join(filter(None, (f"{round_.source} workflow", round_.workflow_name))))
    yield score(workflow, trace.workers, round_.steps, legend=False)


def _step(step: Step, done: StepTrace, messages: bool) -> Iterator[RenderableType]:
    reads = f"  reads {', '.join(map(str, step.access))}" if step.access else ""
    yield Text.assemble((f"{done.step}  {head(done.worker)}", "bold"), (reads, "dim"))
    seconds = None if done.finished_s is None else done.finished_s - done.started_s
    yield _cost_line(done.model, seconds, tokens(done.usage), money(done.cost_usd))
    if messages:
        yield from _messages(done.messages)
    else:
        yield _body("> " + step.subtask.strip().replace("\n", "\n> "), "dim")
    if done.answer is not None:
        if messages:
            yield _heard("answer")
        yield _body(done.answer)
    if done.finish_reason == "length":
        yield _body("cut off at its token limit", "yellow")
    if done.error is not None:
        yield _body(f"failed: {done.error}", "red")
    if done.finished_s is None:
        yield _body("did not finish", "yellow")


def _messages(messages: Sequence[Message]) -> Iterator[RenderableType]:
    for message in messages:
        yield _heard(message.role)
        yield _body(message.text, "dim")


def _heard(role: str) -> Text:
    return Text(f"   [{role}]", "bold")


def _ending(trace: Trace) -> Iterator[RenderableType]:
    if trace.answer is None:
        yield Text("no answer", "bold red")
    else:
        title = "answer" if trace.status == "answered" else "best answer so far"
        yield Panel(Text(clean(trace.answer)), title=title, title_align="left", expand=False)
    status = Text(trace.status, _STATUS_STYLES[trace.status])
    if trace.reason is not None:
        status.append(f" ({trace.reason})")
    calls = "1 call" if trace.calls == 1 else f"{trace.calls} calls"
    status.append(f" after {trace.seconds:.1f} s, {calls}, {tokens(trace.usage)}")
    status.append(f", {_price(money(trace.cost_usd))}")
    yield status
    if trace.detail:
        yield Text(clean(trace.detail))


def _cost_line(model: str, seconds: float | None, used: str, cost: str | None) -> Padding:
    took = "" if seconds is None else f"{seconds:.1f} s"
    return _inset(_dim(model, took, used, _price(cost)))


def _price(cost: str | None) -> str:
    return "price unknown" if cost is None else f"${cost}"


def _dim(*parts: str) -> Text:
    return Text(", ".join(head(part) for part in parts if part), "dim")


def _body(text: str, style: str = "") -> Padding:
    return _inset(Text(clean(text), style))


def _inset(text: Text) -> Padding:
    return Padding(text, (0, 0, 0, 3), expand=False)
