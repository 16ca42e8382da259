"""What an evaluation is, as words that must be the same for whoever goes on with it."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict
from decimal import Decimal

from partbook.pool import WorkerSpec

__all__ = ["worker_words"]


def worker_words(spec: WorkerSpec) -> str:
    """A worker: its kind, its model, and a hash of all else that its pool file says."""
    usual = asdict(WorkerSpec(spec.name, spec.kind))
    # Only what differs from the defaults: a later version has more fields.
    said = {name: value for name, value in asdict(spec).items() if value != usual[name]}
    if "sampling" in said:
        asked = said["sampling"].items()
        said["sampling"] = {
            name: value for name, value in asked if value != usual["sampling"][name]
        }
    # Where the key is and how fast it may be asked changes no answer.
    for name in _NO_MATTER:
        said.pop(name, None)
    canonical = json.dumps(said, sort_keys=True, default=_plain)
    digest = hashlib.sha256(canonical.encode()).hexdigest()[:12]
    return f"{spec.kind} {spec.model} ({digest})".replace("  ", " ")


_NO_MATTER = (
    "key_env",
    "key_file",
    "max_concurrency",
    "requests_per_minute",
    "tokens_per_minute",
    "retries",
    "cache",
    "timeout_s",
)


def _plain(value: object) -> str | list[object]:
    if isinstance(value, Decimal):
        return format(value.normalize(), "f")
    assert isinstance(value, Iterable), f"a pool file holds no {type(value).__name__}"
    return list(value)
