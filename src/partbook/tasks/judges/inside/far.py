"""What an object of the program looks like to the tests: a Far, which asks the other process.

A test sees plain data only where the program gave plain data. Equality, order and membership of an
object with plain data are decided here, by Python's own types, and arithmetic with plain data gives
objects only: an object that claims to equal everything gets no chance to. What the tests hand over,
arguments above all, the program sees and may change, as it may in one process.
"""

import builtins
import operator
import sys
from collections.abc import Callable, Iterator

from partbook.tasks.judges.inside.wire import pack, receive, send, unpack

__all__ = ["Broken", "Far", "Link"]

_BAD = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError,
        MemoryError, AssertionError)  # fmt: skip
"""What reading an answer raises where it was not written by `program.py`."""


class Broken(BaseException):
    """The program is gone, or what it said is no answer. No test's `except Exception` hides it."""


class Link:
    """The connection to the program."""

    def __init__(self, inbound: int, outbound: int) -> None:
        self.broken: str | None = None
        """Why no more is asked; None while the program answers."""
        self.unusable = ""
        """Why the tests cannot be run like this; empty where they can."""
        self.asked = 0
        """How often the program was asked for something."""
        self._inbound = inbound
        self._outbound = outbound
        self._far: dict[int, Far] = {}
        self._near: list[Callable[..., object]] = []
        self.errors: dict[str, type[BaseException]] = {}
        """The program's own exceptions that the tests name, and what stands for each here."""

    def ask(self, do: str, *given: object, **named: object) -> object:
        """Have something done to the objects of the program, and give what came of it.

        Raises:
            Broken: there was no answer.
            BaseException: whatever it raised there, as the nearest type that is known here.
        """
        self.asked += 1
        told = {
            "do": do,
            "given": [pack(value, self._mark) for value in given],
            "named": {name: pack(value, self._mark) for name, value in named.items()},
        }
        reply = self.told(told)
        if "raise" in reply:
            raise self.error(reply["raise"])
        try:
            changed = reply.get("changed")
            for i, data in changed.items() if isinstance(changed, dict) else ():
                _refill(given[int(i)], unpack(data, self._object))
            return unpack(reply.get("value"), self._object)
        except _BAD as error:
            raise self.lost(f"its answer cannot be read ({error})") from None

    def told(self, message: object) -> dict[str, object]:
        """Send a message and take the reply; functions of the tests are called meanwhile.

        Raises:
            Broken: there was none.
        """
        if self.broken is not None:
            raise Broken(self.broken)
        try:
            send(self._outbound, message)
            while True:
                reply = receive(self._inbound)
                if not isinstance(reply, dict):
                    raise ValueError("no table")
                if "call" not in reply:
                    return reply
                send(self._outbound, self._called(reply))
        except (EOFError, OSError):
            raise self.lost("the program ended before the tests did") from None
        except _BAD as error:
            raise self.lost(f"what the program said cannot be read ({error})") from None

    def lost(self, why: str) -> Broken:
        """Give the program up."""
        self.broken = self.broken or why
        return Broken(why)

    def value(self, data: object) -> object:
        """A value that came with another message."""
        try:
            return unpack(data, self._object)
        except _BAD as error:
            raise self.lost(f"what the program said cannot be read ({error})") from None

    def _called(self, call: dict[str, object]) -> object:
        function = self._near[int(str(call["call"]))]
        given = self.value(["list", call["given"]])
        try:
            result = function(*given) if isinstance(given, list) else None
            return {"value": pack(result, self._mark)}
        except Exception as error:  # noqa: BLE001 - a test's function may raise anything
            return {"raise": type(error).__name__, "text": str(error)[:1000]}

    def _mark(self, value: object) -> object:
        if isinstance(value, Far):
            return ["yours", object.__getattribute__(value, "_far_number")]
        if callable(value):
            module, name = getattr(value, "__module__", ""), getattr(value, "__qualname__", "")
            home = sys.modules.get(module)
            if module and getattr(home, name, None) is value:
                return ["import", module, name]
            self._near.append(value)
            return ["near", len(self._near) - 1]
        self.unusable = f"the tests hand over {type(value).__name__}, which cannot be copied"
        raise self.lost(self.unusable)

    def _object(self, data: object) -> object:
        kind, number = data if isinstance(data, list) and len(data) == 2 else ("", 0)
        if kind == "mine" and isinstance(number, int):
            return self._far.setdefault(number, Far(self, number))
        if kind == "near" and isinstance(number, int) and 0 <= number < len(self._near):
            return self._near[number]
        raise ValueError("an unknown kind of value")

    def error(self, told: object) -> BaseException:
        """The exception that the program raised, as the nearest type that is known here."""
        try:
            assert isinstance(told, dict)
            given = self.value(told["args"])
            kind = next(filter(None, map(self._error_type, told["types"])))
            error = kind.__new__(kind)
            error.args = tuple(given) if isinstance(given, list) else ()
        except (*_BAD, StopIteration) as bad:
            raise self.lost(f"its exception cannot be read ({bad})") from None
        return error

    def _error_type(self, path: object) -> type[BaseException] | None:
        module, name = map(str, path) if isinstance(path, list) and len(path) == 2 else ("", "")
        if module == "program":
            return self.errors.get(name)
        # Not the exceptions by which a test runner is told something.
        if module != builtins.__name__ and module.split(".")[0] not in sys.stdlib_module_names:
            return None
        if module.split(".")[0] == "unittest":
            return None
        found = getattr(sys.modules.get(module), name, None)
        is_error = isinstance(found, type) and issubclass(found, BaseException)
        return found if is_error else None


class Far:
    """An object of the program. What is done to it is done there."""

    __slots__ = ("_far_link", "_far_number")
    _far_link: Link
    _far_number: int

    def __init__(self, link: Link, number: int) -> None:
        object.__setattr__(self, "_far_link", link)
        object.__setattr__(self, "_far_number", number)

    def __getattr__(self, name: str) -> object:
        if name.startswith("__") and name not in ("__name__", "__dict__"):
            raise AttributeError(name)
        return _ask(self, "get", name)

    def __setattr__(self, name: str, value: object) -> None:
        _ask(self, "set", name, value)

    def __delattr__(self, name: str) -> None:
        _ask(self, "delete", name)

    def __call__(self, *given: object, **named: object) -> object:
        """Call it with the tests' arguments."""
        return _ask(self, "call", *given, **named)

    def __getitem__(self, key: object) -> object:
        return _ask(self, "item", key)

    def __setitem__(self, key: object, value: object) -> None:
        _ask(self, "set item", key, value)

    def __delitem__(self, key: object) -> None:
        _ask(self, "delete item", key)

    def __iter__(self) -> Iterator[object]:
        inner = _ask(self, "iter")
        return inner if isinstance(inner, Far) else iter(())

    def __next__(self) -> object:
        return _ask(self, "next")

    def __contains__(self, value: object) -> bool:
        # The program is not asked: it could say yes to everything.
        return any(item == value for item in self)

    def __enter__(self) -> object:
        return _ask(self, "enter")

    def __exit__(self, *_: object) -> None:
        _ask(self, "exit", None, None, None)

    def __instancecheck__(self, value: object) -> bool:
        return isinstance(value, Far) and bool(_ask(value, "is a", self))

    def __len__(self) -> int:
        length = _ask(self, "length")
        if not isinstance(length, int):
            raise TypeError("a length must be a whole number")
        return length

    def __bool__(self) -> bool:
        return bool(_plain(_ask(self, "truth")))

    def __str__(self) -> str:
        return str(_plain(_ask(self, "text")))

    def __repr__(self) -> str:
        return str(_plain(_ask(self, "repr")))

    def __hash__(self) -> int:
        return hash(object.__getattribute__(self, "_far_number"))

    def __eq__(self, value: object) -> bool:
        if isinstance(value, Far):
            return self is value or bool(_plain(_ask(self, "==", value)))
        # Its content is compared here, as a subclass of list is to a list.
        content = _content(self)
        return not isinstance(content, Far) and content == value

    def __deepcopy__(self, memo: object) -> object:
        return _ask(self, "deep copy")

    def __copy__(self) -> object:
        return _ask(self, "copy")


def _ask(far: Far, do: str, *given: object, **named: object) -> object:
    link = object.__getattribute__(far, "_far_link")
    assert isinstance(link, Link)
    return link.ask(do, far, *given, **named)


def _plain(value: object) -> object:
    if isinstance(value, Far):
        raise TypeError("plain data was expected, not an object")
    return value


def _content(far: Far) -> object:
    """What a subclass of a container holds, as that container; the Far itself for others."""
    return _ask(far, "content")


def _ordering(name: str) -> Callable[[Far, object], object]:
    compare = getattr(operator, name)

    def ordering(self: Far, value: object) -> object:
        if isinstance(value, Far):
            return _plain(_ask(self, name, value))
        content = _content(self)
        return NotImplemented if isinstance(content, Far) else compare(content, value)

    return ordering


def _arithmetic(name: str) -> Callable[[Far, object], object]:
    def arithmetic(self: Far, *value: object) -> object:
        result = _ask(self, name, *value)
        if isinstance(result, Far) or all(isinstance(v, Far) for v in value):
            return result
        # `abs(f(x) - expected) < 1e-6` would let the object decide.
        raise TypeError("arithmetic of an object with plain data must give an object")

    return arithmetic


for _name in ("lt", "le", "gt", "ge"):
    setattr(Far, f"__{_name}__", _ordering(_name))
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or",
              "xor", "lshift", "rshift", "radd", "rsub", "rmul", "rtruediv", "neg", "pos",
              "invert"):  # fmt: skip
    setattr(Far, f"__{_name}__", _arithmetic(_name))


def _refill(value: object, content: object) -> None:
    """Give a container of the tests the content that it has in the program's process."""
    if isinstance(value, list | bytearray) and isinstance(content, list | bytearray):
        value[:] = content
    elif isinstance(value, dict | set) and isinstance(content, dict | set):
        value.clear()
        value.update(content)
