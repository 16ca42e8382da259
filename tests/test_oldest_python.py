"""What the oldest Pythons that pyproject.toml permits cannot do, and CI's own Python can."""

import re
from pathlib import Path

import pytest

SOURCES = sorted((Path(__file__).parent.parent / "src").rglob("*.py"))
POSSESSIVE_GROUP = re.compile(r"(?<!\\)\)(?:[*+?]|\{+[\d,]*\}+)\+|\(\?>")


def test_no_pattern_has_a_possessive_group():
    """Python 3.11.0 to 3.11.4 match such a group wrongly: python/cpython#106052."""
    found = [path.name for path in SOURCES if POSSESSIVE_GROUP.search(path.read_text("utf-8"))]

    assert found == []


@pytest.mark.parametrize(
    "group", ["(?:ab?)*+", "(a|b)++", "(a)?+", "(a){2,3}+", "(a){{2}}+", "(?>a)"]
)
def test_a_possessive_group_is_found(group):
    assert POSSESSIVE_GROUP.search(group)


@pytest.mark.parametrize("pattern", [r"\s*+", r"[ab]{0,4}+", r"\)++", "(a)*", "(a)+b"])
def test_a_possessive_character_is_none(pattern):
    assert not POSSESSIVE_GROUP.search(pattern)
