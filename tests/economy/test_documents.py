"""JSON of any length, one object at a time."""

import json

import pytest

from partbook.economy.documents import objects_in
from partbook.errors import ConfigError


def found(tmp_path, text):
    path = tmp_path / "x.json"
    path.write_text(text)
    return list(objects_in(path, "utf-8"))


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}\n{"a": 2}\n',
        '[{"a": 1},\n{"a": 2}]',
        '{"object": "page", "data": [{"a": 1},\n {"a": 2}], "has_more": false}',
        '{"data": [{"a": 1}]}\n{"data": [{"a": 2}]}',
    ],
)
def test_lines_an_array_and_pages_hold_the_same_objects(tmp_path, text):
    assert [item for _, item in found(tmp_path, text)] == [{"a": 1}, {"a": 2}]


def test_an_object_is_found_with_its_line(tmp_path):
    assert [line for line, _ in found(tmp_path, '\n{"a": 1}\n\n{"a": 2}\n')] == [2, 4]


def test_a_page_that_is_too_long_to_hold_is_entered(tmp_path):
    items = [{"a": i, "text": "]}" * 500} for i in range(1500)]
    text = json.dumps({"object": "page", "data": items, "has_more": False}, indent=1)

    assert len(text) > 1 << 20
    assert [item for _, item in found(tmp_path, text)] == items


@pytest.mark.parametrize("size", [65_530, 65_536, 65_540, 200_000])
def test_an_object_may_lie_across_what_is_in_memory(tmp_path, size):
    item = {"text": "x" * size, "n": 12345}

    assert [one for _, one in found(tmp_path, json.dumps(item) * 3)] == [item] * 3


def test_nesting_without_an_end_is_an_error_and_no_crash(tmp_path):
    with pytest.raises(ConfigError, match=r"nested too deeply|no JSON"):
        found(tmp_path, '{"a":' + "[" * 200_000)


@pytest.mark.parametrize("number", ["1" * 5000, "1e9999999999999999999999"])
def test_a_number_that_python_cannot_hold_is_an_error_and_no_crash(tmp_path, number):
    with pytest.raises(ConfigError, match="line 2: a number here has too many digits"):
        found(tmp_path, f'{{"a": 1}}\n{{"a": {number}}}')
