"""Fixed workflows: plans written by people, with workers named by name or role.

They are used where no Conductor is wanted (`--workflow`), and in its place where its text could not
be parsed. How they are written in TOML is left to `config.py`.
"""

from dataclasses import dataclass

from partbook.errors import ConfigError, WorkflowError
from partbook.pool import AgentPool
from partbook.workflow import Step, Workflow

__all__ = ["FixedStep", "FixedWorkflow"]


@dataclass(frozen=True, slots=True)
class FixedStep:
    """A step for whoever has this name or role."""

    worker: str
    """A worker's name, a role, or `role#2` for the second worker with this role; where fewer have
    it, counting starts again at the first."""
    subtask: str
    access: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class FixedWorkflow:
    """A workflow with a name, for any pool that has the workers it asks for."""

    name: str
    about: str
    steps: tuple[FixedStep, ...]

    def resolve(self, pool: AgentPool) -> Workflow:
        """The workflow on this pool.

        Raises:
            ConfigError: nobody has a name or role that a step asks for, or a step breaks a rule.
        """
        try:
            return Workflow(
                tuple(Step(pool.find(s.worker), s.subtask, s.access) for s in self.steps)
            )
        except (ConfigError, WorkflowError) as err:
            raise ConfigError(f"workflow {self.name!r}: {err}") from err

    def fits(self, pool: AgentPool) -> bool:
        """Whether the pool has everybody whom it asks for."""
        try:
            self.resolve(pool)
        except ConfigError:
            return False
        return True
