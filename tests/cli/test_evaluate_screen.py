from decimal import Decimal

import pytest

from partbook.cli.evaluate_screen import ProgressLine, show_estimate
from partbook.evaluate.running.estimate import Estimate
from partbook.evaluate.running.runner import Progress


def progress(done: int, rate: float, usd: Decimal | None = Decimal("1.5")) -> Progress:
    return Progress(done, 100, 2, 50, usd, 10.0, rate)


def test_a_line_of_progress_has_rate_money_and_time_left(capsys):
    ProgressLine().show(progress(40, 0.5))

    assert capsys.readouterr().err == (
        "40 of 100 cells, 2 not judged, 0.5 a second, $1.50 so far, 2 min 0 s left\n"
    )


@pytest.mark.parametrize(
    ("done", "rate", "left"),
    [(0, 0.0, ""), (10, 0.01, ", 2 h 30 min left"), (99, 1.0, ", 1 s left")],
)
def test_the_time_left_is_that_at_this_rate_and_unknown_before_the_first(capsys, done, rate, left):
    ProgressLine().show(progress(done, rate, None))

    assert capsys.readouterr().err.endswith(f"unknown so far{left}\n")


def test_where_lines_cannot_be_written_over_they_come_seldom_and_the_last_one_always(capsys):
    line = ProgressLine()

    for done in (1, 2, 3, 100):
        line.show(progress(done, 1.0))

    assert [text[:3] for text in capsys.readouterr().err.splitlines()] == ["1 o", "100"]


def test_an_estimate_ends_with_the_sum_and_an_unknown_price_makes_it_unknown(capsys):
    known = Estimate("a", 10, 1000, 500, Decimal("0.5"), Decimal(2))
    unknown = Estimate("b[x]", 20, 2000, 500, None, None)

    show_estimate([known, unknown], ["a note"], 400)

    printed = capsys.readouterr().out
    rows = [line.split() for line in printed.splitlines()]
    assert ["all", "30.0", "3,000", "1,000", "unknown", "unknown"] in rows
    assert "b[x]" in printed
    assert printed.count("unknown") == 4  # of b, and of all
    assert "a note" in printed
