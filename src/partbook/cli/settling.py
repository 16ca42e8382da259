"""What a pool file leaves open about a worker, filled in: endpoint, price, context window.

Nothing is opened and no key is read, so estimates and simulations ask here, too, of workers that
may not be reachable.
"""

from collections.abc import Sequence
from dataclasses import replace

from partbook.errors import ConfigError
from partbook.models.presets import PRESETS
from partbook.own_prices import OwnPrice
from partbook.pool import WorkerSpec
from partbook.price import FREE

__all__ = ["LOCAL_CONTEXT", "settled"]

LOCAL_CONTEXT = 4096
"""Context window of a model in this process where the pool file names none, in tokens."""

ITSELF = "plans a part that needs several workers, and has them carry it out"
"""Card of a worker that is the Conductor itself, where the pool file says none."""


def settled(spec: WorkerSpec, own: Sequence[OwnPrice]) -> WorkerSpec:
    """The worker with all that can be known of it.

    Args:
        spec: what the pool file says.
        own: one's own prices; they go before the price table.

    Raises:
        ConfigError: its endpoint is neither a URL nor a known name.
    """
    match spec.kind:
        case "http":
            return _with_price(_with_preset(spec), own)
        case "local":
            window = spec.context_window or LOCAL_CONTEXT
            return replace(spec, price=spec.price or FREE, context_window=window)
        case "lab":
            from partbook.lab.pool import lab_pool

            scripted = lab_pool(order=[spec.model])[0].spec
            return replace(spec, price=scripted.price, card=spec.card or scripted.card)
        case "torch":
            return replace(spec, price=spec.price or FREE)
        case "calculator" | "python":
            return replace(spec, price=FREE)
        case "conductor":  # whose calls are those of its round
            return replace(spec, price=FREE, card=spec.card or ITSELF)
        case _:  # a plug-in's, which may be paid for: unless it says so, its price is unknown
            return replace(spec, price=FREE if spec.is_tool else spec.price)


def _with_price(spec: WorkerSpec, own: Sequence[OwnPrice]) -> WorkerSpec:
    if spec.price is not None and spec.context_window is not None:
        return spec
    from partbook.list_prices import context_window_of, price_of

    return replace(
        spec,
        price=spec.price or price_of(spec.model, spec.endpoint, own),
        context_window=spec.context_window or context_window_of(spec.model, spec.endpoint),
    )


def _with_preset(spec: WorkerSpec) -> WorkerSpec:
    """The spec with the URL and key variable of the preset that its endpoint may name."""
    if "://" in spec.endpoint:
        return spec
    if spec.endpoint not in PRESETS:
        raise ConfigError(
            f"worker {spec.name!r}: `endpoint` must be a URL or one of {', '.join(PRESETS)}; "
            f"found {spec.endpoint!r}"
        )
    preset = PRESETS[spec.endpoint]
    key_env = "" if spec.key_file else spec.key_env or preset.key_env
    return replace(spec, endpoint=preset.endpoint, key_env=key_env)
