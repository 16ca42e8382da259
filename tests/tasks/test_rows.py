import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partbook.errors import ConfigError
from partbook.tasks.offences import Offence
from partbook.tasks.rows import Row, read_rows

KOREAN = "한국의 수도는?"


def rows_of(path, data, encoding=None):
    path.write_bytes(data)
    return list(read_rows(path, encoding))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".json"])
def test_utf_8_with_and_without_its_mark_and_utf_16_are_read_as_they_are(
    tmp_path, encoding, suffix
):
    text = {
        ".csv": f"question,answer\n{KOREAN},서울\n",
        ".jsonl": json.dumps({"question": KOREAN, "answer": "서울"}, ensure_ascii=False) + "\n",
        ".json": json.dumps([{"question": KOREAN, "answer": "서울"}], ensure_ascii=False),
    }[suffix]

    rows = rows_of(tmp_path / f"q{suffix}", text.encode(encoding))

    assert [row.data for row in rows] == [{"question": KOREAN, "answer": "서울"}]


def test_cp949_is_not_guessed_but_named(tmp_path):
    data = f"question,answer\n{KOREAN},a\nplain,b\n".encode("cp949")

    unnamed = rows_of(tmp_path / "q.csv", data)
    named = rows_of(tmp_path / "q.csv", data, "cp949")

    assert unnamed[0] == Offence(
        "line 2",
        "byte 1 of the line (0xc7) is not utf-8; it reads as Korean CP949: save as UTF-8, or say "
        "--encoding cp949",
    )
    assert [row.data["question"] for row in named] == [KOREAN, "plain"]


def test_a_file_in_two_encodings_is_told_by_its_lines(tmp_path):
    lines = ['{"q": "café"}\n'.encode(), '{"q": "café"}\n'.encode("latin-1"), b'{"q": "x"}\n']

    rows = rows_of(tmp_path / "q.jsonl", b"".join(lines))

    assert rows == [
        Row("line 1", {"q": "café"}),
        Offence("line 2", "byte 11 of the line (0xe9) is not utf-8"),
        Row("line 3", {"q": "x"}),
    ]


def test_utf_16_without_its_mark_is_an_error_that_names_it(tmp_path):
    with pytest.raises(ConfigError, match="--encoding utf-16-le"):
        rows_of(tmp_path / "q.csv", "question\nx\n".encode("utf-16-le"))

    rows = rows_of(tmp_path / "q.csv", "question\nx\n".encode("utf-16-le"), "utf-16-le")

    assert rows == [Row("line 2", {"question": "x"})]


@pytest.mark.parametrize("encoding", ["klingon", "rot13"])
def test_an_encoding_that_is_none_is_a_users_mistake(tmp_path, encoding):
    with pytest.raises(ConfigError, match="is no encoding of text"):
        rows_of(tmp_path / "q.csv", b"question\n\xff\n", encoding)


def test_bad_lines_of_jsonl_are_offences_and_the_others_are_read(tmp_path):
    rows = rows_of(tmp_path / "q.jsonl", b'{"q": 1}\n{"q": \n\n[1]\n{"q": 2}\n')

    assert rows == [
        Row("line 1", {"q": 1}),
        Offence("line 2", "not JSON: Expecting value at character 8"),
        Offence("line 4", "expected an object, found list"),
        Row("line 5", {"q": 2}),
    ]


def test_json_nested_too_deep_is_an_offence(tmp_path):
    rows = rows_of(tmp_path / "q.jsonl", b"[" * 200_000 + b"\n")

    assert isinstance(rows[0], Offence)


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_the_separator_of_a_table_is_taken_from_its_header(tmp_path, mark):
    rows = rows_of(tmp_path / "q.csv", f"question{mark} answer\nwhat{mark}that\n".encode())

    assert rows == [Row("line 2", {"question": "what", "answer": "that"})]


def test_a_field_of_several_lines_keeps_its_place(tmp_path):
    rows = rows_of(tmp_path / "q.csv", b'q,a\n"one\ntwo",1\nthree,2\n')

    assert rows == [
        Row("line 2", {"q": "one\ntwo", "a": "1"}),
        Row("line 4", {"q": "three", "a": "2"}),
    ]


def test_a_row_with_too_many_fields_is_an_offence(tmp_path):
    rows = rows_of(tmp_path / "q.csv", b"q,a\n1,2,3\n")

    assert rows == [Offence("line 2", "expected 2 fields, found 3")]


def test_a_quote_that_is_never_closed_ends_the_reading(tmp_path):
    rows = rows_of(tmp_path / "q.csv", b'q,a\n1,2\n"open,3\n4,5\n')

    assert rows[0] == Row("line 2", {"q": "1", "a": "2"})
    assert rows[1].where == "line 3"
    assert rows[1].reason == "not a table: unexpected end of data; reading stopped here"
    assert len(rows) == 2


def test_two_columns_of_one_name_are_refused(tmp_path):
    with pytest.raises(ConfigError, match="two columns are named 'q'"):
        rows_of(tmp_path / "q.csv", b"q,q\n1,2\n")


def test_a_gzipped_file_is_read_and_a_broken_one_is_named(tmp_path):
    whole = gzip.compress(b'{"q": 1}\n')

    assert rows_of(tmp_path / "q.jsonl.gz", whole) == [Row("line 1", {"q": 1})]
    with pytest.raises(ConfigError, match="cannot read"):
        rows_of(tmp_path / "q.jsonl.gz", whole[:15])
    with pytest.raises(ConfigError, match="cannot read"):
        rows_of(tmp_path / "q.jsonl.gz", b"plain")


def test_a_missing_file_and_an_unknown_ending_are_users_mistakes(tmp_path):
    with pytest.raises(ConfigError, match="No such file"):
        list(read_rows(tmp_path / "none.csv"))
    with pytest.raises(ConfigError, match="expected a file that ends in"):
        list(read_rows(tmp_path / "q.xlsx"))


@pytest.mark.parametrize("suffix", [".csv", ".json", ".jsonl", ".jsonl.gz"])
@given(data=st.binary(max_size=60))
def test_no_bytes_make_the_reader_raise_anything_but_a_users_mistake(
    tmp_path_factory, suffix, data
):
    path = tmp_path_factory.mktemp("rows") / f"q{suffix}"

    try:
        rows = rows_of(path, data)
    except ConfigError:
        return

    assert all(isinstance(row, Row | Offence) for row in rows)
