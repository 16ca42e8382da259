"""The results file: what is kept, what is refused, what a killed process leaves."""

from decimal import Decimal

import pytest

from partbook.errors import ConfigError
from partbook.evaluate.running.cell import Cell, Played, PlayedStep, Spent
from partbook.evaluate.running.results import RESULTS, Results
from tests.evaluate.world import Knows, posed
from tests.fakes import pool_of

POOL = pool_of(Knows())


def cell(system: str = "s", problem: str = "t/0", repeat: int = 0, outcome: str = "right") -> Cell:
    return Cell(
        system,
        problem,
        repeat,
        outcome,  # type: ignore[arg-type]
        "because",
        "an answer \ud800 with half a pair",
        None,
        "",
        Spent(2, 1, 10, 5, Decimal("0.000123"), {"w0": 1}),
        0.25,
        (Played("conductor", "", (PlayedStep("w0", "do", (), None),), True, True),),
        ("run1",),
    )


def test_cells_are_read_as_they_were_written(tmp_path):
    with Results.open(tmp_path, {"task": "t"}) as results:
        results.begin(["s"], posed(1, POOL), 1, {"k": "v"})
        results.add([cell(), cell(problem="t/1", outcome="not judged")])

    again = Results.read(tmp_path)

    assert again.cells == {
        ("s", "t/0", 0): cell(),
        ("s", "t/1", 0): cell("s", "t/1", 0, "not judged"),
    }
    assert again.begun is not None
    assert (again.begun.systems, again.begun.problems, again.begun.note) == (
        ("s",),
        ("t/0",),
        {"k": "v"},
    )
    assert again.problems["t/0"].question == "q0?"


def test_the_newest_line_of_a_cell_counts(tmp_path):
    with Results.open(tmp_path, {}) as results:
        results.begin(["s"], posed(1, POOL), 1)
        results.add([cell(outcome="not judged")])
        results.add([cell(outcome="wrong")])

    assert Results.read(tmp_path).cells["s", "t/0", 0].outcome == "wrong"


@pytest.mark.parametrize("cut", [1, 30])
def test_a_half_line_of_a_killed_process_is_dropped(tmp_path, cut):
    with Results.open(tmp_path, {}) as results:
        results.begin(["s"], posed(1, POOL), 1)
        results.add([cell()])
        results.add([cell(problem="t/1")])
    path = tmp_path / RESULTS
    path.write_bytes(path.read_bytes()[:-cut])

    with Results.open(tmp_path, {}) as results:
        found = set(results.cells)
        results.add([cell(problem="t/2")])

    assert found == {("s", "t/0", 0)}
    assert set(Results.read(tmp_path).cells) == {("s", "t/0", 0), ("s", "t/2", 0)}


def test_a_damaged_line_is_named(tmp_path):
    with Results.open(tmp_path, {}) as results:
        results.begin(["s"], posed(1, POOL), 1)
        results.add([cell()])
    path = tmp_path / RESULTS
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:3], '{"cell": 3}', lines[3]]) + "\n")

    with pytest.raises(ConfigError, match=r"results\.jsonl, line 4 is damaged"):
        Results.read(tmp_path)


def test_a_second_process_is_told_to_wait(tmp_path):
    with (
        Results.open(tmp_path, {}),
        pytest.raises(ConfigError, match="another process writes"),
    ):
        Results.open(tmp_path, {})


@pytest.mark.parametrize(
    ("there", "here", "said"),
    [
        ({"seed": "0"}, {"seed": "1"}, "its seed is 0, here it is 1"),
        ({"seed": "0"}, {}, "its seed is 0, here it is not given"),
        ({}, {"worker a": "x"}, "its worker a is not given, here it is x"),
    ],
)
def test_another_evaluation_is_refused(tmp_path, there, here, said):
    Results.open(tmp_path, there).close()

    with pytest.raises(ConfigError, match=said):
        Results.open(tmp_path, here)


def test_a_problem_that_was_asked_in_other_words_is_refused(tmp_path):
    with Results.open(tmp_path, {}) as results:
        results.begin(["s"], posed(2, POOL), 1)
        others = posed(2, pool_of(Knows(), Knows()))

        with pytest.raises(ConfigError, match="t/0 was asked in other words or of other workers"):
            results.begin(["s"], others, 1)


def test_a_file_of_something_else_is_refused(tmp_path):
    (tmp_path / RESULTS).write_text("hello\n")

    with pytest.raises(ConfigError, match="no results file"):
        Results.open(tmp_path, {})


def test_what_is_not_there_cannot_be_read(tmp_path):
    with pytest.raises(ConfigError, match="no results of an evaluation"):
        Results.read(tmp_path / "nowhere")
