"""A system: different workers one after another, each reading what was said before it."""

from dataclasses import dataclass

from partbook.plugin_api import (
    ConfigError,
    Given,
    Sitting,
    Step,
    SystemPlugin,
    SystemWanted,
    Workflow,
)


@dataclass(frozen=True)
class Relay:
    """The last of `runners` workers answers; which ones is drawn anew for each problem."""

    name: str
    runners: int

    async def answer(self, sitting: Sitting) -> str | None:
        """One workflow of as many steps; everything random comes from the sitting."""
        workers = sitting.rng.sample(range(len(sitting.pool)), self.runners)
        steps = [
            Step(worker, "Answer the question. Mend what is wrong before you.", tuple(range(i)))
            for i, worker in enumerate(workers)
        ]
        return (await sitting.play(Given(Workflow(tuple(steps)), self.name))).answer


def made(wanted: SystemWanted) -> Relay:
    """Make it, or say why this pool will not do."""
    if wanted.number > len(wanted.pool):
        raise ConfigError(f"{wanted.name} needs {wanted.number} workers, there are fewer")
    return Relay(wanted.name, wanted.number)


PLUGIN = SystemPlugin(
    api=1,
    about="N different workers one after another",
    make=made,
    calls=lambda number, models: (number, number),
    number=2,
    least=1,
    most=5,
)
