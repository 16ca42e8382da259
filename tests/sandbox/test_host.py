from pathlib import Path

import pytest

from partbook.errors import ConfigError
from partbook.sandbox.host import find_host, interpreters


def test_the_interpreter_is_partbooks_own_and_else_the_systems():
    assert interpreters(Path("/opt/python"), (3, 12)) == [
        (Path("/opt/python"), Path("/opt/python/bin/python3.12")),
        (Path("/usr"), Path("/usr/bin/python3")),
    ]
    assert interpreters(Path("/usr"), (3, 11)) == [(Path("/usr"), Path("/usr/bin/python3.11"))]


def test_the_interpreter_is_never_one_whose_folder_holds_a_home_directory():
    for prefix in (Path("/"), Path.home(), Path.home().parent):
        assert interpreters(prefix, (3, 12)) == [(Path("/usr"), Path("/usr/bin/python3"))]


def test_an_old_bubblewrap_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    old = tmp_path / "bwrap"
    old.write_text("#!/bin/sh\necho bubblewrap 0.4.1\n")
    old.chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(ConfigError, match=r"bubblewrap 0\.4\.1; install bubblewrap 0\.8"):
        find_host.__wrapped__()
