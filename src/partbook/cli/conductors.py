"""Conductors from outside the pool: from what `--conductor` says to who is asked, and how.

| what it says | who conducts |
|---|---|
| `NAME` | weights that come with the package, or a model of the registry |
| `FILE.gguf` | a whole model; an adapter that names its model in its metadata, with that model |
| `MODEL+ADAPTER.gguf` | a model (a name or a file) under an adapter |
| `FOLDER`, `OWNER/NAME` | weights in Hugging Face form: a folder, or an id of the hub |
| `URL#MODEL`, `PRESET#MODEL` | an OpenAI-compatible endpoint, for example a vLLM that serves it |

A worker of the pool goes before all of them; `choosing.py` sees to that. The prompt style is the
one that is kept with the weights, else the paper's; `:paper`, `:bare` or `:cards` at the end says
otherwise, and has to where an endpoint serves weights that were trained in another one.
"""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from partbook.errors import ConfigError
from partbook.ledger import CONDUCTOR
from partbook.message import Sampling
from partbook.models.gguf import gguf_facts
from partbook.models.presets import PRESETS
from partbook.models.registry import known_models
from partbook.models.trained import Trained, trained_in_folder, trained_in_gguf
from partbook.pool import WorkerKind, WorkerSpec
from partbook.prompt import STYLES, PromptStyle

__all__ = ["CONDUCTOR_TOKENS", "Outside", "find_outside", "shipped_names"]

CONDUCTOR_TOKENS = 1024
"""What a model may write that was not trained to conduct (arXiv:2512.04388, appendix A.1)."""

MOST_CONTEXT = 8192
"""Memory is taken for the whole window of a model in this process, so it is bounded."""

_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")

_PIECES, _PIECE_BYTES = 16, 2**20
"""So much of a file is hashed: all of a small one, evenly spread pieces of a large one."""

_SHIPPED = Path(str(files("partbook"))) / "conductors"


@dataclass(frozen=True, slots=True)
class Outside:
    """A Conductor that is no worker of the pool."""

    text: str
    """What asks for it from any directory."""
    spec: WorkerSpec
    style: PromptStyle
    constrain: bool
    """Whether a grammar keeps it to the format."""
    files: tuple[Path, ...] = ()
    """What it is made of, as far as it lies on this machine under no name of the registry."""

    def fingerprint(self) -> str:
        """A hash of the files' contents; empty where there are none.

        It tells other weights apart: those of a large file differ everywhere.
        """
        if not self.files:
            return ""
        found = hashlib.sha256()
        for path in self.files:
            _take(found, path)
        return found.hexdigest()[:16]


def shipped_names() -> list[str]:
    """Names of the weights that come with the package."""
    return sorted(path.stem for path in _SHIPPED.glob("*.gguf"))


def find_outside(text: str, workers: Iterable[str] = (), where: str = "--conductor") -> Outside:
    """Find who is meant.

    Args:
        text: a row of the table above.
        workers: names that could have been meant too; for the message.
        where: what asks for it; for the message.

    Raises:
        ConfigError: it is none of them, or its files are not what they should be.
    """
    rest, _, end = text.rpartition(":")
    chosen = next((style for style in STYLES if style == end), None)
    who = rest if chosen else text
    place, _, model = who.partition("#")
    if model and ("://" in place or place in PRESETS):
        return _far(text, place, model, chosen)
    if who in shipped_names():
        return _gguf(who, _SHIPPED / f"{who}.gguf", chosen, shipped=True)
    base, plus, adapter = who.partition("+")
    known = {entry.name for entry in known_models()}
    if plus and adapter.endswith(".gguf") and (base in known or base.endswith(".gguf")):
        return _adapted(base, Path(adapter), chosen)
    if who in known:
        return _inside("local", who, who, chosen)
    path = Path(who)
    if who.endswith(".gguf"):
        return _gguf(who, path, chosen)
    if path.is_dir():
        return _folder(path.absolute(), chosen)
    if _HUB_ID.fullmatch(who):
        return _inside("torch", who, who, chosen)
    names = ", ".join([*workers, *shipped_names(), *sorted(known)])
    raise ConfigError(
        f"{where}: expected a worker of the pool or a model ({names}), a GGUF file, "
        "MODEL+ADAPTER.gguf, a folder or an id OWNER/NAME of the Hugging Face hub, or URL#MODEL; "
        f"found {text!r}"
    )


def _far(text: str, place: str, model: str, chosen: PromptStyle | None) -> Outside:
    style = chosen or "paper"
    # Policies are measured without chance; others are asked as their provider likes it.
    sampling = Sampling(CONDUCTOR_TOKENS, temperature=None if style == "paper" else 0.0)
    spec = WorkerSpec(CONDUCTOR, "http", model, place, sampling=sampling)
    return Outside(text, spec, style, constrain=False)


def _gguf(who: str, path: Path, chosen: PromptStyle | None, *, shipped: bool = False) -> Outside:
    """A GGUF file: a whole model, or an adapter that names the model it lies over."""
    path = path.absolute()
    facts = gguf_facts(path)
    trained = trained_in_gguf(path)
    name = who if shipped else str(path)
    if facts.get("general.type") != "adapter":
        return _inside("local", name, str(path), chosen, trained, (path,), _window(facts))
    if trained is None or not trained.base:
        raise ConfigError(f"{path} is an adapter; say what it lies over: --conductor MODEL+{who}")
    return _inside("local", name, f"{trained.base}+{path}", chosen, trained, (path,))


def _adapted(base: str, adapter: Path, chosen: PromptStyle | None) -> Outside:
    adapter = adapter.absolute()
    trained, over = trained_in_gguf(adapter), Path(base).absolute()
    if gguf_facts(adapter).get("general.type") != "adapter":
        raise ConfigError(f"{adapter} is a whole model, an adapter was expected after {base}+")
    if not base.endswith(".gguf"):
        name = f"{base}+{adapter}"
        return _inside("local", name, name, chosen, trained, (adapter,))
    name = f"{over}+{adapter}"
    window = _window(gguf_facts(over))
    return _inside("local", name, name, chosen, trained, (over, adapter), window)


def _folder(path: Path, chosen: PromptStyle | None) -> Outside:
    if not any((path / name).is_file() for name in ("config.json", "adapter_config.json")):
        raise ConfigError(f"--conductor: {path} holds no model: there is no config.json")
    parts = (part for part in path.iterdir() if part.suffix in (".json", ".safetensors", ".jinja"))
    trained = trained_in_folder(path)
    return _inside("torch", str(path), str(path), chosen, trained, tuple(sorted(parts)))


def _inside(
    kind: WorkerKind,
    name: str,
    model: str,
    chosen: PromptStyle | None,
    trained: Trained | None = None,
    parts: tuple[Path, ...] = (),
    window: int = 0,
) -> Outside:
    """One in this process: it writes its likeliest text, as it does where it is measured."""
    style: PromptStyle = chosen or (trained.style if trained else "paper")
    tokens = trained.max_tokens if trained else CONDUCTOR_TOKENS
    spec = WorkerSpec(
        CONDUCTOR,
        kind,
        model,
        sampling=Sampling(tokens, temperature=0.0),
        context_window=window or None,
        max_concurrency=1,
    )
    # A grammar helps a model that was not trained to write the format. One that was is left alone.
    constrain = kind == "local" and trained is None and style == "paper"
    text = name if chosen is None else f"{name}:{chosen}"
    return Outside(text, spec, style, constrain, parts)


def _window(facts: dict[str, int | str]) -> int:
    length = facts.get(f"{facts.get('general.architecture')}.context_length", 0)
    return min(length, MOST_CONTEXT) if isinstance(length, int) else 0


def _take(found: "hashlib._Hash", path: Path) -> None:
    try:
        size = path.stat().st_size
        found.update(f"{path.name} {size}".encode())
        with path.open("rb") as file:
            for i in range(_PIECES):
                file.seek(max(0, size - _PIECE_BYTES) * i // (_PIECES - 1))
                found.update(file.read(_PIECE_BYTES))
    except OSError as err:
        raise ConfigError(f"cannot read {path}: {err.strerror or err}") from err
