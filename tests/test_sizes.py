"""The habits that a linter does not know: sizes, docstrings, and what a module offers."""

import ast
import re
from pathlib import Path

import pytest

SRC = Path(__file__).parent.parent / "src" / "partbook"
MODULES = sorted(SRC.rglob("*.py"))
IDS = [str(path.relative_to(SRC)) for path in MODULES]

MOST_LINES = 300
MOST_LINES_OF_A_FUNCTION = 60


@pytest.mark.parametrize("path", MODULES, ids=IDS)
def test_a_file_is_small_and_says_what_is_in_it(path):
    text = path.read_text(encoding="utf-8")

    assert len(text.splitlines()) <= MOST_LINES
    assert ast.get_docstring(ast.parse(text))


@pytest.mark.parametrize("path", MODULES, ids=IDS)
def test_a_function_is_small(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))

    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0]
            # The docstring explains; it is not what makes a function long.
            documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
            start = first.end_lineno if documented else node.lineno
            assert node.end_lineno - start <= MOST_LINES_OF_A_FUNCTION, node.name


@pytest.mark.parametrize("path", MODULES, ids=IDS)
def test_what_a_module_offers_is_what_it_lists(path):
    if path.name == "__init__.py" or "migrations" in path.parts:
        return
    tree = ast.parse(path.read_text(encoding="utf-8"))
    public = {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
    }
    listed: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            listed = set(ast.literal_eval(node.value))

    # A Typer command is offered to `main.py` through its app, not by name.
    commands = {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and any("command(" in ast.unparse(d) for d in node.decorator_list)
    }
    assert public - commands <= listed


LISTED = (
    "claims",
    "economy",
    "evaluate",
    "evaluate/reporting",
    "evaluate/running",
    "evaluate/shadowing",
    "evaluate/systems",
    "lab",
    "models",
    "parse",
    "simulate",
    "train",
)


@pytest.mark.parametrize("name", LISTED)
def test_a_package_that_lists_its_modules_lists_them_all_and_no_other(name):
    docstring = ast.get_docstring(ast.parse((SRC / name / "__init__.py").read_text()))

    listed = set(re.findall(r"\b([a-z_0-9]+)\.py\b", docstring))
    assert listed == {path.stem for path in (SRC / name).glob("*.py")} - {"__init__"}
