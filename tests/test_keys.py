import os

import pytest

from partbook.errors import ConfigError
from partbook.keys import key_of
from partbook.pool import WorkerSpec

KEY = "sk-0123456789abcdef"


def by_variable(name: str) -> WorkerSpec:
    return WorkerSpec("a", "http", key_env=name)


def by_file(path: os.PathLike[str]) -> WorkerSpec:
    return WorkerSpec("a", "http", key_file=str(path))


@pytest.fixture
def key_file(tmp_path):
    path = tmp_path / "key"
    path.write_text(KEY + "\n")
    path.chmod(0o600)
    return path


def refusal(spec: WorkerSpec) -> str:
    with pytest.raises(ConfigError) as raised:
        key_of(spec)
    assert KEY not in str(raised.value)
    return str(raised.value)


def test_a_key_comes_from_the_environment(monkeypatch):
    monkeypatch.setenv("MY_KEY", f" {KEY} \n")

    assert key_of(by_variable("MY_KEY")).reveal() == KEY


def test_a_missing_key_names_worker_and_variable(monkeypatch):
    monkeypatch.delenv("MY_KEY", raising=False)

    assert refusal(by_variable("MY_KEY")) == (
        "worker 'a' needs an API key: set the environment variable MY_KEY, or give the worker a "
        "`key_file`"
    )


def test_a_worker_without_either_needs_no_key():
    assert key_of(WorkerSpec("a", "http")) is None


def test_a_value_that_is_no_bare_key_names_its_source_and_is_not_quoted(monkeypatch):
    monkeypatch.setenv("MY_KEY", f"Bearer {KEY}")

    assert "worker 'a': MY_KEY: an API key holds spaces" in refusal(by_variable("MY_KEY"))


@pytest.mark.parametrize("mode", [0o600, 0o400, 0o700])
def test_a_key_comes_from_a_file_that_only_its_owner_can_read(key_file, mode):
    key_file.chmod(mode)

    assert key_of(by_file(key_file)).reveal() == KEY


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o644, 0o666, 0o610])
def test_a_file_that_others_may_use_is_refused_with_the_command_that_mends_it(key_file, mode):
    key_file.chmod(mode)

    message = refusal(by_file(key_file))

    assert f"its mode is {mode:o}" in message
    assert message.endswith(f"run: chmod 600 {key_file}")


def test_a_symbolic_link_is_refused(key_file, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(key_file)

    assert "is a symbolic link" in refusal(by_file(link))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_somebody_else_is_refused(key_file):
    os.chown(key_file, 65534, -1)

    assert "belongs to user 65534, you are user 0" in refusal(by_file(key_file))


def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe", 0o600)

    assert "is no regular file" in refusal(by_file(tmp_path / "pipe"))


def test_a_folder_and_a_missing_file_are_refused(tmp_path):
    assert "is no regular file" in refusal(by_file(tmp_path))
    assert "No such file" in refusal(by_file(tmp_path / "none"))


@pytest.mark.parametrize("content", [b"", b"\xff\xfe" + KEY.encode(), KEY.encode() * 1000])
def test_a_file_that_holds_no_key_is_refused_without_quoting_it(key_file, content):
    key_file.write_bytes(content)

    assert "key" in refusal(by_file(key_file))
