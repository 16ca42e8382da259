"""Makes and checks the lock: exact versions and hashes of all that CI and developers install.

`make lock` resolves all of pyproject.toml at once with uv, for every system and Python that the
lock is for. Versions that stand in the lock are kept; `make lock RENEW=1` takes the newest.
Only wheels for these Pythons are taken, and a source distribution only where there is no wheel,
since building one runs its code. torch is resolved with the others and left out: which build of it
is right, the machine decides (scripts/cpu-torch.sh).

`--check` needs neither uv nor a network: the lock was made for what pyproject.toml says now, and
names what is needed here, no more and no less, in the versions that are installed here. With a
Python that the lock is not for, only the first of these is looked at.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.markers import Marker
from packaging.utils import parse_wheel_filename
from scripts.supply.asked import LOCKED_PYTHONS, ROOT, SETS, Asked, lock_file, normal
from scripts.supply.closure import Missing, closure
from scripts.supply.install import is_locked

__all__ = ["Pin", "active_pins", "check", "make", "read_lock"]

_HEADER = (
    "# Made by `make lock` for Python {0} to before {1}; `make check` compares. Not to be edited.\n"
    "# Asked for: sha256:{2}\n"
)
_ROW = re.compile(r"^([\w.-]+)==(\S+?)(?: ; ([^\\]+?))? \\$", re.MULTILINE)
_LEFT_OUT = re.compile(r"torch$|nvidia-|cuda-|triton$")
_ABIS = ("cp311", "cp312", "cp313", "abi3", "none")
_SYSTEMS = [
    {"sys_platform": sys_platform, "platform_system": system, "os_name": os_name}
    | {"platform_machine": machine, "python_version": python, "python_full_version": f"{python}.9"}
    for sys_platform, system, os_name, machines in (
        ("linux", "Linux", "posix", ("x86_64", "aarch64")),
        ("darwin", "Darwin", "posix", ("x86_64", "arm64")),
        ("win32", "Windows", "nt", ("AMD64", "ARM64")),
    )
    for machine in machines
    for python in ("3.11", "3.12", "3.13")
]


@dataclass(frozen=True, slots=True)
class Pin:
    """One exact version of one package."""

    name: str
    version: str
    marker: str
    """Where it is needed; empty: everywhere."""
    hashes: tuple[str, ...]
    """SHA-256 of the files that may be installed, in hexadecimal."""

    @property
    def exact(self) -> str:
        """The requirement, without hashes."""
        return f"{self.name}=={self.version}" + (f" ; {self.marker}" if self.marker else "")

    def written(self) -> str:
        """The rows of the lock."""
        return " \\\n    ".join([self.exact, *(f"--hash=sha256:{h}" for h in self.hashes)]) + "\n"


def read_lock(root: Path = ROOT) -> dict[str, list[Pin]]:
    """The pins of each set that has a file, in the order of the file."""
    found = {}
    for name in SETS:
        if (path := lock_file(name, root)).exists():
            text = path.read_text(encoding="utf-8")
            rows = list(_ROW.finditer(text))
            ends = [*(row.start() for row in rows[1:]), len(text)]
            found[name] = [
                Pin(
                    row[1],
                    row[2],
                    row[3] or "",
                    tuple(re.findall(r"sha256:([0-9a-f]{64})", text[row.end() : end])),
                )
                for row, end in zip(rows, ends, strict=True)
            ]
    return found


def active_pins(lock: Mapping[str, Iterable[Pin]]) -> dict[str, Pin]:
    """The pins that count on this machine, by normalised name."""
    pins = (pin for rows in lock.values() for pin in rows)
    return {
        normal(pin.name): pin for pin in pins if not pin.marker or Marker(pin.marker).evaluate()
    }


def check(root: Path = ROOT) -> list[str]:
    """What is wrong with the lock, in sentences; empty where nothing is."""
    asked = Asked.read(root)
    for name in SETS:
        path = lock_file(name, root)
        if not path.exists() or f"sha256:{asked.digest}\n" not in path.read_text(encoding="utf-8"):
            return [f"locks/{name}.txt is not for what pyproject.toml asks for now; run make lock"]
    if not is_locked(sys.version_info[:3]):
        return []
    try:
        needed = closure([*asked.everything, *asked.build, *asked.core_tests])
    except Missing as missing:
        return [f"{missing}; run make dev"]
    pins = active_pins(read_lock(root))
    versions = {name: one.version for name, one in needed.items() if name != "torch"}
    kept = {normal(row) for row in asked.files}
    wrong = [
        f"{name} is needed and not in the lock; run make lock"
        for name in versions.keys() - pins.keys()
    ]
    wrong += [
        f"{name} is in the lock and nothing needs it; run make lock"
        for name in pins.keys() - versions.keys() - kept
    ]
    wrong += [
        f"{name} {versions[name]} is installed, {pins[name].version} is locked; run make dev"
        for name in pins.keys() & versions.keys()
        if pins[name].version != versions[name]
    ]
    return sorted(wrong)


def make(uv: str, renew: bool) -> None:
    """Resolve anew and write all files of the lock."""
    asked = Asked.read()
    torch = f"torch=={asked.torch}"
    keep = [] if renew else [p.exact for rows in read_lock().values() for p in rows]
    packages = _resolved(uv, [*asked.everything, *asked.build], [torch, *keep])
    pins = [pin for one in packages if (pin := _pin(one)) is not None]
    exact = [torch, *(pin.exact for pin in pins)]
    wanted: dict[str, Sequence[str]] = {
        "build": asked.build,
        "core": asked.core,
        "local": asked.extras["local"],
        "test": asked.core_tests,
    }
    left = {pin.name: [each for each in pins if each.name == pin.name] for pin in pins}
    rows: dict[str, list[Pin]] = {}
    for name, requirements in wanted.items():
        # All of it was just looked up.
        names = [one["name"] for one in _resolved(uv, requirements, exact, "--offline")]
        rows[name] = [pin for each in names for pin in left.pop(each, [])]
    files = [_pin(one) for one in _resolved(uv, asked.files, [], "--no-deps")]
    rows["dev"] = [*(pin for each in left.values() for pin in each), *filter(None, files)]
    lock_file("dev").parent.mkdir(exist_ok=True)
    for name, some in rows.items():
        text = "".join(
            pin.written() for pin in sorted(some, key=lambda pin: (pin.name, pin.marker))
        )
        head = _HEADER.format(*LOCKED_PYTHONS, asked.digest)
        lock_file(name).write_text(head + text, encoding="utf-8")


def _resolved(
    uv: str, requirements: Iterable[str], constraints: Iterable[str], *more: str
) -> list[dict[str, Any]]:
    """The packages that uv comes to, as tables of a pylock.toml."""
    with tempfile.TemporaryDirectory() as folder:
        asked, bounds, made = (Path(folder, n) for n in ("asked.in", "bounds.txt", "pylock.toml"))
        asked.write_text("\n".join(requirements))
        bounds.write_text("\n".join(constraints))
        called = [uv, "pip", "compile", "--quiet", "--universal", "--no-config", *more]
        called += ["--python-version", LOCKED_PYTHONS[0], "--constraint", str(bounds)]
        called += ["--format", "pylock.toml", "--output-file", str(made), str(asked)]
        if subprocess.run(called, check=False, stdout=subprocess.DEVNULL).returncode:
            sys.exit("error: uv failed, see above; if versions do not fit, try make lock RENEW=1")
        return list(tomllib.loads(made.read_text(encoding="utf-8")).get("packages", []))


def _pin(package: Mapping[str, Any]) -> Pin | None:
    """The pin of a resolved package; None where it is left out, or needed nowhere."""
    marker = str(package.get("marker", ""))
    if _LEFT_OUT.match(package["name"]):
        return None
    if marker and not any(Marker(marker).evaluate(system) for system in _SYSTEMS):
        return None
    files = [file for file in package.get("wheels", []) if _fits(file["url"].rsplit("/", 1)[1])]
    files = files or [package["sdist"]]
    hashes = tuple(sorted(file["hashes"]["sha256"] for file in files))
    return Pin(package["name"], package["version"], marker, hashes)


def _fits(wheel: str) -> bool:
    """Whether a wheel is for one of the Pythons of the lock."""
    tags = parse_wheel_filename(wheel.replace("%2B", "+"))[3]
    return any(tag.abi in _ABIS and tag.interpreter[:2] in ("py", "cp") for tag in tags)


def main(arguments: list[str]) -> int:
    """Make the lock, or check it; 0: done, or as it should be."""
    parser = argparse.ArgumentParser(description="make the lock, or check it")
    parser.add_argument("--check", action="store_true", help="write nothing; 1 where it is stale")
    parser.add_argument("--renew", action="store_true", help="take the newest versions that fit")
    parser.add_argument("--uv", default="uv", help="uv's program")
    given = parser.parse_args(arguments)
    if not given.check:
        make(given.uv, given.renew)
        return 0
    wrong = check()
    sys.stderr.writelines(f"error: {sentence}\n" for sentence in wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
