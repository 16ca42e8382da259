"""Runs test source in a namespace: asserts, `check(candidate)`, or test cases."""

import ast
import importlib
import linecache
import traceback
import types
from collections.abc import Callable

__all__ = ["Failed", "compiled", "run_checks"]

FILE = "tests.py"
_SHOWN = 60
"""Characters of a value in a reason."""
_Raised = tuple[type[BaseException], BaseException, types.TracebackType]


class Failed(BaseException):
    """A test did not hold."""


def compiled(source: str) -> types.CodeType:
    """The tests, in which `assert a == b` says what a and b were.

    Raises:
        SyntaxError, ValueError: they are no Python.
    """
    tree = _Telling().visit(ast.parse(source, FILE))
    return compile(ast.fix_missing_locations(tree), FILE, "exec")


def run_checks(
    code: types.CodeType,
    source: str,
    space: dict[str, object],
    style: str,
    entry: str,
    unit: types.ModuleType | None = None,
    between: Callable[[], None] = lambda: None,
) -> None:
    """Run them all, up to the first that does not hold.

    Args:
        code: of the tests.
        source: to show the line that failed.
        space: in which they run; it holds the program's names.
        style: `asserts`, `check` or `unittest`.
        entry: what `check` is called with.
        unit: the module `unittest` that the test cases use; None: as imported.
        between: called after each test case.

    Raises:
        Failed: says where and why.
    """
    linecache.cache[FILE] = (len(source), None, source.splitlines(keepends=True), FILE)
    space |= {"__name__": "tests", "_told_equal": _told_equal}
    try:
        exec(code, space)
        if style == "check":
            check = space.get("check")
            assert callable(check), "the tests define no check()"
            check(space.get(entry))
    except BaseException as error:  # noqa: BLE001 - the program may make them raise anything
        raise Failed(_why(error)) from None
    if style == "unittest":
        # Half of all the time here, so it is imported for the tests that need it.
        _run_cases(space, unit or importlib.import_module("unittest"), between)


def _run_cases(
    space: dict[str, object], unit: types.ModuleType, between: Callable[[], None]
) -> None:
    kinds = [v for v in space.values() if isinstance(v, type) and issubclass(v, unit.TestCase)]
    cases = [
        case
        for kind in dict.fromkeys(kinds)
        if kind.__module__ == "tests"
        for case in unit.defaultTestLoader.loadTestsFromTestCase(kind)
    ]
    if not cases:
        raise Failed("the tests define no test case")
    tally = _Tally()

    class Result(unit.TestResult):  # type: ignore[misc, name-defined]
        def addSuccess(self, test: object) -> None:
            tally.passed += 1

        def addExpectedFailure(self, test: object, err: _Raised) -> None:
            tally.passed += 1

        def addSkip(self, test: object, reason: str) -> None:
            tally.skipped += 1

        def addError(self, test: object, err: _Raised) -> None:
            tally.why = tally.why or f"{str(test)[:80]}: {_why(err[1])}"
            self.stop()

        addFailure = addError

        def addSubTest(self, test: object, subtest: object, err: _Raised | None) -> None:
            if err is not None:
                self.addError(subtest, err)

        def stopTest(self, test: object) -> None:
            super().stopTest(test)
            between()

    unit.TestSuite(cases).run(Result())
    if tally.why:
        raise Failed(tally.why)
    if not tally.passed or tally.passed + tally.skipped < len(cases):
        raise Failed(f"{tally.passed} of {len(cases)} test cases passed; not all could be run")


class _Tally:
    passed = 0
    skipped = 0
    why = ""


class _Telling(ast.NodeTransformer):
    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        test = node.test
        if node.msg is not None or not isinstance(test, ast.Compare):
            return node
        if [type(op) for op in test.ops] != [ast.Eq]:
            return node
        call = ast.Call(ast.Name("_told_equal", ast.Load()), [test.left, *test.comparators], [])
        return ast.copy_location(ast.Expr(call), node)


def _told_equal(found: object, expected: object) -> None:
    if not found == expected:
        raise AssertionError(f"expected {_short(expected)}, got {_short(found)}")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def _why(error: BaseException) -> str:
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == FILE]
    try:
        said = str(error)[:300]
    except BaseException:  # noqa: BLE001 - it may be the program's own class
        said = ""
    kind = "" if type(error) is AssertionError and said else type(error).__name__
    what = ": ".join(filter(None, (kind, said)))
    if not frames:
        return what
    line = (frames[-1].line or "")[:120]
    return f"line {frames[-1].lineno} of the tests, {line!r}: {what}"
