"""Conductors as systems: prompted, trained, and in two rounds.

`conduct.Conductor` is a language model that gets the paper's prompt and is asked twice where its
text holds no workflow. `Policy` is one that was trained: asked once, in the style in which it was
trained. `Recursive` has either of them look at its answer again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from partbook.conduct import Conductor, Proposer
from partbook.errors import ConfigError, ParseError
from partbook.evaluate.system import Sitting
from partbook.event import Planned
from partbook.message import Message
from partbook.pool import AgentPool
from partbook.prompt import conductor_messages
from partbook.stage import Stage
from partbook.workflow import MAX_STEPS

__all__ = ["Conducted", "Policy", "PromptOf", "Recursive", "looking_again", "paper_prompt"]

PromptOf = Callable[[str, AgentPool], Sequence[Message]]
"""What a Conductor is shown: (question, pool) -> messages."""


def paper_prompt(question: str, pool: AgentPool) -> tuple[Message, ...]:
    """The prompt of a Conductor that is a language model, with the workers' names hidden."""
    return conductor_messages(question, pool, MAX_STEPS)


@dataclass(frozen=True, slots=True)
class Policy(Conductor):
    """Proposes what a trained Conductor writes.

    A text without a workflow is not asked for again: in training it is worth nothing, and a policy
    of a bare prompt knows no second turn.
    """

    prompt: PromptOf = paper_prompt
    """The style in which it was trained."""

    async def propose(self, stage: Stage, round_index: int) -> Planned | None:
        """As `conduct.Proposer.propose`."""
        messages = self._messages(stage)
        try:
            workflow = await self._text(stage, round_index, 0, messages)
        except ParseError as err:
            if stage.before is not None and err.reason == "empty_plan":
                return None  # it keeps the answer
            if stage.before is not None or self.fallback is None:
                raise
            resolved = self.fallback.resolve(stage.pool)
            return Planned(round_index, resolved, "fallback", self.fallback.name)
        return Planned(round_index, workflow, "conductor")

    def _messages(self, stage: Stage) -> tuple[Message, ...]:
        """A later round is one message, too: the question ends with the answer that stands."""
        answer = stage.turns[-1].answer if stage.turns else None
        question = stage.question if answer is None else looking_again(stage.question, answer)
        return tuple(self.prompt(question, stage.pool))


@dataclass(frozen=True, slots=True)
class Conducted:
    """A Conductor, one round."""

    name: str
    proposer: Proposer

    async def answer(self, sitting: Sitting) -> str | None:
        """As `System.answer`; the Conductor's call, a second one at most, and one for each step."""
        return (await sitting.play(self.proposer)).answer


@dataclass(frozen=True, slots=True)
class Recursive:
    """A Conductor that conducts again once it has seen the answer of the round before.

    All rounds are one run (arXiv:2512.04388, Figure 14; `rounds.py`): three empty lists keep the
    answer, only steps with access to everything see it, and a later round that brings none leaves
    the earlier one standing.
    """

    name: str
    proposer: Proposer
    rounds: int = 2
    """The paper evaluates two: one recursion."""

    def __post_init__(self) -> None:
        if self.rounds < 1:
            raise ConfigError(f"a Conductor has at least 1 round, found {self.rounds}")

    async def answer(self, sitting: Sitting) -> str | None:
        """As `System.answer`; the calls of every round."""
        return (await sitting.play(self.proposer, rounds=self.rounds)).answer


def looking_again(question: str, answer: str) -> str:
    """The question of a later round: where other wirings of recursion begin."""
    return (
        f"{question}\n\nAn earlier attempt gave the answer below. It may be right or wrong: keep "
        f"it if it is right, else give a better one.\n<earlier_attempt>\n{answer}\n"
        "</earlier_attempt>"
    )
