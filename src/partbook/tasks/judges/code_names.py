"""What test source wants of a program, read from its syntax; nothing is run.

What is decided here depends on the tests alone: were it the program that decides how it is
tested, it would choose the weaker way.
"""

import ast
import builtins
import functools
import sys
import warnings

from partbook.tasks.programs import CaseTests, SourceTests, Tests

__all__ = ["needed_modules", "needs_one_process", "starting_imports", "wanted_names"]

_TOGETHER = frozenset((
    "MagicMock", "Mock", "asyncio", "capsys", "chdir", "environ", "getrefcount", "mock",
    "monkeypatch", "patch", "redirect_stderr", "redirect_stdout", "seed", "stderr", "stdin",
    "stdout", "warns", "catch_warnings", "assertWarns", "assertLogs", "await",
))  # fmt: skip
"""Words of tests that reach into the process of the program."""

_GIVEN: dict[str, str] = {
    **dict.fromkeys(
        ("Any", "Callable", "DefaultDict", "Deque", "Dict", "FrozenSet", "Generator", "Iterable",
         "Iterator", "List", "Mapping", "Optional", "Sequence", "Set", "Tuple", "Union"),
        "typing",
    ),
    **dict.fromkeys(("Counter", "OrderedDict", "defaultdict", "deque", "namedtuple"),
                    "collections"),
    **dict.fromkeys(("cache", "cmp_to_key", "lru_cache", "reduce"), "functools"),
    **dict.fromkeys(("heapify", "heappop", "heappush", "heappushpop", "heapreplace", "nlargest",
                     "nsmallest"), "heapq"),
    **dict.fromkeys(("bisect_left", "bisect_right", "insort"), "bisect"),
    **dict.fromkeys(("accumulate", "chain", "combinations", "count", "groupby", "pairwise",
                     "permutations", "product", "zip_longest"), "itertools"),
    **dict.fromkeys(("ceil", "comb", "factorial", "floor", "gcd", "inf", "isqrt", "lcm", "sqrt"),
                    "math"),
    **dict.fromkeys(("ascii_lowercase", "ascii_uppercase"), "string"),
}  # fmt: skip
_MODULES = frozenset(("bisect", "collections", "functools", "heapq", "itertools", "math",
                      "operator", "random", "re", "string", "sys"))  # fmt: skip


def starting_imports(program: str) -> str:
    """Imports that a contest site makes before a class to complete, as far as they are used.

    Only names that the program itself does not bind are imported.
    """
    tree = _tree(program)
    free = _loaded(tree) - _bound(tree)
    lines = [f"import {name}" for name in sorted(free & _MODULES)]
    lines += [f"from {_GIVEN[name]} import {name}" for name in sorted(free & _GIVEN.keys())]
    return "\n".join(lines)


def wanted_names(tests: Tests) -> tuple[str, ...]:
    """Names that the tests use and the program must define; sorted, the entry point first."""
    if isinstance(tests, CaseTests):
        return (tests.function, "Solution") if tests.function else ()
    return _wanted(tests)


@functools.lru_cache(256)
def needed_modules(tests: SourceTests) -> tuple[str, ...]:
    """Modules of Python's library that the tests use and nobody imports for them.

    They must not come from the program, which could bring its own `math.isclose`.
    """
    tree = _tree(tests.source)
    bases = [id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    other = {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in bases
    }
    free = _loaded(tree) - _bound(tree) - _bound(_tree(tests.before)) - other
    return tuple(sorted(free & sys.stdlib_module_names))


@functools.lru_cache(256)
def _wanted(tests: SourceTests) -> tuple[str, ...]:
    tree = _tree(tests.source)
    free = _loaded(tree) - _bound(tree) - _bound(_tree(tests.before))
    entry = {tests.entry_point} - {""}
    own = free - vars(builtins).keys() - entry - {*needed_modules(tests)}
    # A function may have the name of a builtin, as `sum`; so may the tests use that builtin.
    others = own or (set() if entry else free)
    return (*entry, *sorted(others))


@functools.lru_cache(256)
def needs_one_process(tests: SourceTests) -> bool:
    """Whether the tests only mean something in the program's own process."""
    words: set[str] = set()
    for node in ast.walk(_tree(tests.source)):
        if isinstance(node, ast.Name):
            words.add(node.id)
        elif isinstance(node, ast.Attribute):
            words.add(node.attr)
        elif isinstance(node, ast.alias):
            words.update(node.name.split("."))
        elif isinstance(node, ast.Await | ast.AsyncFunctionDef):
            words.add("await")
    return not words.isdisjoint(_TOGETHER)


def _tree(source: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source)


def _loaded(tree: ast.Module) -> set[str]:
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
    return {node.id for node in names if isinstance(node.ctx, ast.Load)}


def _bound(tree: ast.Module) -> set[str]:
    bound: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.ExceptHandler) and node.name:
            bound.add(node.name)
    return bound
