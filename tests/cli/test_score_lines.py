from hypothesis import given, settings

from partbook.cli.score_lines import Lines, Spot, route
from partbook.plan import waves
from partbook.workflow import Workflow
from tests.traces import workflows


def laid(workflow: Workflow) -> tuple[list[Spot], Lines]:
    """Each worker's row is its number, plus 3 for each earlier step of it in the wave."""
    spots: list[Spot | None] = [None] * len(workflow.steps)
    for wave, group in enumerate(waves(workflow)):
        taken: set[int] = set()
        for i in group:
            row = workflow.steps[i].worker
            while row in taken:
                row += 3
            taken.add(row)
            spots[i] = Spot(wave, row)
    placed = [spot for spot in spots if spot is not None]
    return placed, route(placed, [step.access for step in workflow.steps])


def followed(spots: list[Spot], lines: Lines, step: int) -> set[int]:
    """The steps that a reader of the drawing gets to from a step, going right."""
    reached: set[int] = set()
    here = [(spots[step].wave, (spots[step].row, 0))]
    while here:
        gutter, line = here.pop()
        for track in lines.gutters[gutter] if gutter < len(lines.gutters) else []:
            if line in track.left or line in track.jogs.values():
                for row, lane in track.right:
                    at = Spot(gutter + 1, row)
                    if lane == 0 and at in spots:
                        reached.add(spots.index(at))
                    else:
                        here.append((gutter + 1, (row, lane)))
    return reached


@settings(deadline=None)
@given(workflows())
def test_lines_lead_from_each_step_to_its_readers_and_nowhere_else(workflow: Workflow):
    spots, lines = laid(workflow)

    for step in range(len(workflow.steps)):
        readers = {i for i, other in enumerate(workflow.steps) if step in other.access}
        assert followed(spots, lines, step) == readers


@settings(deadline=None)
@given(workflows())
def test_no_line_lies_on_another(workflow: Workflow):
    _, lines = laid(workflow)

    for gutter in lines.gutters:
        for one in gutter:
            for other in (track for track in gutter if track is not one):
                assert not one.left & other.left
                if one.x >= 0 and other.x >= 0 and one.x == other.x:
                    assert one.span[1] < other.span[0] or other.span[1] < one.span[0]
                if one.left & other.right - one.right:
                    assert 0 <= one.x < other.x


@settings(deadline=None)
@given(workflows())
def test_a_line_past_a_column_does_not_touch_its_steps_or_another_line(workflow: Workflow):
    spots, lines = laid(workflow)

    passed = [(column, line) for column, line, _ in lines.passing]
    assert len(passed) == len(set(passed))
    assert all(Spot(column, row) not in spots or lane > 0 for column, (row, lane) in passed)
    assert all(lane <= lines.lanes[row] for _, (row, lane) in passed)
