"""Reads the tests of a program from a JSON object, in the spellings that such objects have."""

from collections.abc import Mapping

from partbook.errors import ConfigError
from partbook.tasks.own import read_tests
from partbook.tasks.programs import Case, SourceTests, Tests, pack_cases

__all__ = ["tests_of"]


def tests_of(case: Mapping[str, object]) -> Tests:
    """The tests of a case.

    `asserts` is a list of expressions or assert statements about `entry_point`. `tests` is a list
    of objects with `stdin` and `stdout`, or what the column `tests` of a task file may hold.

    Raises:
        ConfigError: there are none, or they cannot be read.
    """
    asserts, tests = case.get("asserts"), case.get("tests")
    if isinstance(asserts, list) and asserts and all(isinstance(text, str) for text in asserts):
        lines = [text if text.startswith("assert ") else f"assert {text}" for text in asserts]
        return SourceTests("\n".join(lines), entry_point=str(case.get("entry_point") or ""))
    if isinstance(tests, list) and tests and all(map(_is_stdin, tests)):
        return pack_cases([Case(str(row["stdin"]), str(row["stdout"])) for row in tests])
    found = read_tests(case)
    if found is None:
        raise ConfigError(
            f"no tests: key 'tests' or 'asserts' is needed among {', '.join(case) or 'no keys'}"
        )
    return found


def _is_stdin(row: object) -> bool:
    return isinstance(row, dict) and all(
        isinstance(row.get(key), str) for key in ("stdin", "stdout")
    )
