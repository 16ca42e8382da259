"""Options of the whole test run."""

import pytest

_SKIPPED = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--no-skips", action="store_true", help="Fail if any test was skipped.")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_SKIPPED] = []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.skipped and not hasattr(report, "wasxfail"):
        item.config.stash[_SKIPPED].append(item.nodeid)
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    if session.config.getoption("--no-skips") and session.config.stash[_SKIPPED]:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter, config: pytest.Config) -> None:
    if config.getoption("--no-skips"):
        for name in config.stash[_SKIPPED]:
            terminalreporter.write_line(f"skipped, which --no-skips forbids: {name}", red=True)


@pytest.fixture(autouse=True)
def _own_store(tmp_path, monkeypatch):
    """No test touches the runs of whoever runs the tests."""
    monkeypatch.setenv("PARTBOOK_STORE", str(tmp_path / "runs.db"))
