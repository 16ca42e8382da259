"""What a worker of a pool file costs before anybody is asked: for estimates and simulations.

A pool that is opened for calls prices its workers itself (`opening.py`); here nothing is opened, no
key is read, and a worker may be one that is not reachable.
"""

from collections.abc import Sequence

from partbook.pool import FREE, Price, WorkerSpec
from partbook.price_table import OwnPrice

__all__ = ["listed_price"]


def listed_price(spec: WorkerSpec, own: Sequence[OwnPrice]) -> Price | None:
    """The price that the pool file, one's own prices or the price table name; None: nobody does.

    What runs on this machine and what is a tool are free; a plug-in is what it says of itself.
    """
    if spec.kind == "lab":
        from partbook.lab.pool import lab_pool

        return lab_pool(order=[spec.model])[0].spec.price
    if spec.plugged is not None:
        return FREE if spec.is_tool else spec.price
    if spec.price is not None or spec.kind != "http":
        return spec.price or FREE
    from partbook.models.presets import PRESETS
    from partbook.prices import price_of

    endpoint = PRESETS[spec.endpoint].endpoint if spec.endpoint in PRESETS else spec.endpoint
    return price_of(spec.model, endpoint, own)
