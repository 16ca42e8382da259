"""Partbook: a Conductor writes a workflow in plain language, and a pool of workers plays it.

What stands in `__all__` is the stable surface for programs and notebooks (docs/stability.md). Each
name is imported on its first use, so that `import partbook` takes no time, and a program that
needs only values does not load what opens models.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from partbook.api import Orchestra as Orchestra
    from partbook.api import ask as ask
    from partbook.api import draw as draw
    from partbook.api import evaluate_systems as evaluate_systems
    from partbook.api import opened as opened
    from partbook.api import report as report
    from partbook.budget import Limits as Limits
    from partbook.config import load_pool as load_pool
    from partbook.config import load_workflow as load_workflow
    from partbook.config import pool_names as pool_names
    from partbook.config import workflow_names as workflow_names
    from partbook.errors import BudgetError as BudgetError
    from partbook.errors import ConfigError as ConfigError
    from partbook.errors import ParseError as ParseError
    from partbook.errors import PartbookError as PartbookError
    from partbook.errors import StoreError as StoreError
    from partbook.errors import WorkerError as WorkerError
    from partbook.errors import WorkflowError as WorkflowError
    from partbook.evaluate.reporting.summary import Summary as Summary
    from partbook.message import Completion as Completion
    from partbook.message import Message as Message
    from partbook.message import Sampling as Sampling
    from partbook.message import Usage as Usage
    from partbook.model import ChatModel as ChatModel
    from partbook.pool import AgentPool as AgentPool
    from partbook.pool import Worker as Worker
    from partbook.pool import WorkerSpec as WorkerSpec
    from partbook.price import Price as Price
    from partbook.trace import Trace as Trace
    from partbook.trace_json import trace_from_dict as trace_from_dict
    from partbook.trace_json import trace_to_dict as trace_to_dict
    from partbook.workflow import Step as Step
    from partbook.workflow import Workflow as Workflow

_FROM = {
    "partbook.api": ("Orchestra", "ask", "draw", "evaluate_systems", "opened", "report"),
    "partbook.budget": ("Limits",),
    "partbook.config": ("load_pool", "load_workflow", "pool_names", "workflow_names"),
    "partbook.errors": (
        "BudgetError",
        "ConfigError",
        "ParseError",
        "PartbookError",
        "StoreError",
        "WorkerError",
        "WorkflowError",
    ),
    "partbook.evaluate.reporting.summary": ("Summary",),
    "partbook.message": ("Completion", "Message", "Sampling", "Usage"),
    "partbook.model": ("ChatModel",),
    "partbook.pool": ("AgentPool", "Worker", "WorkerSpec"),
    "partbook.price": ("Price",),
    "partbook.trace": ("Trace",),
    "partbook.trace_json": ("trace_from_dict", "trace_to_dict"),
    "partbook.workflow": ("Step", "Workflow"),
}
"""The same as above, for the interpreter; tests/test_api.py holds the two together."""

_MODULE_OF = {name: module for module, names in _FROM.items() for name in names}

__all__ = ["__version__", *_MODULE_OF]


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415 - reads files

        return version("partbook")
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'partbook' has no attribute {name!r}")
    found = getattr(import_module(_MODULE_OF[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
