"""The directory of a training run: what it was made of, and what was measured on the way.

resolved.json    preset with all changes, seed, versions of libraries, git commit
metrics.jsonl    a line per update and per evaluation, in order of steps
checkpoint-N/    all that is needed to go on from step N
policy/          the policy at the end
"""

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from partbook.errors import ConfigError, StoreError

__all__ = ["RunFolder"]

_LIBRARIES = ("partbook", "torch", "transformers", "trl", "tokenizers", "accelerate")


@dataclass(frozen=True, slots=True)
class RunFolder:
    """A run's directory."""

    path: Path

    @property
    def metrics_file(self) -> Path:
        """One line of JSON per update and per evaluation."""
        return self.path / "metrics.jsonl"

    @property
    def policy(self) -> Path:
        """Where the trained policy is."""
        return self.path / "policy"

    def check_new(self) -> None:
        """Refuse a directory in which another run was begun.

        Raises:
            ConfigError: there is a run in it already.
        """
        if self.metrics_file.exists():
            raise ConfigError(
                f"{self.path} holds a run already; go on with it by --resume, or choose another "
                "--out"
            )

    def begin(self, resolved: Mapping[str, object], seed: int) -> None:
        """Make the directory and write down what the run is made of.

        Raises:
            ConfigError: there is a run in it already, or nothing can be written there.
        """
        self.check_new()
        facts = {
            "preset": dict(resolved),
            "seed": seed,
            "versions": {name: version(name) for name in _LIBRARIES},
            "commit": _commit(),
        }
        text = json.dumps(facts, indent=2, ensure_ascii=False)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            (self.path / "resolved.json").write_text(f"{text}\n", encoding="utf-8")
            self.metrics_file.touch()
        except OSError as err:
            raise ConfigError(f"cannot write to {self.path}: {err.strerror}") from err

    def add(self, kind: str, step: int, values: Mapping[str, object]) -> None:
        """Append a line to the metrics.

        Raises:
            StoreError: it cannot be written, as on a full disk.
        """
        line = json.dumps({"kind": kind, "step": step, **values}, ensure_ascii=False)
        try:
            with self.metrics_file.open("a", encoding="utf-8") as file:
                file.write(f"{line}\n")
        except OSError as err:
            raise StoreError(
                f"cannot write {self.metrics_file}: {err.strerror}; the checkpoints are whole: "
                "make room, then go on by --resume"
            ) from err

    def rewind(self, step: int) -> None:
        """Forget the metrics after a step: they are of updates that will be made again."""
        kept = [line for line in self.metrics() if int(str(line["step"])) <= step]
        text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in kept)
        written = self.metrics_file.with_suffix(".new")
        written.write_text(text, encoding="utf-8")
        written.replace(self.metrics_file)  # at once: a run may be killed here, too

    def metrics(self, kind: str = "") -> list[dict[str, object]]:
        """The lines of the metrics, of one kind or of all.

        A last line that was cut off when the run was killed is left out.

        Raises:
            ConfigError: there is no run in the directory.
        """
        try:
            text = self.metrics_file.read_text(encoding="utf-8")
        except OSError as err:
            raise ConfigError(f"no training run in {self.path}: {err.strerror}") from err
        lines: list[dict[str, object]] = []
        for line in text.splitlines():
            try:
                lines.append(json.loads(line))
            except ValueError:
                break
        return [line for line in lines if not kind or line["kind"] == kind]


def _commit() -> str:
    """The commit of the source, with `+` where it was changed; empty outside a checkout."""
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty=+"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
