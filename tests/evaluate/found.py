"""Results made by hand, for the tests of figures and reports."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path

from partbook.evaluate.running.cell import Cell, Played, PlayedStep, Spent
from partbook.evaluate.running.results import Begun, Line, Results

MARKS = {"+": "right", "-": "wrong", "?": "not judged"}


def a_cell(
    system: str,
    problem: int,
    mark: str,
    repeat: int = 0,
    workers: Sequence[str] = ("a",),
    usd: str | None = "0.01",
    proposed: bool = False,
    valid: bool = False,
    said: str = "an answer",
) -> Cell:
    """A cell whose workers work one after the other; `proposed` adds a Conductor's call."""
    steps = tuple(PlayedStep(name, f"step {i}", (), said) for i, name in enumerate(workers))
    counts = {name: list(workers).count(name) for name in workers}
    source = ("conductor" if valid else "") if proposed else "fixed"
    spent = Spent(
        len(workers) + proposed,
        int(proposed),
        100,
        20,
        None if usd is None else Decimal(usd),
        counts,
    )
    return Cell(
        system,
        f"t/{problem}",
        repeat,
        MARKS[mark],  # type: ignore[arg-type]
        "why",
        said,
        None,
        "",
        spent,
        0.5,
        (Played(source, "", steps, proposed, valid),),
        ("run",),
    )


def found(
    marks: Mapping[str, Sequence[str]], question: str = "What?", **settings: object
) -> Results:
    """Results from marks.

    Args:
        marks: by system, a text of one mark a problem for each repeat: `+` right, `-` wrong,
            `?` not judged, a space for a cell that is missing.
        question: of every problem.
        settings: of `a_cell`, for all systems whose name begins with `conductor`.
    """
    results = Results(Path("made-up"), {"task": "t"})
    repeats = max(map(len, marks.values()))
    count = max(len(text) for texts in marks.values() for text in texts)
    for i in range(count):
        results.problems[f"t/{i}"] = Line(f"t/{i}", "t", question, str(1 + i % 2), "4", "")
    for system, texts in marks.items():
        ours = settings if system.startswith("conductor") else {}
        worker = system.removeprefix("worker:")
        alone = {"workers": ("a", "b") if worker == system else (worker,)}
        for repeat, text in enumerate(texts):
            for i, mark in enumerate(text):
                if mark != " ":
                    cell = a_cell(system, i, mark, repeat, **(alone | ours))  # type: ignore[arg-type]
                    results.cells[cell.key] = cell
    results.begun = Begun(tuple(marks), tuple(results.problems), repeats, 0.0)
    return results
