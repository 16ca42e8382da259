"""A data file from somebody else: what is wrong in it is said, and reading it does nothing else."""

import contextlib
import gzip
import json
import os

import pytest

from partbook.errors import ConfigError
from partbook.tasks import rows
from partbook.tasks.offences import Offence
from partbook.tasks.own import load_own
from partbook.tasks.rows import Row, read_rows


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ('{"question": "q", "answer": NaN}', "`answer` is nan, which stands for a value that is"),
        ('{"question": "q", "answer": 1e999}', "`answer` is inf"),
        ('{"question": "q \\ud800", "answer": "a"}', r"`question` holds '\\ud800', half of"),
        ('{"question": "q", "answer": ' + "9" * 5000 + "}", "line 1: not JSON"),
        ('{"question": "q", "answer": ' + "[" * 100_000, "line 1: not JSON"),
        ('{"question": "q", "answer": {"a": 1}}', "`answer` must be text, found an object"),
        ('{"question": "q", "judge": "../../etc/passwd", "answer": "a"}', "no judge"),
        ('{"question": "q", "judge": "pattern", "pattern": "("}', "line 1"),
    ],
)
def test_a_row_that_would_break_something_later_is_named(tmp_path, row, message):
    path = tmp_path / "rows.jsonl"
    path.write_text(row + "\n")

    with pytest.raises(ConfigError, match=message) as failure:
        load_own(path)

    assert len(str(failure.value)) < 1000


def test_a_line_without_end_is_an_offence_and_ends_the_reading(tmp_path, monkeypatch):
    monkeypatch.setattr(rows, "_MAX_LINE", 1000)
    path = tmp_path / "rows.jsonl.gz"
    good = b'{"question": "q", "answer": "a"}\n'
    path.write_bytes(gzip.compress(good + b'{"question": "' + b"x" * 50_000_000))

    found = list(read_rows(path))

    assert [type(row) for row in found] == [Row, Offence]
    assert found[1] == Offence("line 2", "longer than 1000 bytes; reading stopped here")


@pytest.mark.parametrize(
    ("name", "data"), [("x.json", b"[1,\n" * 500), ("x.jsonl", b"\xff\xfe" * 900)]
)
def test_what_has_to_be_read_in_one_piece_is_bounded(tmp_path, monkeypatch, name, data):
    monkeypatch.setattr(rows, "_MAX_WHOLE", 1000)
    monkeypatch.setattr(rows, "_MAX_LINE", 100)
    path = tmp_path / name
    path.write_bytes(data)

    with pytest.raises(ConfigError, match="longer than 1000 bytes; save it as JSON Lines in UTF-8"):
        list(read_rows(path))


def test_no_text_of_a_file_is_carried_out_when_it_is_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    call = "__import__('os').mkdir('was-here')"
    data = [
        {"question": call, "answer": call, "id": call, "level": call},
        {"question": "q", "answer": "A", "choices": f"[{call}, 'b']"},
        {"question": "q", "tests": f"assert {call}"},
        {"question": "q", "judge": "maths", "answer": call},
    ]
    for i, row in enumerate(data):
        path = tmp_path / f"{i}.jsonl"
        path.write_text(json.dumps(row) + "\n")
        with contextlib.suppress(ConfigError):
            load_own(path)

    assert sorted(os.listdir(tmp_path)) == ["0.jsonl", "1.jsonl", "2.jsonl", "3.jsonl"]
