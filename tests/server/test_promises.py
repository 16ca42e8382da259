"""Every rule of docs/serving.md has a test with its number, and every failure that was seen has."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PAGE = (HERE.parent.parent / "docs" / "serving.md").read_text(encoding="utf-8")
NAMES = [
    name
    for path in sorted(HERE.glob("test_*.py"))
    for name in re.findall(r"^(?:async )?def (test_\w+)", path.read_text("utf-8"), re.MULTILINE)
]
CASES = (3, 4, 6, 8, 10, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21)


@pytest.mark.parametrize("number", range(1, 26))
def test_a_rule_has_a_test_and_a_row_in_the_documents(number):
    row = re.compile(rf"^\| (?:\d+, )*{number}(?:, \d+)* \|", re.MULTILINE)

    assert [name for name in NAMES if re.search(rf"rule_{number}_", name)]
    assert row.search(PAGE)


@pytest.mark.parametrize("number", CASES)
def test_a_failure_that_was_seen_has_a_test(number):
    assert [name for name in NAMES if f"e_{number:03}_" in name]
