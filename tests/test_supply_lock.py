"""The lock: complete, exact, and nothing in it that names a place to fetch from."""

import re
import shutil
import subprocess
import sys
import zipfile

import pytest
from scripts.supply.asked import ROOT, SETS, Asked, lock_file, normal
from scripts.supply.install import ENVIRONMENTS, is_locked

pytest.importorskip("packaging", reason="needs make dev")
from scripts.supply.lock import active_pins, check, read_lock

PROJECT = """
[project]
dependencies = ["rich>=14"]
[project.optional-dependencies]
local = ["xllamacpp>=2026.10"]
dev = ["pytest>=8"]
[dependency-groups]
build = ["hatchling>=1.27"]
files = []
"""


@pytest.fixture
def copied(tmp_path):
    """A copy of what the lock is made for, and of the lock."""
    shutil.copytree(ROOT / "locks", tmp_path / "locks")
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "cpu-torch.sh", tmp_path / "scripts")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


@pytest.fixture
def everything_installed():
    pytest.importorskip("torch", reason="needs make dev")
    pytest.importorskip("cyclonedx", reason="needs make dev")


def test_each_pin_is_exact_and_has_the_hash_of_every_file_that_may_be_installed():
    lock = read_lock()

    for name in SETS:
        text = lock_file(name).read_text()
        assert len(lock[name]) == len(re.findall(r"^[^#\s]", text, re.MULTILINE)) > 0
        assert all(pin.hashes for pin in lock[name])


def test_the_files_of_the_lock_share_no_package():
    lock = read_lock()
    names = {name: {normal(pin.name) for pin in pins} for name, pins in lock.items()}

    assert set(names) == set(SETS)
    for one in SETS:
        for other in SETS:
            assert one == other or not names[one] & names[other]


def test_nothing_in_the_lock_says_where_to_fetch_from():
    for name in SETS:
        assert not re.search(
            r"://|--index|--find-links|\.(?:com|org|io)\b", lock_file(name).read_text()
        )


def test_every_set_is_installed_somewhere():
    used = {"build"}.union(*ENVIRONMENTS.values())

    assert used == set(SETS)


@pytest.mark.skipif(not is_locked(sys.version_info[:3]), reason="the lock is for other Pythons")
def test_what_the_core_needs_is_pinned_without_any_extra():
    lock = read_lock()
    pins = active_pins({name: lock[name] for name in ("build", "core", "test")})
    asked = Asked.read()

    assert {normal(row) for row in [*asked.core, *asked.core_tests]} <= pins.keys()
    assert "xllamacpp" not in pins
    assert "datasets" not in pins


def test_the_lock_is_for_what_is_asked_for_and_what_is_installed(everything_installed):
    assert check() == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"rich>=14,<16"', '"rich>=14,<17"'),
        ('inspect = ["', 'inspect = ["click", "'),
        ('"hatchling>=1.27", ', ""),
    ],
)
def test_another_requirement_makes_it_stale(copied, old, new):
    project = copied / "pyproject.toml"
    text = project.read_text()
    assert old in text
    project.write_text(text.replace(old, new))

    assert check(copied) == [
        "locks/build.txt is not for what pyproject.toml asks for now; run make lock"
    ]


def test_another_torch_makes_it_stale(copied):
    script = copied / "scripts" / "cpu-torch.sh"
    script.write_text(
        re.sub(r"^version=.*$", "version=9.9", script.read_text(), flags=re.MULTILINE)
    )

    assert "run make lock" in check(copied)[0]


def test_another_order_of_the_same_rows_does_not(tmp_path):
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "cpu-torch.sh").write_text("version=1\n")
    digests = []
    for rows in ('"rich>=14", "yarl"', '"yarl", "rich>=14"'):
        (tmp_path / "pyproject.toml").write_text(PROJECT.replace('"rich>=14"', rows))
        digests.append(Asked.read(tmp_path).digest)

    assert digests[0] == digests[1]


def test_a_pin_that_is_missing_and_one_too_many_are_named(copied, everything_installed):
    path = lock_file("core", copied)
    text = re.sub(r"^yarl==", "yarn==", path.read_text(), flags=re.MULTILINE)
    path.write_text(text)

    assert check(copied) == [
        "yarl is needed and not in the lock; run make lock",
        "yarn is in the lock and nothing needs it; run make lock",
    ]


def test_another_version_than_the_installed_one_is_named(copied, everything_installed):
    path = lock_file("core", copied)
    path.write_text(re.sub(r"^yarl==\S+", "yarl==0.1", path.read_text(), flags=re.MULTILINE))

    found = check(copied)

    assert len(found) == 1
    assert re.fullmatch(r"yarl \S+ is installed, 0\.1 is locked; run make dev", found[0])


def test_the_lock_holds_for_the_pythons_that_it_says():
    assert [is_locked(v) for v in ((3, 11, 4), (3, 11, 5), (3, 13, 9), (3, 14, 0))] == [
        False,
        True,
        True,
        False,
    ]


def test_a_file_with_another_hash_is_not_installed(tmp_path):
    wheel = _wheel(tmp_path)
    asked = tmp_path / "lock.txt"
    asked.write_text(f"nothing==1 --hash=sha256:{'0' * 64}\n")
    pip = [sys.executable, "-m", "pip", "install", "--no-index", "--find-links", str(wheel.parent)]

    ran = subprocess.run(
        [*pip, "--require-hashes", "--no-deps", "--target", str(tmp_path / "to"), "-r", str(asked)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode != 0
    assert "DO NOT MATCH THE HASHES" in ran.stderr
    assert not (tmp_path / "to").exists()


def _wheel(folder):
    """The smallest wheel that pip takes."""
    about = "nothing-1.dist-info"
    path = folder / "nothing-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as opened:
        opened.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: nothing\nVersion: 1\n")
        opened.writestr(
            f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        opened.writestr(f"{about}/RECORD", "")
    return path
