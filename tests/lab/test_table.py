import re
from pathlib import Path

import pytest

from partbook.lab.table import interval, lab_table, markdown

DOCS = Path(__file__).parents[2] / "docs" / "lab.md"


@pytest.fixture(scope="module")
def rows():
    return {row.system: row for row in lab_table()}


def test_no_worker_alone_comes_near_the_optimum(rows):
    alone = {system: row for system, row in rows.items() if system.endswith("alone")}

    assert len(alone) == 8
    assert max(row.high for row in alone.values()) < 0.5
    assert rows["optimum"].low > 0.85
    assert max(alone.values(), key=lambda row: row.accuracy).system == "gus alone"


def test_no_plan_that_never_changes_comes_near_the_optimum(rows):
    constant = [row for name, row in rows.items() if "alone" in name or "checks" in name]

    assert len(constant) == 23
    assert max(row.high for row in constant) < 0.55


def test_there_is_more_to_learn_than_the_cards_say(rows):
    believed = rows["right parts, cards believed"]

    assert rows["random plan"].high < rows["gus alone"].low
    assert rows["gus alone"].high < believed.low
    assert believed.high < rows["optimum"].low - 0.1


def test_right_parts_in_wrong_hands_are_worth_little(rows):
    assert rows["right parts, random workers"].high < 0.15


def test_the_optimum_reaches_what_was_computed(rows):
    best = rows["optimum"]

    assert sum(best.expected) / 4 == pytest.approx(best.accuracy, abs=0.03)
    assert best.low < sum(best.expected) / 4 < best.high
    assert list(best.expected) == sorted(best.expected, reverse=True)


def test_the_optimum_is_cheaper_than_the_generalist(rows):
    assert rows["optimum"].cost_usd < rows["gus alone"].cost_usd / 2


@pytest.mark.parametrize(
    ("right", "count", "expected"),
    [(50, 100, (0.4038, 0.5962)), (0, 10, (0.0, 0.2775)), (10, 10, (0.7225, 1.0))],
)
def test_the_interval_is_wilsons(right, count, expected):
    assert interval(right, count) == expected


def test_the_table_in_the_docs_is_this_table(rows):
    block = re.search(
        r"<!-- begin: partbook lab table -->\n(.*)<!-- end", DOCS.read_text(), re.DOTALL
    )

    assert block[1] == markdown(list(rows.values()))
