"""The wheel: the same each time it is built, complete, and working where there is no source tree.

The wheel is installed into an environment of its own, in which the packages that it needs are those
of the environment of the tests; with PARTBOOK_RELEASE_CHECK set, as by `make release-check`, they
are installed from the lock. Commands run in bubblewrap: no network, and nothing of the repository
but those packages. An audit hook notes whoever looks a name up or connects.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from dataclasses import dataclass
from email import message_from_bytes
from pathlib import Path
from typing import NamedTuple

import pytest
from scripts.supply.asked import ROOT, lock_file
from scripts.supply.build import build_twice, different

# A folder `build` that setuptools left behind can be imported, too.
pytest.importorskip("build.env", reason="needs pip install 'partbook[dev]'")
pytest.importorskip("hatchling", reason="needs make dev")

BWRAP = shutil.which("bwrap")
RELEASE = "PARTBOOK_RELEASE_CHECK" in os.environ
GUARD = """
import os, sys

def note(event, args):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
        with open(os.environ["NOTED"], "a") as file:
            file.write(f"{event} {args[1:]!r}\\n")

sys.addaudithook(note)
"""


class Built(NamedTuple):
    """Folders of two builds, and what they were built from."""

    one: Path
    two: Path
    names: set[str]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("built")
    names = build_twice(folder / "one", folder / "two")
    return Built(folder / "one", folder / "two", set(names))


@pytest.fixture(scope="module")
def wheel(built):
    return next(built.one.glob("*.whl"))


@dataclass
class Installed:
    """An environment with the wheel, and a folder to work in."""

    python: Path
    folder: Path

    def run(self, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
        """Run in the environment, hidden from source tree and network."""
        site = sysconfig.get_path("purelib")
        seen = [] if RELEASE else ["--ro-bind", site, site]
        argv = [BWRAP, "--dev-bind", "/", "/", "--tmpfs", str(ROOT), *seen, "--unshare-net"]
        argv += ["--chdir", str(self.folder), "--", *arguments]
        settings = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "PARTBOOK_STORE": str(self.folder / "runs.db"),
            "PARTBOOK_CACHE": str(self.folder / "cache"),
            "PYTHONPATH": str(self.folder / "guard"),
            "NOTED": str(self.folder / "noted.txt"),
            "COLUMNS": "120",
        }
        return subprocess.run(
            argv,
            input=given,
            capture_output=True,
            text=True,
            env=settings,
            check=False,
            timeout=300,
        )

    def partbook(self, *arguments: str, given: str = "") -> str:
        """What the command prints; it must succeed, and have asked nobody."""
        ran = self.run(str(self.python.parent / "partbook"), *arguments, given=given)
        assert ran.returncode == 0, ran.stderr + ran.stdout
        assert self.noted() == ""
        return ran.stdout

    def noted(self) -> str:
        """What the guard noted since the last call."""
        path = self.folder / "noted.txt"
        text = path.read_text() if path.exists() else ""
        path.unlink(missing_ok=True)
        return text


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The wheel in an environment of its own, installed without a network."""
    if BWRAP is None:
        pytest.skip("needs bubblewrap: make system")
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / "guard").mkdir()
    (folder / "guard" / "sitecustomize.py").write_text(GUARD)
    venv = folder / "venv"
    without = () if RELEASE else ("--without-pip",)
    subprocess.run([sys.executable, "-m", "venv", *without, str(venv)], check=True)
    there = Installed(venv / "bin" / "python", folder)
    pip = [str(there.python), "-m", "pip", "install", "--quiet", "--no-deps"]
    if RELEASE:
        named = ("--requirement", str(lock_file("core")), "--requirement", str(lock_file("local")))
        subprocess.run([*pip, "--require-hashes", *named], check=True)
    else:
        # Adds the folder, and reads no .pth file in it: an editable Partbook there stays away.
        site = next(venv.glob("lib/python*/site-packages"))
        (site / "packages.pth").write_text(sysconfig.get_path("purelib") + "\n")
    ran = there.run(*pip, "--no-index", "--no-compile", "--ignore-installed", str(wheel))
    assert ran.returncode == 0, ran.stderr
    assert there.noted() == ""
    return there


def test_it_has_the_same_bytes_when_it_is_built_elsewhere_later_and_from_the_source_distribution(
    built,
):
    found = different(built.one, built.two)

    assert found == []
    assert sorted(path.suffix for path in built.one.iterdir()) == [".gz", ".whl"]


def test_other_bytes_under_the_same_name_are_noticed(tmp_path):
    for name, content in (("one", "a"), ("two", "b")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "partbook.whl").write_text(content)
    (tmp_path / "two" / "partbook.tar.gz").write_text("")

    found = different(tmp_path / "one", tmp_path / "two")

    assert found == ["partbook.tar.gz", "partbook.whl"]


def test_the_wheel_holds_the_package_its_licences_and_nothing_else(built, wheel):
    package = {name[len("src/") :] for name in built.names if name.startswith("src/partbook/")}

    with zipfile.ZipFile(wheel) as opened:
        names = set(opened.namelist())
    about = {name.split(".dist-info/")[1] for name in names - package}

    assert package <= names
    assert about == {
        "METADATA",
        "RECORD",
        "WHEEL",
        "entry_points.txt",
        "licenses/LICENSE",
        "licenses/src/partbook/page/static/assets/licences.txt",
    }


@pytest.mark.parametrize(
    "file",
    [
        "conductors/embedded.gguf",
        "models/registry.toml",
        "page/static/index.html",
        "page/static/assets/licences.txt",
        "pools/embedded.toml",
        "prompts/conductor.txt",
        "py.typed",
        "store/migrations/script.py.mako",
        "train/accelerate/fsdp2.yaml",
        "train/presets/tiny.toml",
        "workflows/code-then-run.toml",
    ],
)
def test_what_is_no_python_comes_along(wheel, file):
    with zipfile.ZipFile(wheel) as opened:
        assert opened.getinfo(f"partbook/{file}").file_size > 0 or file == "py.typed"


def test_its_description_leads_nowhere_that_an_index_does_not_have(wheel):
    with zipfile.ZipFile(wheel) as opened:
        about = next(name for name in opened.namelist() if name.endswith("/METADATA"))
        metadata = message_from_bytes(opened.read(about))
    targets = re.findall(r"\]\(([^)]*)\)", str(metadata.get_payload()))

    assert metadata["Description-Content-Type"] == "text/markdown"
    assert targets
    assert [target for target in targets if not target.startswith(("https://", "#"))] == []


def test_the_source_distribution_holds_what_git_knows(built):
    with tarfile.open(next(built.one.glob("*.tar.gz"))) as opened:
        names = {member.name.split("/", 1)[1] for member in opened if member.isfile()}

    assert names - {"PKG-INFO"} == built.names


def test_a_connection_would_be_noted(installed):
    ran = installed.run(
        str(installed.python), "-c", "import socket; socket.create_connection(('127.0.0.1', 9), 1)"
    )

    assert ran.returncode != 0
    assert "socket.connect" in installed.noted()


def test_the_source_tree_is_out_of_sight(installed):
    program = "import os, partbook, sys; print(partbook.__file__, os.path.exists(sys.argv[1]))"

    ran = installed.run(str(installed.python), "-c", program, str(ROOT / "pyproject.toml"))

    assert ran.stdout.split() == [
        str(next(installed.folder.glob("venv/lib/python*/site-packages/partbook/__init__.py"))),
        "False",
    ]


def test_commands_work_without_source_tree_and_network_and_ask_nobody(installed):
    assert installed.partbook("--version").startswith("partbook ")
    assert "Usage" in installed.partbook("--help")
    assert {"embedded", "lab"} <= set(re.findall(r"\w+", installed.partbook("pool", "list")))
    assert "code-then-run" in installed.partbook("workflow", "list")
    assert "smollm2-135m" in installed.partbook("models", "list")
    assert "best workflow" in installed.partbook("lab", "problem")
    assert "paper-7b" in installed.run(str(installed.python), "-c", PRESETS).stdout


PRESETS = """
from importlib.resources import files
print([file.name for file in files("partbook.train").joinpath("presets").iterdir()])
"""


def test_a_conductors_text_is_parsed_without_source_tree_and_network(installed):
    text = 'model_id = [1]\nsubtasks = ["Add."]\naccess_list = [[]]\n'

    assert "Add." in installed.partbook("parse", "--workers", "2", given=text)


def test_the_lab_is_evaluated_and_kept_without_source_tree_and_network(installed):
    told = installed.partbook(
        "evaluate", "lab", "--systems", "worker:*,random", "--limit", "2", "--out", "report"
    )

    assert "random" in told
    assert (installed.folder / "report" / "report.json").stat().st_size > 0
