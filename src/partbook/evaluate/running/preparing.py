"""Prepares systems that learn: measures the workers on another split, trains the routers, keeps it.

What it plays goes through the same desk as the cells, so it is under the limit of the whole
evaluation and no call of it is paid twice. What came of it lies beside the results.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from partbook.budget import Budget
from partbook.conduct import Conductor, Proposer
from partbook.errors import ConfigError
from partbook.evaluate.posed import Posed
from partbook.evaluate.running.calls import CallLog
from partbook.evaluate.running.desk import Desk
from partbook.evaluate.running.till import Purse
from partbook.evaluate.system import System
from partbook.evaluate.systems.asking import language_models
from partbook.evaluate.systems.building import Materials, build_systems
from partbook.evaluate.systems.catalogue import Choice
from partbook.evaluate.systems.conducted import Policy
from partbook.evaluate.systems.measured import Measured, Trial, measure, posed_trial
from partbook.evaluate.systems.wording import Wording
from partbook.pool import AgentPool
from partbook.store import Store, Tags
from partbook.trace import Trace

if TYPE_CHECKING:
    from partbook.evaluate.systems.encoder import Encoder

__all__ = ["MEASURED", "Preparation", "prepare"]

MEASURED = "measured.json"

_KEY = ("(measuring)", "(another split)", 0)
"""Under which the calls are kept; no system is named so."""

_BATCH = 200
"""Traces in one write."""


@dataclass(slots=True)
class Preparation:
    """What systems are prepared with."""

    pool: AgentPool
    """Numbers the workers, whatever order a problem has them in."""
    problems: Sequence[Posed]
    """Of another split than that which is reported on; empty where there is none."""
    wording: Wording
    seed: int
    folder: Path
    log: CallLog
    whole: Budget
    store: Store | None
    label: str
    encoder: "Encoder | None" = None
    conductor: Conductor | None = None
    policy: Policy | None = None
    say: Callable[[str], None] = lambda line: None
    traces: list[Trace] = field(default_factory=list)
    """Played and not yet kept."""

    async def play(
        self, question: str, pool: AgentPool, proposer: Proposer, rounds: int = 1
    ) -> Trace:
        """As `system.Play`.

        Raises:
            ConfigError: the limit of the whole evaluation is reached.
        """
        desk = Desk(_KEY, Purse(self.log, self.whole), Budget(), None)
        trace = await desk.conduct(question, pool, proposer, rounds)
        if desk.refused:
            raise ConfigError(
                f"--max-usd is reached while the workers are measured: {desk.refused}; what was "
                "paid for is kept, so the same command with a higher limit goes on"
            )
        self.traces.append(trace)
        if len(self.traces) >= _BATCH:
            self.keep()
        return trace

    def keep(self) -> None:
        """Write the traces to the store."""
        if self.store is not None and self.traces:
            tags = [Tags("measuring", f"{self.label}: measuring") for _ in self.traces]
            self.store.save_many(self.traces, tags)
        self.traces.clear()


async def prepare(choices: Sequence[Choice], preparation: Preparation) -> list[System]:
    """Make the systems, once what they need is there.

    Args:
        choices: what was asked for.
        preparation: what it takes.

    Raises:
        ConfigError: something is missing, or the limit of the whole evaluation is reached.
    """
    needs = {need for choice in choices for need in choice.needs}
    trial = posed_trial(preparation.problems, preparation.pool, preparation.play)
    measured: Measured | None = None
    if "measured" in needs:
        measured = await _measured(preparation, trial)
    learning = [choice.name for choice in choices if choice.kind in ("masrouter", "routerdc")]
    if learning:
        preparation.say(f"training {', '.join(learning)}")
    materials = Materials(
        preparation.pool,
        preparation.wording,
        preparation.seed,
        measured,
        trial,
        preparation.encoder,
        preparation.conductor,
        preparation.policy,
    )
    systems = await build_systems(choices, materials)
    preparation.keep()
    return systems


async def _measured(preparation: Preparation, trial: Trial) -> Measured:
    path = preparation.folder / MEASURED
    if path.exists():
        return Measured.from_json(path.read_text(encoding="utf-8"))
    problems = preparation.problems
    if not problems:
        raise ConfigError("systems that learn need problems of another split; there is none")
    workers = len(language_models(preparation.pool))
    preparation.say(f"measuring {workers} workers on {len(problems)} problems of another split")
    questions = [posed.question for posed in problems]
    measured = await measure(questions, preparation.pool, trial, preparation.wording)
    unknown = sum(right is None for row in measured.right for right in row)
    if unknown:
        # Another run tries again, and asks only for what is missing.
        preparation.say(f"{unknown} of {workers * len(problems)} answers could not be judged")
        return measured
    draft = path.with_suffix(".part")
    draft.write_text(measured.to_json(), encoding="utf-8")
    draft.replace(path)
    return measured
