import pyarrow
import pytest
from pyarrow import parquet

from partbook.errors import ConfigError
from partbook.tasks.catalogue import load_task
from partbook.tasks.rows import Row, read_rows


def test_rows_of_a_parquet_file_keep_their_lists_and_objects(tmp_path):
    rows = [{"q": "a", "c": ["x", "y"], "n": {"k": 1}}, {"q": "b", "c": [], "n": {"k": 2}}]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "q.parquet")

    assert list(read_rows(tmp_path / "q.parquet")) == [
        Row("row 1", rows[0]),
        Row("row 2", rows[1]),
    ]


def test_a_published_task_is_read_from_parquet(tmp_path):
    row = {"question": "Which is a gas?", "subject": "s", "choices": ["He", "Fe"], "answer": 0}
    (tmp_path / "all").mkdir()
    parquet.write_table(
        pyarrow.Table.from_pylist([row]), tmp_path / "all" / "test-00000-of-00001.parquet"
    )

    (problem,) = load_task("mmlu", data=tmp_path).split("test")

    assert (problem.choices, problem.reference) == (("He", "Fe"), "A")


def test_a_file_that_is_none_is_a_users_mistake(tmp_path):
    (tmp_path / "q.parquet").write_bytes(b"not parquet")

    with pytest.raises(ConfigError, match="not a Parquet file"):
        list(read_rows(tmp_path / "q.parquet"))
    with pytest.raises(ConfigError, match="there is no such file"):
        list(read_rows(tmp_path / "none.parquet"))
