"""`partbook serve`, started quickly."""

from collections.abc import Iterator

import pytest

from tests.launcher import Launcher


@pytest.fixture(scope="module")
def partbook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Launcher]:
    """The command, with what a server needs imported."""
    imports = ("partbook.cli.serve_process", "partbook.server.serving", "partbook.store")
    launcher = Launcher(tmp_path_factory.mktemp("launcher"), *imports)
    yield launcher
    launcher.close()
