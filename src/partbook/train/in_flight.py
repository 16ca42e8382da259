"""Groups in flight in a checkpoint: what was written and what came of it, as JSON.

Everything in flight is over when it is written down, so that a run which goes on from it plays and
pays for none of it again.
"""

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from partbook.errors import ConfigError, PartbookError
from partbook.trace_json import trace_from_dict, trace_to_dict
from partbook.train.environment import Outcome
from partbook.train.group_queue import InFlight

__all__ = ["Group", "WrittenGroup", "read_in_flight", "write_in_flight"]


@dataclass(frozen=True, slots=True)
class WrittenGroup:
    """A group as the policy wrote it: a list of tokens a completion."""

    ids: list[list[int]]
    texts: list[str]
    log_probabilities: list[list[float]]
    """Of every token, under the policy that wrote it; filled while the group is played."""


Group = InFlight[WrittenGroup, list[Outcome]]


def write_in_flight(path: Path, after: int, groups: Sequence[Group]) -> None:
    """Write down groups that are over, or cut off.

    Args:
        path: the file.
        after: index of the group that is written next.
        groups: in flight.

    Raises:
        OSError: it cannot be written.
    """
    data = {"next": after, "groups": [_to_dict(group) for group in groups]}
    path.write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")


def read_in_flight(path: Path) -> tuple[int, list[Group]]:
    """Read what `write_in_flight` wrote; every group is over.

    Raises:
        ConfigError: there is nothing of the kind.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return int(data["next"]), [_from_dict(group) for group in data["groups"]]
    except (OSError, ValueError, KeyError, TypeError, PartbookError) as err:
        raise ConfigError(
            f"cannot read the groups in flight, {path}: {err}; go on from an earlier checkpoint: "
            "remove this one"
        ) from err


def _to_dict(group: Group) -> dict[str, object]:
    written = group.group
    blocked = [Outcome(None, "blocked")] * len(written.ids)
    outcomes = group.result.result() if group.result.done() else blocked
    return {
        "index": group.index,
        "step": group.step,
        "late": group.late,
        "ids": written.ids,
        "texts": written.texts,
        "log_probabilities": written.log_probabilities,
        "outcomes": [
            {
                "reward": outcome.reward,
                "verdict": outcome.verdict,
                "kept": outcome.kept,
                "trace": None if outcome.trace is None else trace_to_dict(outcome.trace),
            }
            for outcome in outcomes
        ],
    }


def _from_dict(data: Mapping[str, Any]) -> Group:
    result: Future[list[Outcome]] = Future()
    result.set_result([_outcome(one) for one in data["outcomes"]])
    written = WrittenGroup(data["ids"], data["texts"], data["log_probabilities"])
    return Group(data["index"], data["step"], written, result, late=data["late"])


def _outcome(data: Mapping[str, Any]) -> Outcome:
    trace = None if data["trace"] is None else trace_from_dict(data["trace"])
    workflow = trace.rounds[-1].workflow if trace is not None and trace.rounds else None
    return Outcome(data["reward"], data["verdict"], trace, workflow, data["kept"])
