"""The model card of exported weights: data, pool, figures, limits, licence, and how to ask them.

Every figure comes from the run's own metrics; what a run did not measure, the card does not say.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from partbook.errors import ConfigError
from partbook.models.trained import Trained
from partbook.train.run_folder import RunFolder

__all__ = ["card_text", "run_facts"]

_SHOWN = (
    ("accuracy", "right answers"),
    ("low", "lower end of the 95 % interval"),
    ("high", "upper end"),
    ("valid", "valid workflows"),
    ("accuracy_given_valid", "right, given a valid workflow"),
    ("steps", "steps of a workflow"),
    ("steps_per_workflow", "steps of a workflow"),
    ("worker_bits", "entropy of the workers, bits"),
    ("regret", "expected accuracy of the optimum minus the accuracy"),
)
"""Figures of exams that the card shows where they are there, and what they are: those of
`measure.Figures` in the lab, those of `scoring.step_metrics` on real tasks."""


def run_facts(run: Path) -> dict[str, Any]:
    """What `resolved.json` of a run's directory says; empty where there is none.

    Raises:
        ConfigError: it is damaged.
    """
    path = run / "resolved.json"
    try:
        found: dict[str, Any] = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as err:
        raise ConfigError(f"cannot read {path}: {err}") from err
    return found


def card_text(name: str, trained: Trained, run: Path, licence: str) -> str:
    """The card as Markdown.

    Args:
        name: of the weights.
        trained: how they are to be asked.
        run: directory of the run that made them; what is missing there is left out.
        licence: SPDX name.
    """
    facts = run_facts(run)
    parts = [
        f"---\nlicense: {licence.lower()}\nlibrary_name: transformers\n"
        "pipeline_tag: text-generation\ntags: [partbook, orchestration, grpo]\n---",
        f"# {name}",
        "A Conductor: it reads a question and the cards of a pool of workers, and writes a "
        "workflow (who does what, and who reads whose answer). It answers no questions itself. The "
        "method is that of arXiv:2512.04388; it was trained with Partbook.",
        _use(name, trained),
        _data(facts),
        _figures(run),
        _limits(trained),
        f"## Licence\n\n{licence}."
        + (f" It lies over `{trained.base}`, which has its own." if trained.base else ""),
        _origin(facts),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _use(name: str, trained: Trained) -> str:
    styles = {
        "paper": "the whole prompt of the paper: instructions, examples, pool, question",
        "bare": "cards with their numbers and the question, as text that it goes on with",
        "cards": "cards with their numbers and the question, as one message of a chat",
    }
    example = (
        ""
        if trained.style == "paper"
        else ("\n\n```\nsums (0)\nsorting (1)\nQuestion: What is 3 plus 4?\n```")
    )
    return (
        f"## Use\n\n`partbook run --conductor {name} QUESTION`, with the path of these files.\n\n"
        f"Prompt style: `{trained.style}`, {styles[trained.style]}. It writes up to "
        f"{trained.max_tokens} tokens, and is asked for its likeliest text.{example}"
    )


def _data(facts: Mapping[str, Any]) -> str:
    preset = facts.get("preset")
    if not isinstance(preset, dict):
        return ""
    grpo, warm, data = preset["grpo"], preset["warm_start"], preset["data"]
    problems = (
        "Problems and workers are those of Partbook's lab: generated questions of 1 to 4 parts and "
        "scripted workers"
    )
    if data["tasks"]:
        problems = (
            f"Problems are those of {', '.join(data['tasks'])} (split {data['split']}), workers "
            f"those of the pool `{data['pool']}`"
        )
    taught = (
        f" Warm start: {warm['steps']} supervised steps of {warm['batch']} demonstrations, written "
        "by a program."
        if warm["steps"]
        else ""
    )
    return (
        f"## Data and pool\n\nPreset `{preset['name']}`: {preset['about']}\n\n{problems}, whose "
        f"order is drawn anew for every problem.{taught} GRPO: {grpo['steps']} updates, each of "
        f"{grpo['problems']} problems with {grpo['rollouts']} rollouts."
    )


def _figures(run: Path) -> str:
    folder = RunFolder(run)
    if not folder.metrics_file.exists():
        return "## Figures\n\nNone: these weights came without the metrics of their run."
    evaluated = folder.metrics("greedy")
    if not evaluated:
        return "## Figures\n\nNone: the run was not evaluated."
    first, last = evaluated[0], evaluated[-1]
    rows = "\n".join(
        f"| {what} | {_number(first.get(key))} | {_number(last.get(key))} |"
        for key, what in _SHOWN
        if key in first or key in last
    )
    return (
        f"## Figures\n\nOn {last.get('problems')} held-out problems, likeliest text, one answer "
        f"each.\n\n| | step {first['step']} | step {last['step']} |\n"
        f"|---|---|---|\n{rows}"
    )


def _limits(trained: Trained) -> str:
    pool = (
        ""
        if trained.style == "paper"
        else (
            " It saw no instructions in training, so it knows only this kind of prompt, and "
            "cards in other words than those of its training may mean nothing to it."
        )
    )
    return (
        "## Limits\n\nIt was trained on English questions and on the pool above, with the "
        f"figures above; nothing is known about others.{pool} A workflow can be invalid, or valid "
        "and useless; Partbook then plays a fixed one, or the answer is wrong. Its text is data "
        "and is never run."
    )


def _origin(facts: Mapping[str, Any]) -> str:
    if not facts:
        return ""
    versions = ", ".join(f"{name} {number}" for name, number in facts["versions"].items())
    commit = f", commit {facts['commit']}" if facts.get("commit") else ""
    return f"## Origin\n\nSeed {facts['seed']}{commit}; {versions}."


def _number(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else "" if value is None else str(value)
