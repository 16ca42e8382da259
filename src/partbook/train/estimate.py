"""Estimate: what a preset expects of its run, from which `needs.py` works out what it takes."""

from dataclasses import asdict, dataclass

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
    usual = asdict(Estimate())
    estimate = Estimate(**{key: table.take(key, type(usual[key]), usual[key]) for key in usual})
    table.done()
    return estimate
