"""Exports a trained policy: as a folder in Hugging Face form, or as one GGUF file.

A policy is a folder with a whole net, or with a LoRA adapter that PEFT saved. How it wants to be
asked goes along in every form. A folder needs no net to be opened: its files are copied.
"""

import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from partbook.errors import ConfigError
from partbook.models.registry import model_files
from partbook.models.trained import Trained, trained_in_folder, write_trained
from partbook.prompt import prompt_style
from partbook.train.card import card_text, run_facts
from partbook.train.gguf_weights import write_adapter, write_model
from partbook.train.gguf_words import TEXT_ALONE
from partbook.train.policy import open_net

__all__ = ["Exported", "found_policy"]

_ADAPTER = "adapter_config.json"

_KEPT = (".json", ".safetensors", ".jinja", ".txt", ".model")
"""Endings of the files that make up a net; a run may leave others beside them."""


@dataclass(frozen=True, slots=True)
class Exported:
    """A policy that is about to be exported."""

    folder: Path
    """Where its weights are."""
    run: Path
    """Directory of its run; the figures of the card come from there."""
    trained: Trained

    @property
    def is_adapter(self) -> bool:
        """Whether it is an adapter and no whole net."""
        return (self.folder / _ADAPTER).is_file()

    def to_folder(self, out: Path, licence: str) -> None:
        """Write a folder with the weights, the model card and `partbook.json`.

        Raises:
            ConfigError: the folder exists and is not empty, or cannot be written.
        """
        try:
            if out.exists() and any(out.iterdir()):
                raise ConfigError(f"{out} is not empty; name a new folder with --out")
            out.mkdir(parents=True, exist_ok=True)
            for path in sorted(self.folder.iterdir()):
                if path.suffix in _KEPT:
                    shutil.copyfile(path, out / path.name)
            template = out / "chat_template.jinja"
            if self.trained.style == "bare" and not template.exists():
                # Whoever serves it as a chat model gives it the text alone.
                template.write_text(TEXT_ALONE, encoding="utf-8")
            write_trained(self.trained, out)
            card = card_text(out.name, self.trained, self.run, licence)
            (out / "README.md").write_text(card, encoding="utf-8")
        except OSError as err:
            raise ConfigError(f"cannot write {out}: {err.strerror or err}") from err

    def to_gguf(self, out: Path, licence: str) -> None:
        """Write one GGUF file, and the model card beside it.

        Raises:
            ConfigError: a file exists or cannot be written, llama.cpp has no such net, or an
                adapter's base is not named or not here.
        """
        if out.suffix != ".gguf":
            raise ConfigError(f"--out: a file that ends in .gguf was expected, found {out}")
        beside = out.with_suffix(".md")
        for path in (out, beside):
            if path.exists():
                raise ConfigError(f"{path} exists; name a new file with --out")
        card = card_text(out.name, self.trained, self.run, licence)
        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            beside.write_text(card, encoding="utf-8")
        except OSError as err:
            raise ConfigError(f"cannot write {beside}: {err.strerror or err}") from err
        try:
            if self.is_adapter:
                write_adapter(self.folder, self._base(), self.trained, out)
            else:
                write_model(open_net(str(self.folder)), self.trained, out)
        except ConfigError:
            for path in (out, beside):
                path.unlink(missing_ok=True)  # half a file looks like a whole one
            raise

    def _base(self) -> Path:
        if not self.trained.base:
            raise ConfigError(
                f"{self.folder} is an adapter; say by --base which model of the registry it lies "
                "over"
            )
        return model_files(self.trained.base)[0]


def found_policy(policy: Path, style: str = "", max_tokens: int = 0, base: str = "") -> Exported:
    """The policy in a folder, or in the directory of a run.

    Args:
        policy: the folder or the directory.
        style: prompt style; empty: what is kept with the weights or in the run.
        max_tokens: longest text; 0: likewise.
        base: name of the model under an adapter; empty: likewise.

    Raises:
        ConfigError: there is none, or how it was asked is said nowhere.
    """
    folder = policy / "policy" if (policy / "policy").is_dir() else policy
    if not any((folder / name).is_file() for name in ("config.json", _ADAPTER)):
        raise ConfigError(f"{policy} holds no policy: there is no config.json")
    run = folder.absolute().parent
    kept = trained_in_folder(folder) or _of_run(run)
    if kept is None and not (style and max_tokens):
        raise ConfigError(
            f"how {folder} was asked in training is said neither there nor in {run}; say it by "
            "--style and --max-tokens"
        )
    trained = kept or Trained("paper", max_tokens)
    return Exported(
        folder,
        run,
        replace(
            trained,
            style=prompt_style(style) if style else trained.style,
            max_tokens=max_tokens or trained.max_tokens,
            base=base or trained.base,
        ),
    )


def _of_run(run: Path) -> Trained | None:
    preset = run_facts(run).get("preset")
    if not isinstance(preset, dict):
        return None
    return Trained(prompt_style(preset["prompt_style"]), preset["max_completion"])
