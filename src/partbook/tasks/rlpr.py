"""RLPR: questions of many fields with a short answer (arXiv:2506.18254).

Only rows whose answer has up to 30 characters are used, and of those 60 % are for training and 20 %
each for validation and testing, as in arXiv:2512.04388; which row is where is not published, so our
shares have its sizes only. The number of rows is not pinned: published accounts differ (about
77,700), and the revision was seen in one place only.

A row of ours in its columns:

    {"prompt": [{"role": "system", "content": "..."},
                {"role": "user", "content": "What is the SI unit of force?"}],
     "reward_model": {"ground_truth": "newton", "style": "rule"}, "ability": "Physics"}
"""

import json
from collections.abc import Mapping

from partbook.errors import ConfigError
from partbook.tasks.columns import optional, required, table
from partbook.tasks.family import Family, Share
from partbook.tasks.problem import Problem
from partbook.tasks.source import HubFiles

__all__ = ["MAX_ANSWER", "RLPR"]

MAX_ANSWER = 30
"""Characters of the longest answer that is used (arXiv:2512.04388)."""


def _problem(data: Mapping[str, object], number: str) -> Problem | None:
    reference = optional(table(data, "reward_model"), "ground_truth").strip()
    if not reference or len(reference) > MAX_ANSWER:
        return None
    return Problem(
        id=number,
        task="rlpr",
        question=_question(data),
        judge="short",
        format="short",
        reference=reference,
        meta={"subject": optional(data, "ability")},
    )


def _question(data: Mapping[str, object]) -> str:
    """The first message of the user; what the system is told there is not our answer format."""
    if "prompt" not in data:
        required(data, "prompt")
    messages = data["prompt"]
    if isinstance(messages, str):
        try:
            messages = json.loads(messages)
        except (ValueError, RecursionError) as err:
            raise ConfigError("`prompt` must be a list of messages") from err
    for message in messages if isinstance(messages, list) else []:
        if isinstance(message, dict) and message.get("role") == "user":
            return required(message, "content")
    raise ConfigError("`prompt` holds no message of the user")


RLPR = Family(
    name="rlpr",
    about="RLPR: questions of many fields, answers of up to 30 characters",
    judge="short",
    source=HubFiles(
        repo="openbmb/RLPR-Train-Dataset",
        revision="922eeb37157ebce90c1ee8233cdf04f04fbad728",
        files={"train": ("rlpr_train.parquet",)},
        rows={},
    ),
    convert=_problem,
    splits={
        "train": Share("train", 0.0, 0.6),
        "validation": Share("train", 0.6, 0.8),
        "test": Share("train", 0.8, 1.0),
    },
)
