"""What the page has to know before anything is asked: who plays, and within which limits."""

from importlib.metadata import version
from typing import Any

from partbook.conduct import Conductor, Fixed
from partbook.models.presets import is_on_this_machine
from partbook.page.ask_request import CONDUCTOR, MOST_ROUNDS, default_system
from partbook.page.room import Room, Visitor
from partbook.pool import WorkerSpec
from partbook.server.effort import USUAL
from partbook.server.served import Served
from partbook.spend_json import money, price_to_dict

__all__ = ["about"]

_EFFORTS = ["low", "medium", "high", "xhigh"]


def about(room: Room, visitor: Visitor) -> dict[str, Any]:
    """The answer of `GET /page/about`."""
    setup, workers = room.setup, visitor.holder.workers
    served = setup.served
    proposer, limits = served.proposer, served.limits
    conductor = proposer if isinstance(proposer, Conductor) else None
    specs = [worker.spec for worker in served.pool.workers]
    allowed = [spec for spec in specs if workers is None or spec.name in workers]
    return {
        "version": version("partbook"),
        "model": served.pin,
        "pool": {"name": served.pool.name, "about": setup.pool_about},
        "conductor": None if conductor is None else setup.conductor or CONDUCTOR,
        "workflow": proposer.workflow.name if isinstance(proposer, Fixed) else None,
        "workers": [_worker(spec) for spec in allowed],
        "systems": _systems(served, allowed),
        "default_system": default_system(served),
        "efforts": _EFFORTS,
        "default_effort": USUAL,
        "limits": {
            "usd": money(limits.usd),
            "calls": limits.calls,
            "tokens": limits.tokens,
            "timeout_s": limits.timeout_s,
        },
        "most_rounds": MOST_ROUNDS if conductor is not None and conductor.style == "paper" else 1,
        "needs_key": setup.admission.needs_key,
        "keeps_runs": served.keep is not None,
        "sees_runs": visitor.sees_all,
    }


def _systems(served: Served, allowed: list[WorkerSpec]) -> list[dict[str, str]]:
    proposer = served.proposer
    found: list[dict[str, str]] = []

    def add(system: str, name: str, told: str) -> None:
        if all(one["id"] != system for one in found):
            found.append({"id": system, "name": name, "about": told})

    if isinstance(proposer, Fixed):
        fixed = proposer.workflow
        add(f"workflow:{fixed.name}", fixed.name, fixed.about)
    else:
        add(CONDUCTOR, "Conductor", "The Conductor writes the workflow.")
    for name, workflow in served.workflows.items():
        add(f"workflow:{name}", name, workflow.about)
    for spec in allowed:
        if spec.kind != "conductor":
            add(f"worker:{spec.name}", spec.name, spec.card)
    return found


def _worker(spec: WorkerSpec) -> dict[str, Any]:
    return {
        "name": spec.name,
        "kind": spec.kind,
        "model": spec.model,
        "card": spec.card,
        "roles": list(spec.roles),
        "place": _place(spec),
        "price": price_to_dict(spec.price),
    }


def _place(spec: WorkerSpec) -> str | None:
    """Where its model is: on this machine, elsewhere with open weights, or at a provider."""
    if spec.kind == "conductor":
        return None
    if spec.is_here or (spec.kind == "http" and is_on_this_machine(spec.endpoint)):
        return "local"
    return "open" if "open" in spec.labels else "provider"
