"""Runs tests in the program's own process, for tests that would mean nothing in another one.

Tests that patch functions, catch what is printed or seed a generator need this. What a program
does to its own process cannot be undone, so this is weaker than `tests.py`, and a verdict is not
proof. It holds against what programs are known to do: to leave early, to print a verdict, to write
configuration files, to patch `unittest` or the builtins, to return objects that equal everything.
It does not hold against a program that looks for this module in its own memory.
"""

import builtins
import sys
import sysconfig
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from partbook.tasks.judges.inside.checks import Failed, compiled, run_checks
from partbook.tasks.judges.inside.program import load
from partbook.tasks.judges.inside.wire import receive, send

__all__ = ["together"]

_MOST_ITEMS = 10_000
"""Of one result that are looked at."""


def together(inbound: int, outbound: int, before: str, program: str, entry: str) -> None:
    """Load the program, then read the tests, then run them.

    The tests come only when the program is loaded, and with them a word that nothing could know
    before; only saying that word means that they all passed.
    """
    receive(inbound)
    unit = _TestsOwn("unittest")
    kept = dict(vars(builtins))
    own = kept | {"__import__": unit.importing}
    try:
        module = load(before, program, entry)
        _untouched(kept)
    except Failed as failed:
        return send(outbound, {"failed": str(failed)})
    except BaseException as error:  # noqa: BLE001 - a program may raise anything
        return send(outbound, {"failed": f"the program raised {type(error).__name__}: {error}"})
    send(outbound, {"loaded": True})
    tests = receive(inbound)
    assert isinstance(tests, dict)
    space = dict(vars(module)) | {"__builtins__": own}
    sys.modules["tests"] = module  # so that the tests can patch by their own name
    if isinstance(space.get(entry), types.FunctionType):
        space[entry] = _guarded(space[entry])
    source, style = tests["source"], tests["style"]
    try:
        run_checks(
            compiled(source), source, space, style, entry, unit.module, lambda: _untouched(kept)
        )
        _untouched(kept)
    except Failed as failed:
        return send(outbound, {"failed": str(failed)})
    send(outbound, {"passed": tests["nonce"]})


class _TestsOwn:
    """A package that the tests use and the program does not find: its imports make another one."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._modules: dict[str, types.ModuleType] = {}
        self._import: Callable[..., types.ModuleType] = builtins.__import__
        with self._in_place():
            self.module: types.ModuleType = self._import(name)

    def importing(self, name: str, *rest: object) -> types.ModuleType:
        """What `import` does in the tests."""
        if name.split(".")[0] != self._name:
            return self._import(name, *rest)
        with self._in_place():
            return self._import(name, *rest)

    @contextmanager
    def _in_place(self) -> Iterator[None]:
        others = self._taken()
        sys.modules.update(self._modules)
        try:
            yield
        finally:
            self._modules = self._taken()
            sys.modules.update(others)

    def _taken(self) -> dict[str, types.ModuleType]:
        names = [name for name in sys.modules if name.split(".")[0] == self._name]
        return {name: sys.modules.pop(name) for name in names}


def _untouched(kept: dict[str, object]) -> None:
    for name, value in kept.items():
        if vars(builtins).get(name) is not value:
            raise Failed(f"the program changed the builtin {name!r}")


def _guarded(function: types.FunctionType) -> Callable[..., object]:
    def guarded(*given: object, **named: object) -> object:
        result = function(*given, **named)
        _refuse_own_equality(result)
        return result

    guarded.__dict__.update(vars(function))
    for name in ("__name__", "__qualname__", "__doc__"):
        setattr(guarded, name, getattr(function, name))
    vars(guarded)["__wrapped__"] = function
    return guarded


def _refuse_own_equality(result: object) -> None:
    library = sysconfig.get_path("stdlib")
    waiting, seen = [result], 0
    while waiting and seen < _MOST_ITEMS:
        value, seen = waiting.pop(), seen + 1
        equal = type(value).__eq__
        own = isinstance(equal, types.FunctionType) and equal.__code__.co_filename
        if own and not own.startswith(library):
            raise Failed(f"the result has an equality of its own: {type(value).__name__}")
        if isinstance(value, list | tuple | set | frozenset):
            waiting += value
        elif isinstance(value, dict):
            waiting += [*value, *value.values()]
