"""The system's packages: what they are for is said where they cannot be installed."""

import subprocess
from pathlib import Path

SCRIPT = Path(__file__).parent.parent / "scripts" / "system-packages.sh"


def said(folder: Path, **programs: str) -> str:
    """What the script prints where these programs and no others are found; it must go on."""
    for name, text in programs.items():
        path = folder / name.replace("_", "-")
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
    done = subprocess.run(
        ["/bin/sh", str(SCRIPT)],
        capture_output=True,
        text=True,
        env={"PATH": str(folder)},
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


NOTE = (
    "note: the python worker runs nothing without bubblewrap: "
    "sudo apt-get install bubblewrap (or your system's package)\n"
)


def test_nothing_is_installed_for_who_is_not_root(tmp_path):
    assert said(tmp_path, uname="echo Linux", id="echo 1000", apt_get="echo called") == NOTE


def test_root_where_apt_fails_is_told_and_goes_on(tmp_path):
    assert said(tmp_path, uname="echo Linux", id="echo 0", apt_get="exit 100") == NOTE


def test_root_with_apt_gets_bubblewrap(tmp_path):
    assert (
        said(tmp_path, uname="echo Linux", id="echo 0", apt_get=f'echo "$@" >> {tmp_path}/x') == ""
    )
    assert (tmp_path / "x").read_text() == "update -qq\ninstall -y -qq bubblewrap\n"


def test_nothing_is_asked_of_who_has_it(tmp_path):
    assert said(tmp_path, bwrap="") == ""


def test_other_systems_are_told_of_containers(tmp_path):
    told = said(tmp_path, uname="echo Darwin", id="echo 501")

    assert told.startswith("note: the python worker needs docker or podman here")
