"""Workflows as TOML that people read, edit and share: from a plan, from a run, or to begin with.

What is written reads back as the same workflow. Of a run, the words of its steps are written and
not its question; those words may still quote it.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path

from partbook.cli.opening import closed_pool
from partbook.cli.plain import head
from partbook.config import PoolConfig, workflow_names
from partbook.errors import ConfigError
from partbook.fixed import FixedStep, FixedWorkflow
from partbook.rounds import standing
from partbook.trace import Trace
from partbook.workflow import Workflow

__all__ = [
    "SKETCH",
    "by_roles",
    "check_name",
    "fixed_of",
    "workflow_in_run",
    "workflow_text",
    "write_workflow",
]

SKETCH = FixedWorkflow(
    "",
    "What it is for, in a sentence.",
    (
        FixedStep("general", "Say what the first worker is to do with the question."),
        FixedStep("check", "Say what the second worker is to do with the answer above.", (0,)),
    ),
)
"""What a new file begins with."""

_HELP = """\
# worker: a worker's name, a role (general, write, check, code, run, ...), or role#2 for the second
#         worker with it
# subtask: what it is to do; every worker sees the question besides
# access: steps whose answers it reads, counted from 0; the last step's answer is the answer
"""


def workflow_text(workflow: FixedWorkflow, origin: str = "") -> str:
    """The workflow as a TOML file.

    Args:
        workflow: 1 or more steps.
        origin: where it comes from, for a comment.
    """
    said = f"# {head(origin)}\n" if origin else ""  # a comment holds no control character
    lines = [said + f"name = {_quoted(workflow.name)}", f"about = {_quoted(workflow.about)}", ""]
    lines.append(_HELP)
    for step in workflow.steps:
        lines += ["[[steps]]", f"worker = {_quoted(step.worker)}"]
        lines.append(f"subtask = {_quoted(step.subtask.strip())}")
        if step.access:
            lines.append(f"access = {list(step.access)}")
        lines.append("")
    return "\n".join(lines)


def _quoted(text: str) -> str:
    """A TOML string (TOML 1.0, "String"): JSON's escapes are among those of its basic strings."""
    text = text.encode("utf-8", "replace").decode("utf-8")  # half a surrogate pair has no UTF-8
    if "\n" not in text:
        return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
    lines = (json.dumps(line, ensure_ascii=False)[1:-1] for line in text.split("\n"))
    return '"""\n' + "\n".join(lines).replace("\x7f", "\\u007f") + '"""'


def write_workflow(path: Path, text: str) -> None:
    """Write a new file.

    Raises:
        ConfigError: there is one already, or it cannot be written.
    """
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as err:
        raise ConfigError(f"{path} is there already; take another name, or move it away") from err
    except OSError as err:
        raise ConfigError(f"cannot write {path}: {err.strerror or err}") from err


def fixed_of(
    workflow: Workflow, workers: Sequence[str], name: str, about: str = ""
) -> FixedWorkflow:
    """A played or planned workflow, with its workers by name.

    Raises:
        ConfigError: a step reads the answer of an earlier round, which a file cannot say.
    """
    for i, step in enumerate(workflow.steps):
        if step.before:
            raise ConfigError(
                f"step {i} reads the answer of the round before, which a workflow file cannot say; "
                "take an earlier round with --round"
            )
    steps = (FixedStep(workers[step.worker], step.subtask, step.access) for step in workflow.steps)
    return FixedWorkflow(name, about, tuple(steps))


def workflow_in_run(trace: Trace, index: int | None = None) -> Workflow:
    """The workflow whose answer is the run's, or that of the round that is asked for.

    Raises:
        ConfigError: there is none; the message says in which rounds there is one.
    """
    planned = [i for i, round_ in enumerate(trace.rounds) if round_.workflow is not None]
    if index is None:
        found = standing(trace, len(trace.rounds))
        index = found.round if found is not None else planned[-1] if planned else -1
    workflow = trace.rounds[index].workflow if index in planned else None
    if workflow is None:
        there = f"there is one in round {', '.join(map(str, planned))}" if planned else "none has"
        raise ConfigError(f"run {trace.run_id}: no workflow in round {max(index, 0)}; {there}")
    return workflow


def by_roles(workflow: FixedWorkflow, config: PoolConfig) -> FixedWorkflow:
    """The workflow with a role in place of each worker's name, so that it fits other pools.

    A worker without a role keeps its name.
    """
    steps = (
        FixedStep(_role(step.worker, config), step.subtask, step.access) for step in workflow.steps
    )
    return FixedWorkflow(workflow.name, workflow.about, tuple(steps))


def _role(name: str, config: PoolConfig) -> str:
    pool = closed_pool(config)
    spec = config.workers[pool.find(name)]
    alike = [[w.name for w in config.workers if role in w.roles] for role in spec.roles]
    first = (role for role, names in zip(spec.roles, alike, strict=True) if names[0] == spec.name)
    if role := next(first, ""):
        return role
    return f"{spec.roles[0]}#{alike[0].index(spec.name) + 1}" if spec.roles else name


def check_name(name: str) -> None:
    """Refuse a name that no file can have, or that means a workflow of the package.

    Raises:
        ConfigError: says why.
    """
    if not re.fullmatch(r"[^\W_][\w.-]{0,63}", name):
        raise ConfigError(
            f"a name of up to 64 letters, digits, - and _ was expected, found {name[:80]!r}"
        )
    if name in workflow_names():
        raise ConfigError(f"{name!r} comes along with Partbook; take another name")
