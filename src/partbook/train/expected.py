"""What a preset expects of its run, so that memory, calls and money can be said beforehand."""

from dataclasses import dataclass

from partbook.toml_table import Table

__all__ = ["Estimate", "take_estimate"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """What is needed to say beforehand what a run takes; 0: unknown."""

    parameters: float = 0.0
    """Weights of a pretrained model."""
    hidden: int = 0
    inner: int = 0
    layers: int = 0
    vocabulary: int = 0
    """Its sizes, as those of a net from scratch."""
    cached: int = 0
    """Width of a layer's keys, which is that of its values."""
    prompt_tokens: int = 0
    """A long prompt."""
    steps_per_workflow: float = 3.0
    """The paper's average (arXiv:2512.04388, section 4.2)."""
    usd_per_call: float = 0.0
    """Mean price of a worker's answer."""
    read_tokens: int = 0
    """What a worker reads for an answer, for a pool with prices."""
    written_tokens: int = 0
    """What it writes."""


def take_estimate(table: Table) -> Estimate:
    """Read the table `estimate` of a preset.

    Raises:
        ConfigError: a value is of the wrong type, or a key is unknown.
    """
    usual = Estimate()
    estimate = Estimate(
        parameters=table.take("parameters", float, usual.parameters),
        hidden=table.take("hidden", int, usual.hidden),
        inner=table.take("inner", int, usual.inner),
        layers=table.take("layers", int, usual.layers),
        vocabulary=table.take("vocabulary", int, usual.vocabulary),
        cached=table.take("cached", int, usual.cached),
        prompt_tokens=table.take("prompt_tokens", int, usual.prompt_tokens),
        steps_per_workflow=table.take("steps_per_workflow", float, usual.steps_per_workflow),
        usd_per_call=table.take("usd_per_call", float, usual.usd_per_call),
        read_tokens=table.take("read_tokens", int, usual.read_tokens),
        written_tokens=table.take("written_tokens", int, usual.written_tokens),
    )
    table.done()
    return estimate
