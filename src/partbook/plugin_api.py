"""What a plug-in is written with: the stable surface for packages that extend Partbook.

A package names objects of these types under the groups of `GROUPS` in its `pyproject.toml`;
docs/plugins.md shows how, and `examples/plugin` is a whole package. Everything else that is
imported here is what such code needs. Names of this module are kept as docs/stability.md says;
names of other modules may move.
"""

from partbook.errors import ConfigError, WorkerError
from partbook.evaluate.system import Sitting, System
from partbook.evaluate.systems.asking import Given, ask
from partbook.evaluate.systems.system_plugin import SystemPlugin, SystemWanted
from partbook.message import Completion, Message, Sampling, Usage
from partbook.model import ChatModel, OnText
from partbook.plugins import API_VERSION, GROUPS
from partbook.pool import AgentPool, WorkerSpec
from partbook.secret import Secret
from partbook.tasks.judges.judge import Judge, JudgePlugin
from partbook.tasks.judges.verdict import Verdict
from partbook.tasks.problem import Problem, Task
from partbook.tasks.task_plugin import TaskPlugin, TaskWanted
from partbook.worker_plugin import WorkerPlugin
from partbook.workflow import Step, Workflow

__all__ = [
    "API_VERSION",
    "GROUPS",
    "AgentPool",
    "ChatModel",
    "Completion",
    "ConfigError",
    "Given",
    "Judge",
    "JudgePlugin",
    "Message",
    "OnText",
    "Problem",
    "Sampling",
    "Secret",
    "Sitting",
    "Step",
    "System",
    "SystemPlugin",
    "SystemWanted",
    "Task",
    "TaskPlugin",
    "TaskWanted",
    "Usage",
    "Verdict",
    "WorkerError",
    "WorkerPlugin",
    "WorkerSpec",
    "Workflow",
    "ask",
]
