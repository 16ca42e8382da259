"""Curves of one run as a picture: what reward did to the format, and what to the orchestration.

Six panels, light, each with its axes named. Accuracy is drawn beside accuracy given a valid
workflow, because a curve that rises only in the first is a curve of format.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from partbook.errors import ConfigError
from partbook.train.run_folder import RunFolder

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_run"]

_BLUE, _ORANGE, _GREEN = "#1f6feb", "#d9730d", "#2a9d5c"
_PURPLE, _GREY = "#8250df", "#6e7781"

Lines = Sequence[Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class _Panel:
    """One pair of axes."""

    title: str
    unit: str
    """What the vertical axis counts."""
    curves: tuple[tuple[str, str, str], ...]
    """Key of the step metrics, words for it, colour."""
    exams: str = ""
    """Key of the evaluations that belongs here; empty: none."""
    is_share: bool = False
    """Whether it runs from 0 to 1."""


_PANELS = (
    _Panel(
        "Right answers",
        "share of rollouts",
        (
            ("accuracy", "training", _BLUE),
            ("accuracy_given_valid", "training, given a valid workflow", _ORANGE),
        ),
        exams="accuracy",
        is_share=True,
    ),
    _Panel(
        "Valid workflows",
        "share of rollouts",
        (("valid", "training", _BLUE),),
        exams="valid",
        is_share=True,
    ),
    _Panel(
        "Steps per workflow",
        "steps",
        (("steps_per_workflow", "training", _BLUE),),
        exams="steps",
    ),
    _Panel(
        "Entropy of the workers' shares",
        "bits",
        (("worker_bits", "training", _BLUE),),
        exams="worker_bits",
    ),
    _Panel("Entropy of the policy", "nats per token", (("entropy", "training", _BLUE),)),
    _Panel(
        "Groups and rollouts without effect",
        "share",
        (
            ("frac_reward_zero_std", "groups without spread", _GREY),
            ("lost", "rollouts without a reward", _ORANGE),
        ),
        is_share=True,
    ),
)
_EXAMS = (
    ("greedy", "held out, greedy", _GREEN, "o"),
    ("sampled", "held out, sampled", _PURPLE, "s"),
)


def plot_run(folder: RunFolder, target: Path) -> None:
    """Draw what was measured at every step, and the evaluations as points.

    Raises:
        ConfigError: there is no run in the folder, it has no steps yet, or the picture cannot be
            written.
    """
    steps = folder.metrics("step")
    if not steps:
        raise ConfigError(f"{folder.path} holds a run without a finished step: nothing to draw")
    exams = {kind: folder.metrics(kind) for kind, *_ in _EXAMS}
    # A figure without pyplot has no window and no global state.
    figure = Figure(figsize=(13, 7.2), layout="constrained", facecolor="white")
    for place, panel in enumerate(_PANELS, start=1):
        _draw(figure.add_subplot(2, 3, place), panel, steps, exams)
    figure.suptitle(f"{folder.path.name}: {len(steps)} steps", fontsize=14)
    try:
        figure.savefig(target, dpi=110)
    except (OSError, ValueError) as err:
        raise ConfigError(f"cannot write the picture {target}: {err}") from err


def _draw(axis: "Axes", panel: _Panel, steps: Lines, exams: Mapping[str, Lines]) -> None:
    for key, words, colour in panel.curves:
        x, y = _points(steps, key)
        if not x:
            continue
        axis.plot(x, y, color=colour, linewidth=0.8, alpha=0.35)
        axis.plot(x, _smooth(y), color=colour, linewidth=1.8, label=words)
    for kind, words, colour, mark in _EXAMS if panel.exams else ():
        # Exams on real tasks have the names of a step's metrics.
        key = panel.exams if panel.exams != "steps" else _steps_key(exams[kind])
        x, y = _points(exams[kind], key)
        if x:
            axis.plot(x, y, mark, color=colour, markersize=6, markeredgecolor="white", label=words)
    axis.set_title(panel.title, fontsize=11, loc="left")
    axis.set_xlabel("step")
    axis.set_ylabel(panel.unit)
    axis.set_ylim(-0.02 if panel.is_share else 0, 1.02 if panel.is_share else None)
    axis.grid(color="#d0d7de", linewidth=0.6)
    axis.set_axisbelow(True)
    axis.spines[["top", "right"]].set_visible(False)
    if axis.get_legend_handles_labels()[0]:
        axis.legend(fontsize=8, frameon=False, loc="best")


def _steps_key(lines: Lines) -> str:
    return "steps" if any("steps" in line for line in lines) else "steps_per_workflow"


def _points(lines: Lines, key: str) -> tuple[list[float], list[float]]:
    found = [
        (float(str(line["step"])), float(str(line[key])))
        for line in lines
        if line.get(key) is not None
    ]
    return [step for step, _ in found], [value for _, value in found]


def _smooth(values: Sequence[float]) -> list[float]:
    """Mean of each value and those around it: a twentieth of the curve to either side."""
    reach = len(values) // 20
    windows = (values[max(0, i - reach) : i + reach + 1] for i in range(len(values)))
    return [sum(window) / len(window) for window in windows]
