"""Problems on the page: the question, what was played, who said what, and the right answer."""

from collections.abc import Sequence

from partbook.evaluate.reporting.markup import Markup, join, tag
from partbook.evaluate.reporting.summary import Case
from partbook.evaluate.running.cell import Cell, Played, PlayedStep

__all__ = ["case_list"]

_SHOWN = 1_200
"""Characters of a question or an answer on the page."""


def case_list(cases: Sequence[Case]) -> list[Markup]:
    """Each problem with both systems side by side."""
    return [_case(case) for case in cases]


def _case(case: Case) -> Markup:
    problem = case.problem
    facts = [problem.id]
    if problem.difficulty:
        facts.append(f"difficulty {problem.difficulty}")
    if problem.reference:
        facts.append(f"right answer: {_cut(problem.reference, 200)}")
    return tag(
        "div",
        tag("div", " · ".join(facts), class_="meta"),
        tag("div", _cut(problem.question), class_="question"),
        tag("div", _side(case.focus), _side(case.rival), class_="answers"),
        class_="case",
    )


def _side(cell: Cell) -> Markup:
    verdict = tag("span", cell.outcome, class_=f"verdict {cell.outcome}")
    parts = [_played(played) for played in cell.played]
    if not any(played.steps for played in cell.played):
        parts = [tag("div", cell.why or "there was no workflow", class_="said")]
    elif cell.answer and len(cell.played) > 1:
        # What is answered after several plays need not be the last step's word.
        parts.append(tag("div", f"answered: {_cut(cell.answer)}", class_="said"))
    return tag("div", tag("div", cell.system, verdict, class_="who"), *parts, class_="side")


def _played(played: Played) -> Markup:
    named = {"retry": "at its second try", "fallback": f"fallback workflow {played.name}"}
    note = named.get(played.source, "")
    before = [tag("div", note, class_="meta")] if note else []
    steps = [_step(i, step) for i, step in enumerate(played.steps)]
    return join(*before, tag("ol", *steps, class_="score"))


def _step(i: int, step: PlayedStep) -> Markup:
    reads = f"reads step {', '.join(str(j + 1) for j in step.access)}" if step.access else ""
    answer = "no answer" if step.answer is None else _cut(step.answer)
    return tag(
        "li",
        tag("span", f"{i + 1}  {step.worker}", class_="by"),
        tag("span", reads, class_="reads"),
        tag("div", _cut(step.subtask), class_="subtask"),
        tag("div", answer, class_="said"),
    )


def _cut(text: str, most: int = _SHOWN) -> str:
    return text if len(text) <= most else f"{text[:most]} …"
