"""Options of the whole test run, and what several folders of tests need."""

import os

# Before torch is imported: two processes run tests, and small nets gain nothing from more threads.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest

from partbook.errors import ConfigError
from partbook.models.registry import model_path
from partbook.sandbox import sandbox_available

_SKIPPED = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--no-skips", action="store_true", help="Fail if any test was skipped.")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_SKIPPED] = []


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that is marked `sandbox` where there is none, and say what to install."""
    if item.get_closest_marker("sandbox") is not None:
        try:
            sandbox_available()
        except ConfigError as missing:
            pytest.skip(str(missing))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.skipped and not hasattr(report, "wasxfail"):
        item.config.stash[_SKIPPED].append(item.nodeid)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    report = yield
    if report.skipped:  # a whole module, by `importorskip`
        collector.config.stash[_SKIPPED].append(collector.nodeid)
    return report


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """Of pytest-xdist: a process that has run a part of the tests has ended."""
    node.config.stash[_SKIPPED] += getattr(node, "workeroutput", {}).get("skipped", [])


def pytest_sessionfinish(session: pytest.Session) -> None:
    skipped = session.config.stash[_SKIPPED]
    if hasattr(session.config, "workeroutput"):  # one of those processes
        session.config.workeroutput["skipped"] = skipped
    elif session.config.getoption("--no-skips") and skipped:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter, config: pytest.Config) -> None:
    if config.getoption("--no-skips"):
        for name in sorted(set(config.stash[_SKIPPED])):
            terminalreporter.write_line(f"skipped, which --no-skips forbids: {name}", red=True)


@pytest.fixture(autouse=True)
def _own_store(tmp_path, monkeypatch):
    """No test touches the runs of whoever runs the tests."""
    monkeypatch.setenv("PARTBOOK_STORE", str(tmp_path / "runs.db"))


@pytest.fixture(scope="session")
def smollm2():
    """The file of SmolLM2-135M, the smallest real model."""
    try:
        return model_path("smollm2-135m")
    except ConfigError:
        pytest.skip("needs a real model: partbook models pull smollm2-135m")


@pytest.fixture(scope="session")
def llama_server(smollm2):
    """Base URL of a real OpenAI-compatible server on loopback: llama.cpp with SmolLM2-135M.

    Paths start with `/v1`; no key is asked for.
    """
    xllamacpp = pytest.importorskip("xllamacpp", reason="needs pip install 'partbook[local]'")
    params = xllamacpp.CommonParams()
    params.model.path = str(smollm2)
    params.n_ctx, params.n_parallel = 4096, 2
    params.cache_ram_mib = 0
    params.verbosity = -1
    # More threads than idle cores make llama.cpp many times slower, and tests run beside others.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    yield server.listening_address
    del server


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server on a socket of its own; see `tests/postgres.py`."""
    pytest.importorskip("psycopg", reason="needs pip install 'partbook[postgres]'")
    from tests.postgres import postgres_programs, running_postgres  # noqa: PLC0415 - psycopg

    if (programs := postgres_programs()) is None:
        pytest.skip("needs PostgreSQL's programs: apt-get install postgresql")
    with running_postgres(programs) as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def any_store(request, tmp_path, monkeypatch):
    """Path or URL of a new store: on each kind of database in turn."""
    if request.param == "sqlite":
        yield str(tmp_path / "data" / "runs.db")
        return
    server = request.getfixturevalue("postgres")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))  # where its journals are
    url = server.database()
    yield url
    server.drop(url)
