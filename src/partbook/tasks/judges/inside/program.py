"""The program's process: runs the program, and then does with its objects as it is told.

Everything here is in the program's hands once it runs. It knows no test and no expected value, so
all it can do to the verdict is to answer with one value or another.
"""

import builtins
import copy
import importlib
import operator
import os
import resource
import sys
import types
from collections.abc import Callable, Mapping

from partbook.tasks.judges.inside.wire import pack, receive, send, unpack

__all__ = ["alone", "load", "serve"]

NAME = "program"
"""Not `__main__`: a demonstration below `if __name__ == "__main__"` is no part of an answer."""
_CONTAINERS: tuple[type, ...] = (list, tuple, set, frozenset)


def alone(*keep: int) -> None:
    """Let go of everything but some descriptors; standard streams lead nowhere."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    first = 3
    for number in (*sorted(keep), resource.getrlimit(resource.RLIMIT_NOFILE)[0]):
        os.closerange(first, number)
        first = number + 1


def load(before: str, program: str, entry: str) -> types.ModuleType:
    """Run the program as a module.

    Raises:
        NameError: it does not define `entry`, if there is such a name.
        BaseException: whatever it raises.
    """
    module = types.ModuleType(NAME)
    sys.modules[NAME] = module
    exec(compile(before, "before.py", "exec"), vars(module))
    vars(module).pop(entry, None)  # it is a stub
    exec(compile(program, "program.py", "exec"), vars(module))
    if entry and entry not in vars(module):
        raise NameError(f"the program does not define {entry!r}")
    return module


def serve(inbound: int, outbound: int, before: str, program: str, entry: str) -> None:
    """Load the program, say how that went, and answer until nobody asks any more."""
    objects = _Objects(inbound, outbound)
    names = receive(inbound)
    reply = objects.outcome(lambda: load(before, program, entry))
    if "raise" not in reply:
        found = vars(sys.modules[NAME]) if NAME in sys.modules else {}
        wanted = [name for name in names if name in found] if isinstance(names, list) else []
        reply = {"names": {name: objects.named(found[name]) for name in wanted}}
    send(outbound, reply)
    while True:
        message = receive(inbound)
        if isinstance(message, dict):
            send(outbound, objects.done(message))


class _Objects:
    """The objects that the tests know, by number."""

    def __init__(self, inbound: int, outbound: int) -> None:
        self._inbound = inbound
        self._outbound = outbound
        self._known: list[object] = []
        self._numbers: dict[int, int] = {}

    def outcome(self, act: Callable[[], object]) -> dict[str, object]:
        """What came of an act, as a reply."""
        try:
            return {"value": pack(act(), self._mark)}
        except BaseException as error:  # noqa: BLE001 - a program may raise anything
            kinds = [[kind.__module__, kind.__qualname__] for kind in type(error).__mro__]
            try:
                given = pack(list(error.args), self._mark)
                text = str(error)
            except BaseException:  # noqa: BLE001 - also where it is asked for its text
                given, text = ["list", []], ""
            return {"raise": {"types": kinds, "args": given, "text": text[:2000]}}

    def named(self, value: object) -> object:
        """How a global name of the program is told to the tests."""
        if isinstance(value, type) and issubclass(value, BaseException):
            kinds = [[kind.__module__, kind.__qualname__] for kind in value.__mro__]
            return {"error": kinds}
        return {"value": pack(value, self._mark)}

    def done(self, message: Mapping[str, object]) -> dict[str, object]:
        """Do what a message asks for."""
        told, named = message["given"], message["named"]
        assert isinstance(told, list)
        assert isinstance(named, dict)
        given = [unpack(data, self._value) for data in told]
        more = {name: unpack(data, self._value) for name, data in named.items()}
        reply = self.outcome(lambda: _DOES[str(message["do"])](*given, **more))
        # A test may look at what the program did to its arguments.
        changed = {}
        for i, (value, data) in enumerate(zip(given, told, strict=True)):
            if type(value) in (list, dict, set, bytearray):
                now = self.outcome(lambda value=value: value)  # type: ignore[misc]
                if "value" in now and now["value"] != data:
                    changed[str(i)] = now["value"]
        return reply | {"changed": changed} if changed else reply

    def _mark(self, value: object) -> object:
        for kind in (bool, int, float, str, bytes):
            if isinstance(value, kind) and type(value) is not kind:
                # Its content, whatever it says about itself: an `IntEnum`, a `str` that equals all.
                return pack(_SCALARS[kind](value), self._mark)
        near = getattr(value, "_near_number", None) if type(value) is types.FunctionType else None
        if near is not None:
            return ["near", near]
        number = self._numbers.setdefault(id(value), len(self._known))
        if number == len(self._known):
            self._known.append(value)
        return ["mine", number]

    def _value(self, data: object) -> object:
        assert isinstance(data, list)
        if data[0] == "yours":
            return self._known[data[1]]
        if data[0] == "import":
            found: object = importlib.import_module(data[1])
            return getattr(found, data[2])
        return self._near(data[1])

    def _near(self, number: int) -> Callable[..., object]:
        def near(*given: object) -> object:
            told = {"call": number, "given": [pack(value, self._mark) for value in given]}
            send(self._outbound, told)
            while True:
                message = receive(self._inbound)
                assert isinstance(message, dict)
                if "do" not in message:
                    break
                send(self._outbound, self.done(message))
            if "raise" in message:
                raise getattr(builtins, str(message["raise"]), ValueError)(message["text"])
            return unpack(message["value"], self._value)

        near._near_number = number  # type: ignore[attr-defined]
        return near


def _content(value: object) -> object:
    # The base type's own copy, without what a subclass makes of it.
    if isinstance(value, dict):
        return dict(dict.items(value))
    for kind in _CONTAINERS:
        if isinstance(value, kind):
            return kind(vars(kind)["__iter__"](value))
    return value


_SCALARS: Mapping[type, Callable[..., object]] = {
    bool: bool,
    int: lambda value: int.__add__(value, 0),
    float: lambda value: float.__add__(value, 0.0),
    str: lambda value: str.__str__(str.__add__(value, "")),
    bytes: lambda value: bytes.__add__(value, b""),
}

_DOES: Mapping[str, Callable[..., object]] = {
    "==": operator.eq,
    "call": lambda function, *given, **named: function(*given, **named),
    "content": _content,
    "copy": copy.copy,
    "deep copy": copy.deepcopy,
    "delete": delattr,
    "delete item": operator.delitem,
    "enter": lambda value: type(value).__enter__(value),
    "exit": lambda value, *given: type(value).__exit__(value, *given),
    "get": getattr,
    "is a": isinstance,
    "item": operator.getitem,
    "iter": iter,
    "length": len,
    "next": next,
    "repr": repr,
    "set": setattr,
    "set item": operator.setitem,
    "text": str,
    "truth": bool,
    **{name: getattr(operator, name) for name in ("lt", "le", "gt", "ge")},
    **{
        name: getattr(operator, f"__{name}__")
        for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and",
                     "or", "xor", "lshift", "rshift", "neg", "pos", "invert")
    },
    "radd": lambda value, other: other + value,
    "rsub": lambda value, other: other - value,
    "rmul": lambda value, other: other * value,
    "rtruediv": lambda value, other: other / value,
}  # fmt: skip
"""What may be asked. These are this process's own functions, which the program may have changed:
that changes what it answers and nothing else."""
