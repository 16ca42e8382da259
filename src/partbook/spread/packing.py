"""Packing: objects that hold models, as bytes in which each model is a number.

Models hold connections, keys and weights, none of which travel. A node has opened its own, and puts
what stands for them into the places. Closures are packed by value, which the standard library's
pickle cannot do and Ray's copy of cloudpickle can.
"""

import io
import pickle
from collections.abc import Callable, Mapping

from partbook.errors import ConfigError
from partbook.model import ChatModel

__all__ = ["packed", "unpacked"]


def packed(thing: object, numbers: Mapping[int, int]) -> bytes:
    """Pack an object.

    Args:
        thing: what is to travel.
        numbers: of the models in it, by their `id()`.

    Raises:
        ConfigError: a part of it cannot travel; the message names it.
    """
    # Late: only who spreads work needs Ray.
    from ray.cloudpickle import CloudPickler  # noqa: PLC0415

    class _Packer(CloudPickler):
        def persistent_id(self, obj: object) -> int | None:
            return numbers.get(id(obj))

    file = io.BytesIO()
    try:
        _Packer(file).dump(thing)  # type: ignore[no-untyped-call]
    except (pickle.PicklingError, TypeError, AttributeError) as err:
        raise ConfigError(f"this cannot be played on other machines: {err}") from err
    return file.getvalue()


def unpacked(data: bytes, model_of: Callable[[int], ChatModel]) -> object:
    """Unpack what `packed` has packed; `data` is trusted as the code itself is."""

    class _Unpacker(pickle.Unpickler):
        def persistent_load(self, pid: int) -> ChatModel:
            return model_of(pid)

    return _Unpacker(io.BytesIO(data)).load()
