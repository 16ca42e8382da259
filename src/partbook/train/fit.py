"""Does a run fit on this machine? Memory and disk, compared before anything is spent."""

import os
import shutil
from pathlib import Path

from partbook.errors import ConfigError, StoreError
from partbook.train.needs import needs_of
from partbook.train.preset import Preset

__all__ = ["available_bytes", "check_disk", "check_memory", "check_room"]

_GIB = 2**30


def available_bytes(root: Path = Path("/")) -> int | None:
    """Memory that a new process may take without anybody being pushed out; None: unknown.

    What the system calls available, or what the limit of a container leaves, if that is less.

    Args:
        root: where `proc` and `sys` are.
    """
    found = [_meminfo(root / "proc/meminfo"), _container(root / "sys/fs/cgroup")]
    known = [value for value in found if value is not None]
    if known:
        return min(known)
    try:
        # Not what is free but what there is: better than nothing where there is no /proc.
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return None


def _meminfo(path: Path) -> int | None:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    for line in lines:
        name, _, value = line.partition(":")
        if name == "MemAvailable":
            return int(value.split()[0]) * 1024
    return None


def _container(folder: Path) -> int | None:
    """What the limit of a control group leaves (Linux, cgroup v2)."""
    try:
        limit = (folder / "memory.max").read_text(encoding="utf-8").strip()
        used = (folder / "memory.current").read_text(encoding="utf-8").strip()
    except OSError:
        return None
    return max(0, int(limit) - int(used)) if limit.isdigit() and used.isdigit() else None


def check_memory(
    preset: Preset, available: int | None, processes: int = 1, *, shared: bool = False
) -> None:
    """Refuse a run for which there is too little memory.

    Args:
        preset: the run.
        available: bytes, on all devices and this machine together; None: unknown, nothing is said.
        processes: how many of them run here.
        shared: whether they share the weights among them; else each has its own.

    Raises:
        ConfigError: says what is needed, what for, and what there is.
    """
    if available is None:
        return
    needs = needs_of(preset)
    wanted = processes * needs.total_bytes - (processes - 1) * shared * needs.memory_bytes
    if wanted > available:
        times = f", in {processes} processes" if processes > 1 else ""
        raise ConfigError(
            f"preset {preset.name} needs about {wanted / _GIB:.1f} GiB of memory "
            f"({needs.memory_bytes / _GIB:.1f} for weights, gradients and moments, "
            f"{needs.work_bytes / _GIB:.1f} for a batch, {needs.program_bytes / _GIB:.1f} for the "
            f"program{times}); {available / _GIB:.1f} GiB are available. Smaller: more "
            "trainer.gradient_accumulation_steps with a smaller "
            "trainer.per_device_train_batch_size, policy.lora_rank, or another preset"
        )


def check_disk(preset: Preset, folder: Path) -> None:
    """Refuse a run whose checkpoints do not fit on the disk.

    Raises:
        ConfigError: says what is needed and what there is.
    """
    needs = needs_of(preset)
    free = _free(folder)
    if needs.disk_bytes > free:
        raise ConfigError(
            f"preset {preset.name} writes {needs.disk_bytes / _GIB:.2f} GiB of checkpoints to "
            f"{folder}, and {free / _GIB:.2f} GiB are free there; fewer at a time: "
            "trainer.save_total_limit"
        )


def check_room(folder: Path, checkpoint_bytes: float) -> None:
    """Refuse to begin a checkpoint that has no room.

    Raises:
        StoreError: says what is needed and what there is.
    """
    free = _free(folder)
    if checkpoint_bytes > free:
        raise StoreError(
            f"no room for a checkpoint of {checkpoint_bytes / 1e6:.1f} MB: {free / 1e6:.1f} MB are "
            f"free in {folder}"
        )


def _free(folder: Path) -> int:
    """Free bytes where a folder is or will be."""
    place = folder.resolve()
    while not place.exists():
        place = place.parent
    return shutil.disk_usage(place).free
