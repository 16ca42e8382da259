"""Trainings: the list, and one with its metrics and the latest rollouts that were kept.

A training writes its metrics as it goes, so whoever asks again for what is after a step follows it.
Rollouts are runs of the store, which have the training's name as their label.
"""

import asyncio
import re
import time
from pathlib import Path
from typing import Any

from partbook.errors import StoreError
from partbook.page.folders import Found, find_folders, json_lines, json_object
from partbook.page.room import not_found
from partbook.reward import reward_of
from partbook.spend_json import money
from partbook.store import Store
from partbook.store.listing import RunFilter, RunRow
from partbook.store.run_lists import list_part, traces_of
from partbook.trace import Trace

__all__ = ["list_trainings", "show_training"]

_METRICS, _RESOLVED = "metrics.jsonl", "resolved.json"

_QUIET_S = 300.0
"""So long after its last line, a training that is not at its end is taken to have stopped."""

_SAMPLES = 12
_STEP = re.compile(r" step (\d+)$")


async def list_trainings(root: Path | None) -> dict[str, Any]:
    """The answer of `GET /page/trainings`."""
    return {"trainings": await asyncio.to_thread(_all, root)}


async def show_training(root: Path | None, store: Store, name: str, after: int) -> dict[str, Any]:
    """The answer of `GET /page/trainings/ID`.

    Args:
        root: where trainings are.
        store: where rollouts are kept.
        name: of the training.
        after: only metrics of later steps than this one; below 0: all of them.

    Raises:
        Refusal: there is no such training.
    """
    found = await asyncio.to_thread(_one, root, store, name, after)
    if found is None:
        raise not_found("training", name)
    return found


def _all(root: Path | None) -> list[dict[str, Any]]:
    found = find_folders(root, _METRICS, _RESOLVED).items()
    return [_summary(name, one, json_object(one.folder / _RESOLVED)) for name, one in found]


def _summary(name: str, found: Found, resolved: dict[str, Any]) -> dict[str, Any]:
    folder, at = found
    steps = [_step(line) for line in json_lines(folder / _METRICS) if line.get("kind") == "step"]
    planned = _at(resolved, "preset", "grpo", "steps")
    last = max(steps, default=0)
    is_whole = isinstance(planned, int) and last >= planned
    return {
        "id": name,
        "name": folder.name,
        "preset": _at(resolved, "preset", "name"),
        "about": _at(resolved, "preset", "about"),
        "steps": last,
        "planned_steps": planned,
        "at": at,
        "is_running": not is_whole and time.time() - at < _QUIET_S,
    }


def _one(root: Path | None, store: Store, name: str, after: int) -> dict[str, Any] | None:
    found = find_folders(root, _METRICS, _RESOLVED).get(name)
    if found is None:
        return None
    folder = found.folder
    resolved = json_object(folder / _RESOLVED)
    return {
        "training": _summary(name, found, resolved),
        "resolved": resolved,
        "metrics": [line for line in json_lines(folder / _METRICS) if _step(line) > after],
        "samples": _samples(store, folder.name),
    }


def _samples(store: Store, name: str) -> list[dict[str, Any]]:
    """The latest rollouts of a training that were kept."""
    try:
        rows = list_part(store, RunFilter(label=f"train {name} step "), _SAMPLES).rows
        traces = {trace.run_id: trace for trace in traces_of(store, [row.run_id for row in rows])}
    except StoreError:
        return []
    return [_sample(row, traces[row.run_id]) for row in rows if row.run_id in traces]


def _sample(row: RunRow, trace: Trace) -> dict[str, Any]:
    first = trace.rounds[0] if trace.rounds else None
    label = _STEP.search(row.label or "")
    return {
        "run": row.run_id,
        "step": int(label[1]) if label else None,
        "question": trace.question,
        "text": first.proposals[-1].text if first is not None and first.proposals else None,
        "answer": trace.answer,
        "reward": reward_of(trace, None if row.verdict is None else row.verdict == "right"),
        "valid": first is not None and first.workflow is not None,
        "verdict": row.verdict,
        "calls": row.calls,
        "cost_usd": money(row.cost_usd),
    }


def _step(line: dict[str, Any]) -> int:
    step = line.get("step")
    return step if isinstance(step, int) else 0


def _at(data: dict[str, Any], *names: str) -> Any:
    """A value within JSON objects; None: there is none."""
    value: Any = data
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value
