"""Data: which problems a run trains on, and whom its workflows may call.

The table `data` of a preset. Without tasks a run is in the lab, whose problems and workers are both
generated; with tasks it is on real problems and a pool of real workers.
"""

from dataclasses import dataclass

from partbook.errors import ConfigError
from partbook.toml_table import Table
from partbook.train.recipe import take_count

__all__ = ["Data", "take_data"]


@dataclass(frozen=True, slots=True)
class Data:
    """Where rows come from."""

    tasks: tuple[str, ...] = ()
    """Names or files of tasks, as `partbook task` takes them; empty: the lab."""
    split: str = "train"
    """Of the problems to train on; a task file is used whole where it has no such split."""
    held_out: str = "validation"
    """Of the problems to evaluate on, in the same way."""
    limit: int = 0
    """Problems to train on, equally many of each task; 0: all."""
    files: str = ""
    """Folder with one folder of files per published task; empty: the hub."""
    pool: str = ""
    """Name of a pool or its file."""
    workers: tuple[str, ...] = ()
    """Those of the pool who may be called; empty: all."""
    subset: int = 0
    """How many of them a row shows, drawn anew for each (arXiv:2512.04388, 3.2); 0: all."""
    worker_tokens: int = 0
    """Most tokens of a worker's answer; 0: as the pool says."""
    grader: str = ""
    """The worker of the pool that judges where a rubric does; empty: none."""

    @property
    def is_lab(self) -> bool:
        """Whether problems and workers are the lab's."""
        return not self.tasks


def take_data(table: Table) -> Data:
    """Read the table `data` of a preset.

    Raises:
        ConfigError: a value is wrong, a key is unknown, or tasks have no pool.
    """
    usual = Data()
    data = Data(
        tasks=table.take_list("tasks", str),
        split=table.take("split", str, usual.split),
        held_out=table.take("held_out", str, usual.held_out),
        limit=take_count(table, "limit", usual.limit),
        files=table.take("files", str, usual.files),
        pool=table.take("pool", str, usual.pool),
        workers=table.take_list("workers", str),
        subset=take_count(table, "subset", usual.subset),
        worker_tokens=take_count(table, "worker_tokens", usual.worker_tokens),
        grader=table.take("grader", str, usual.grader),
    )
    table.done()
    if data.tasks and not data.pool:
        raise ConfigError(f"{table.where}: tasks need a `pool` whose workers are called")
    if data.pool and not data.tasks:
        raise ConfigError(f"{table.where}: a pool needs `tasks`; without tasks, the lab is used")
    return data
