import stat
import sys
from pathlib import Path

import pytest

from partbook.errors import ConfigError, WorkerError
from partbook.sandbox.container import container_argv, find_engine, run_in_container
from partbook.sandbox.limits import SandboxLimits
from partbook.sandbox.program import Program

ENGINE = """\
#!/bin/sh
# A container engine without containers: runs the command after the image in a new folder.
echo "$1 $2 $3 $4 $5" >> "{log}"
case "$1" in
  version|rm) exit 0 ;;
  image) exit {has_image} ;;
esac
while [ "$1" != python:3-slim ]; do shift; done
shift; shift
cd "{folder}" && exec "{python}" "$@"
"""


def engine_in(folder: Path, *, has_image: bool = True) -> Path:
    engine = folder / "docker"
    (folder / "container").mkdir()
    engine.write_text(
        ENGINE.format(
            log=folder / "log",
            has_image=0 if has_image else 1,
            folder=folder / "container",
            python=sys.executable,
        )
    )
    engine.chmod(engine.stat().st_mode | stat.S_IXUSR)
    return engine


@pytest.fixture(autouse=True)
def _forgetful():
    find_engine.cache_clear()
    yield
    find_engine.cache_clear()


def test_an_engine_is_asked_for_a_closed_container():
    argv = container_argv("docker", "name", "mark", "main.py", SandboxLimits())

    command = " ".join(argv[: argv.index("-c")])
    assert command == (
        "docker run --rm --interactive --name name --pull never --network none --read-only "
        "--user 65534:65534 --cap-drop ALL --security-opt no-new-privileges --pids-limit 32 "
        "--memory 1073741824 --memory-swap 1073741824 --ulimit core=0 "
        "--ulimit fsize=67108864 --ulimit cpu=12 "
        "--tmpfs /tmp:rw,size=67108864,mode=1777 --workdir /tmp "
        "--env HOME=/tmp --env LANG=C.UTF-8 python:3-slim python -I"
    )
    assert argv[-6:] == ["mark", "-E", "-s", "-X", "utf8", "main.py"]


async def test_an_engine_runs_a_program_with_its_files_and_input(tmp_path: Path):
    engine = engine_in(tmp_path)
    source = b"import sys, a\nprint(a.x + input())\nprint('oh', file=sys.stderr)\nexit(3)"
    program = Program({"main.py": source, "a.py": b"x = 'a'", "b/c": b""}, "main.py", b"b\n")

    result = await run_in_container(str(engine), program, SandboxLimits())

    assert (result.exit_status, result.stdout, result.stderr) == (3, "ab\n", "oh\n")
    assert (tmp_path / "container/b/c").exists()


async def test_an_engine_has_the_container_removed_at_a_limit(tmp_path: Path):
    engine = engine_in(tmp_path)
    program = Program({"main.py": b"import time; time.sleep(60)"}, "main.py", b"")

    result = await run_in_container(str(engine), program, SandboxLimits(wall_s=1))

    assert (result.exit_status, result.limit) == (None, "wall")
    started, removed = (tmp_path / "log").read_text().splitlines()
    assert started.startswith("run --rm --interactive --name partbook-")
    assert removed.split() == ["rm", "--force", started.split()[-1]]


async def test_an_engine_that_fails_gives_no_result(tmp_path: Path):
    engine = tmp_path / "docker"
    engine.write_text("#!/bin/sh\necho 'no space left on device' >&2\nexit 125\n")
    engine.chmod(0o700)

    with pytest.raises(WorkerError, match="did not start the program: no space left"):
        await run_in_container(str(engine), Program({"m": b""}, "m", b""), SandboxLimits())


async def test_an_engine_that_is_gone_gives_no_result(tmp_path: Path):
    program = Program({"m": b""}, "m", b"")

    with pytest.raises(WorkerError, match="could not be started"):
        await run_in_container(str(tmp_path / "docker"), program, SandboxLimits())


def test_an_engine_is_found_where_it_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    engine = engine_in(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert find_engine() == str(engine)


def test_an_engine_without_the_image_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    engine_in(tmp_path, has_image=False)
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(ConfigError, match="fetch it with `docker pull python:3-slim`"):
        find_engine()
