import io

import pytest
from hypothesis import given, settings
from rich.cells import cell_len
from rich.console import Console

from partbook.cli.score import score
from partbook.step_trace import StepTrace
from partbook.workflow import Step, Workflow
from tests.traces import workflows

WORKERS = ("coder", "writer", "checker", "tester")

COMPARE = Workflow(
    (
        Step(0, "Write a program that adds the digits of 2**100"),
        Step(1, "Reason it out"),
        Step(2, "Compare both answers and give the right one", (0, 1)),
    )
)


def drawn(workflow, steps=None, *, width=80, encoding="utf-8", legend=False, colour=None):
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="replace")
    console = Console(
        file=file, width=width, force_terminal=colour is not None, color_system=colour
    )
    console.print(score(workflow, WORKERS, steps, legend=legend))
    file.seek(0)
    return [line.rstrip() for line in file.read().splitlines()]


def test_a_row_is_a_worker_and_a_column_a_wave_and_lines_lead_to_the_reader():
    assert drawn(COMPARE) == [
        "         wave 0                               wave 1",
        "coder    0 ▸ Write a program that adds t… ─┐",
        "                                           │",
        "writer   1 ▸ Reason it out ────────────────┤",
        "                                           │",
        "checker                                    └▶ 2 ▸ Compare both answers and gi…",
    ]


def test_the_legend_spells_out_the_subtasks_and_what_each_step_reads():
    assert drawn(COMPARE, legend=True)[6:] == [
        "",
        "0  coder    Write a program that adds the digits of 2**100",
        "1  writer   Reason it out",
        "2  checker  Compare both answers and give the right one     reads 0, 1",
    ]


def test_without_line_characters_it_is_drawn_in_ascii():
    lines = drawn(COMPARE, legend=True, encoding="ascii")

    assert lines[:6] == [
        "         wave 0                               wave 1",
        "coder    0 : Write a program that adds... -+",
        "                                           |",
        "writer   1 : Reason it out ----------------+",
        "                                           |",
        "checker                                    +> 2 : Compare both answers and...",
    ]


def test_a_dumb_terminal_gets_ascii():
    file = io.StringIO()
    console = Console(file=file, width=80, force_terminal=True, _environ={"TERM": "dumb"})

    console.print(score(COMPARE, WORKERS))

    assert file.getvalue().isascii()


def test_a_played_step_says_how_it_went():
    steps = [
        StepTrace(0, "coder", (), 0.0, 1.25, "115"),
        StepTrace(1, "writer", (), 0.0, 3.0, None, error="down"),
    ]

    assert drawn(COMPARE, steps) == [
        "         wave 0                               wave 1",
        "coder    0 ▸ Write a program that adds t… ─┐",
        "           ✓ 1.2 s                         │",
        "                                           │",
        "writer   1 ▸ Reason it out ────────────────┤",
        "           ✗ 3.0 s                         │",
        "                                           │",
        "checker                                    └▶ 2 ▸ Compare both answers and gi…",
        "                                                · not started",
    ]


def test_a_step_that_was_cut_off_is_unfinished():
    lines = drawn(Workflow((Step(1, "Answer"),)), [StepTrace(0, "writer", (), 0.5)])

    assert lines == [
        "        wave 0",
        "writer  0 ▸ Answer",
        "          ◌ unfinished",
    ]


def test_a_step_read_by_many_branches():
    fork = Workflow(
        (
            Step(0, "Plan the work"),
            Step(1, "part one", (0,)),
            Step(2, "part two", (0,)),
            Step(0, "join them", (1, 2)),
        )
    )

    assert drawn(fork) == [
        "         wave 0                wave 1           wave 2",
        "coder    0 ▸ Plan the work ─┐                ┌▶ 3 ▸ join them",
        "                            │                │",
        "writer                      ├▶ 1 ▸ part one ─┤",
        "                            │                │",
        "checker                     └▶ 2 ▸ part two ─┘",
    ]


def test_a_line_to_the_next_column_goes_straight():
    chain = Workflow((Step(0, "draft"), Step(0, "improve", (0,))))

    assert drawn(chain) == [
        "       wave 0       wave 1",
        "coder  0 ▸ draft ─▶ 1 ▸ improve",
    ]


def test_a_line_past_another_step_runs_in_a_lane_below_it():
    chain = Workflow((Step(0, "draft"), Step(0, "improve", (0,)), Step(0, "choose", (0, 1))))

    assert drawn(chain) == [
        "       wave 0        wave 1          wave 2",
        "coder  0 ▸ draft ─┬▶ 1 ▸ improve ─┬▶ 2 ▸ choose",
        "                  └───────────────┘",
    ]


def test_a_line_runs_along_a_row_that_is_free():
    late = Workflow((Step(0, "plan"), Step(1, "work", (0,)), Step(2, "check", (0, 1))))

    assert drawn(late) == [
        "         wave 0       wave 1       wave 2",
        "coder    0 ▸ plan ─┬────────────┐",
        "                   │            │",
        "writer             └▶ 1 ▸ work ─┤",
        "                                │",
        "checker                         └▶ 2 ▸ check",
    ]


def test_where_lines_cross_the_horizontal_one_is_interrupted():
    crossed = Workflow(
        (Step(0, "a"), Step(1, "b"), Step(3, "reads a", (0,)), Step(2, "reads b", (1,)))
    )

    assert drawn(crossed) == [
        "         wave 0      wave 1",
        "coder    0 ▸ a ──┐",
        "                 │",
        "writer   1 ▸ b ──│┐",
        "                 ││",
        "checker          │└▶ 3 ▸ reads b",
        "                 │",
        "tester           └─▶ 2 ▸ reads a",
    ]


def test_lines_that_need_not_cross_do_not():
    beside = Workflow(
        (Step(0, "a"), Step(1, "b"), Step(2, "reads a", (0,)), Step(3, "reads b", (1,)))
    )

    assert drawn(beside) == [
        "         wave 0      wave 1",
        "coder    0 ▸ a ───┐",
        "                  │",
        "writer   1 ▸ b ──┐│",
        "                 ││",
        "checker          │└▶ 2 ▸ reads a",
        "                 │",
        "tester           └─▶ 3 ▸ reads b",
    ]


def test_two_workers_that_swap_do_not_share_a_line():
    swap = Workflow(
        (Step(0, "a"), Step(1, "b"), Step(1, "reads a", (0,)), Step(0, "reads b", (1,)))
    )

    assert drawn(swap) == [
        "        wave 0       wave 1",
        "coder   0 ▸ a ───┐┌▶ 3 ▸ reads b",
        "                 ││",
        "writer  1 ▸ b ──┐└│▶ 2 ▸ reads a",
        "                └─┘",
    ]


def test_a_worker_with_several_steps_in_one_wave_has_several_rows():
    tries = Workflow((Step(0, "try"), Step(0, "try again"), Step(1, "choose", (0, 1))))

    assert drawn(tries) == [
        "        wave 0            wave 1",
        "coder   0 ▸ try ───────┐",
        "                       │",
        "        1 ▸ try again ─┤",
        "                       │",
        "writer                 └▶ 2 ▸ choose",
    ]


def test_wide_characters_do_not_move_the_lines():
    wide = Workflow((Step(0, "프로그램"), Step(1, "answer"), Step(2, "비교", (0, 1))))

    assert drawn(wide) == [
        "         wave 0           wave 1",
        "coder    0 ▸ 프로그램 ─┐",
        "                       │",
        "writer   1 ▸ answer ───┤",
        "                       │",
        "checker                └▶ 2 ▸ 비교",
    ]


def test_a_step_that_nobody_reads_is_pointed_out():
    lines = drawn(Workflow((Step(0, "first"), Step(1, "second"))), legend=True)

    assert lines[-2:] == ["0  coder   first   read by nobody", "1  writer  second"]


def test_where_the_grid_does_not_fit_the_legend_stands_alone():
    steps = tuple(Step(i % 3, f"a long subtask number {i}", tuple(range(i))) for i in range(5))

    lines = drawn(Workflow(steps), width=50)

    assert [line[0] for line in lines if line[0] != " "] == ["0", "1", "2", "3", "4"]
    assert not any("wave" in line for line in lines)


def test_a_subtask_cannot_draw_or_colour_by_itself():
    lines = drawn(Workflow((Step(0, "[red]a[/red]\x1b[31m\nb"),)), legend=True, colour="standard")

    assert "[red]a[/red] b" in "\n".join(lines)
    assert "\x1b[31m" not in "\n".join(lines)


def test_a_worker_that_the_pool_does_not_name_is_numbered():
    assert drawn(Workflow((Step(7, "x"),)))[1] == "worker 7  0 ▸ x"


@settings(deadline=None)
@given(workflows())
@pytest.mark.parametrize("width", [80, 120])
def test_every_workflow_fits_its_width(width, workflow):
    lines = drawn(workflow, [], width=width, legend=True)

    assert max(map(cell_len, lines)) <= width
    assert all(any(line.startswith(f"{i}  ") for line in lines) for i in range(len(workflow.steps)))
