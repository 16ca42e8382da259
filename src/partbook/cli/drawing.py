"""How the parts of a run look in the terminal; `show` and the live view put them together.

All text of models and users is printed as text: no markup is read in it, and no control sequence
reaches the terminal.
"""

from collections.abc import Iterable, Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule
from rich.text import Text

from partbook.cli.figures import date, tokens
from partbook.cli.plain import clean, head
from partbook.cli.score import score
from partbook.event import AnswerChecked, Proposed, RoundUnanswered, Source
from partbook.message import Message, Usage
from partbook.spend_json import money
from partbook.step_trace import StepTrace
from partbook.trace import RoundTrace, Trace
from partbook.workflow import Step, Workflow

__all__ = [
    "STATUS_STYLES",
    "body",
    "dim",
    "drawn_check",
    "drawn_ending",
    "drawn_proposal",
    "drawn_round",
    "drawn_step",
    "drawn_trace",
    "drawn_unanswered",
    "source_of",
]

STATUS_STYLES = {
    "answered": "green",
    "stopped": "yellow",
    "failed": "red",
    "unfinished": "magenta",
    "running": "cyan",
}
"""The colour of how a run ended, or stands."""

_SOURCES: dict[Source, str] = {
    "conductor": "workflow of the Conductor",
    "retry": "workflow of the Conductor's second try",
    "fallback": "no workflow in the Conductor's texts; the fallback is played:",
    "fixed": "fixed workflow",
}


def drawn_trace(trace: Trace, *, messages: bool = False) -> RenderableType:
    """A trace for the terminal; with `messages`, also all that the workers saw."""
    return Group(*_parts(trace, messages))


def _parts(trace: Trace, messages: bool) -> Iterator[RenderableType]:
    """The blocks of a trace, with a blank line between two."""
    yield Text.assemble(("run ", "dim"), (head(trace.run_id), "bold"))
    yield dim(date(trace.started_at), f"pool {trace.pool}")
    yield Text()
    yield body(trace.question)
    for i, round_ in enumerate(trace.rounds):
        if len(trace.rounds) > 1:
            yield Text()
            yield drawn_round(i, round_.parent)
        for block in _blocks(trace, round_, messages):
            yield Text()
            yield Group(*block)
    yield Text()
    yield from drawn_ending(trace)


def drawn_round(index: int, parent: tuple[int, int] | None = None) -> Rule:
    """The line above a round; one that carries out a step says which."""
    part = "" if parent is None else f" for step {parent[1]} of round {parent[0]}"
    return Rule(Text(f"round {index}{part}"), align="left", style="dim")


def _blocks(trace: Trace, round_: RoundTrace, messages: bool) -> Iterator[Iterable[RenderableType]]:
    for proposal in round_.proposals:
        yield drawn_proposal(proposal)
    if round_.workflow is not None:
        yield _drawn(trace, round_, round_.workflow)
        for done in round_.steps:
            yield drawn_step(round_.workflow.steps[done.step], done, messages=messages)
    for check in round_.checks:
        yield drawn_check(check)
    if round_.unanswered is not None:
        yield drawn_unanswered(RoundUnanswered(0, round_.unanswered, round_.detail))


def source_of(source: Source, name: str) -> Text:
    """Where a workflow came from, in words."""
    return dim(" ".join(filter(None, (_SOURCES[source], name))))


def drawn_proposal(proposal: Proposed) -> Iterator[RenderableType]:
    """One text of the Conductor, and what is wrong with it."""
    yield Text("Conductor", "bold")
    yield _cost_line(
        proposal.model, proposal.seconds, tokens(proposal.usage), money(proposal.cost_usd)
    )
    yield body(proposal.text)
    if proposal.error is not None:
        yield body(f"no workflow: {proposal.error}", "red")


def drawn_check(check: AnswerChecked) -> Iterator[RenderableType]:
    """What a checker said of a round's answer."""
    yield Text(f"check by {head(check.worker)}", "bold")
    yield _cost_line(check.model, check.seconds, tokens(check.usage), money(check.cost_usd))
    if check.error is not None:
        yield body(f"not checked: {check.error}", "red")
        return
    yield body(check.text)
    said = {True: "it agrees", False: "it does not agree", None: "it says neither"}
    yield body(said[check.agrees], "green" if check.agrees else "yellow")


def drawn_unanswered(event: RoundUnanswered) -> Iterator[RenderableType]:
    """Why a round has no answer of its own."""
    yield body(event.detail, "dim" if event.reason == "kept" else "yellow")


def _drawn(trace: Trace, round_: RoundTrace, workflow: Workflow) -> Iterator[RenderableType]:
    if round_.source is not None:
        yield source_of(round_.source, round_.workflow_name)
    yield score(workflow, trace.workers, round_.steps, legend=False)


def drawn_step(
    step: Step, done: StepTrace, *, messages: bool = False, subtask: bool = True
) -> Iterator[RenderableType]:
    """One step: who did it, what it took, and the answer.

    With `messages` all that the worker saw is there, else its subtask, unless that stands above.
    """
    read = [*(["the answer before"] if step.before else []), *map(str, step.access)]
    reads = f"  reads {', '.join(read)}" if read else ""
    yield Text.assemble((f"{done.step}  {head(done.worker)}", "bold"), (reads, "dim"))
    seconds = None if done.finished_s is None else done.finished_s - done.started_s
    yield _cost_line(done.model, seconds, tokens(done.usage), money(done.cost_usd))
    if done.cached:
        yield body("kept from an earlier call; nobody was asked", "dim")
    if messages:
        yield from _messages(done.messages)
    elif subtask:
        yield body("> " + step.subtask.strip().replace("\n", "\n> "), "dim")
    if done.answer is not None:
        if messages:
            yield _heard("answer")
        yield body(done.answer)
    if done.finish_reason == "length":
        yield body("cut off at its token limit", "yellow")
    for attempt in done.attempts:
        took = "" if attempt.usage == Usage() else f" ({tokens(attempt.usage)})"
        yield body(f"tried before: {attempt.worker}, {attempt.kind}: {attempt.error}{took}", "dim")
    for note in done.notes:
        yield body(note, "yellow")
    if done.error is not None:
        yield body(f"failed: {done.error}", "red")
    if done.finished_s is None:
        yield body("did not finish", "yellow")


def _messages(messages: Sequence[Message]) -> Iterator[RenderableType]:
    for message in messages:
        yield _heard(message.role)
        yield body(message.text, "dim")


def _heard(role: str) -> Text:
    return Text(f"   [{role}]", "bold")


def drawn_ending(trace: Trace) -> Iterator[RenderableType]:
    """The answer, set apart, and what the run took."""
    if trace.answer is None:
        yield Text("no answer", "bold red")
    else:
        title = "answer" if trace.status == "answered" else "best answer so far"
        yield Panel(Text(clean(trace.answer)), title=title, title_align="left", expand=False)
    status = Text(trace.status, STATUS_STYLES[trace.status])
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
    return _inset(dim(model, took, used, _price(cost)))


def _price(cost: str | None) -> str:
    return "price unknown" if cost is None else f"${cost}"


def dim(*parts: str) -> Text:
    """Small print on one line."""
    return Text(", ".join(head(part) for part in parts if part), "dim")


def body(text: str, style: str = "") -> Padding:
    """A text of unknown origin, indented."""
    return _inset(Text(clean(text), style))


def _inset(text: Text) -> Padding:
    return Padding(text, (0, 0, 0, 3), expand=False)
