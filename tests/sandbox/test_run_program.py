import asyncio
import contextlib
import os
import resource
import socket
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from partbook.errors import WorkerError
from partbook.sandbox import SandboxLimits, run_program, sandbox_available
from partbook.sandbox.host import find_host

SHORT = SandboxLimits(wall_s=5)
# The names of programs that are looked for on the whole machine, on which other tests may run.
UNWANTED, CANCELLED, UNWATCHED, OUTLIVES = (
    f"{name}_{os.getpid()}.py" for name in ("unwanted", "cancelled", "unwatched", "outlives")
)


def processes() -> dict[int, str]:
    """Process numbers with their state and command line; `Z` is a zombie."""
    found = {}
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if folder.name.isdigit():
                state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
                found[int(folder.name)] = f"{state} {(folder / 'cmdline').read_text()}"
    return found


def running(entry: str) -> list[str]:
    """Every process on this machine that has to do with a program of this name."""
    return [line for line in processes().values() if entry in line]


async def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds that nobody tells about."""
    async with asyncio.timeout(10):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def children() -> set[int]:
    """Every process below this one, zombies too."""
    found, new = set(), {os.getpid()}
    while new:
        below = set()
        for pid in new:
            for thread in Path(f"/proc/{pid}/task").glob("*/children"):
                with contextlib.suppress(OSError):
                    below |= set(map(int, thread.read_text().split()))
        found |= below
        new = below
    return found


@pytest.mark.sandbox
class TestAProgram:
    async def test_reads_its_input_and_prints(self):
        result = await run_program("print(input()[::-1])", stdin="olleh\n")

        assert (result.exit_status, result.stdout, result.stderr) == (0, "hello\n", "")
        assert result.limit is None
        assert not result.timed_out

    async def test_has_a_real_pipe_for_input(self):
        source = """
        import sys
        n = int(sys.stdin.buffer.readline())
        rest = sys.stdin.buffer.read().split()
        print(n, len(rest))
        """

        result = await run_program(textwrap.dedent(source), stdin="2\n7 8 9\n")

        assert result.stdout == "2 3\n"

    async def test_need_not_read_a_large_input(self):
        result = await run_program("print('done')", stdin="x" * 3_000_000)

        assert (result.exit_status, result.stdout) == (0, "done\n")

    async def test_prints_any_text(self):
        result = await run_program("print('한국어 🎼 é')\nprint(input())", stdin="日本\n")

        assert result.stdout == "한국어 🎼 é\n日本\n"

    async def test_may_print_what_is_no_text(self):
        result = await run_program("import sys; sys.stdout.buffer.write(b'a\\xffb')")

        assert result.stdout == "a\ufffdb"

    async def test_fails_with_its_own_status_and_traceback(self):
        result = await run_program("import sys\nprint('so far')\nsys.exit(3)")
        raised = await run_program("1/0")

        assert (result.exit_status, result.stdout) == (3, "so far\n")
        assert raised.exit_status == 1
        assert raised.stderr.endswith("ZeroDivisionError: division by zero\n")

    async def test_may_end_as_ordinary_programs_do(self):
        assert (await run_program("exit(4)")).exit_status == 4
        assert (await run_program("import os; os._exit(5)")).exit_status == 5
        assert (await run_program("import ctypes; ctypes.string_at(0)")).exit_status == 139

    async def test_imports_and_reads_the_files_it_came_with_and_cannot_change_them(self):
        source = """
        import candidate
        from pathlib import Path
        print(candidate.double(4), open("data/in.txt").read())
        for change in (lambda p: p.unlink(), lambda p: p.write_text("x"), lambda p: p.rename("y")):
            for name in ("candidate.py", "data/in.txt", "check.py"):
                try:
                    change(Path(name))
                except OSError:
                    continue
                print("changed", name)
        """
        files = {"candidate.py": b"def double(x):\n    return 2 * x\n", "data/in.txt": b"seven"}

        result = await run_program(textwrap.dedent(source), files=files, entry="check.py")

        assert (result.stdout, result.stderr) == ("8 seven\n", "")

    async def test_uses_the_standard_library_threads_and_processes(self):
        source = """
        import multiprocessing, sqlite3, ssl, subprocess, sys, tempfile, zoneinfo
        import concurrent.futures
        with concurrent.futures.ThreadPoolExecutor(4) as threads:
            print(sum(threads.map(abs, range(10))))
        with multiprocessing.Pool(2) as pool:
            print(pool.map(abs, [-1, -2]))
        print(subprocess.run([sys.executable, "-c", "print(6*7)"], capture_output=True).stdout)
        with tempfile.TemporaryFile() as file:
            print(file.write(b"abc"))
        """

        result = await run_program(textwrap.dedent(source))

        assert result.stderr == ""
        assert result.stdout == "45\n[1, 2]\nb'42\\n'\n3\n"


@pytest.mark.sandbox
class TestTheSandbox:
    async def test_shows_nothing_of_the_host(self):
        source = f"""
        import os
        print(*os.listdir("/"))
        print(*os.listdir("/etc"), *os.listdir("/tmp"), *sorted(os.listdir("/dev")))
        for path in ("/etc/passwd", "/proc", "/root", {str(Path.home())!r}, {__file__!r}, "/var"):
            print(os.path.exists(path), end=" ")
        print(os.getuid(), os.getgid(), os.getpid(), os.uname().nodename)
        """

        result = await run_program(textwrap.dedent(source))

        roots, folders, exists = result.stdout.splitlines()
        system = {"bin", "dev", "etc", "lib", "lib32", "lib64", "sbin", "tmp", "usr"}
        above = Path(find_host().python).parts[1]
        assert set(roots.split()) <= {*system, above}
        assert folders == "ld.so.cache main.py full null random shm urandom zero"
        assert exists == "False " * 6 + "65534 65534 1 sandbox"

    async def test_passes_on_no_environment(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setenv("OPENAI_API_KEY", "secret")

        result = await run_program("import os; print(sorted(os.environ.items()))")

        assert result.stdout == (
            "[('HOME', '/tmp'), ('LANG', 'C.UTF-8'), ('PATH', '/usr/bin:/bin'), ('PWD', '/tmp')]\n"
        )

    async def test_has_no_network(self):
        source = """
        import socket, sys
        port = int(sys.stdin.read())
        for address in ("127.0.0.1", "10.0.0.1", "1.1.1.1"):
            try:
                socket.create_connection((address, port), timeout=2)
            except OSError as error:
                print(error.strerror)
        print([name for _, name in socket.if_nameindex()])
        """
        with socket.create_server(("127.0.0.1", 0)) as server:
            result = await run_program(textwrap.dedent(source), stdin=str(server.getsockname()[1]))

        refused, *unreachable, interfaces = result.stdout.splitlines()
        assert refused == "Connection refused"
        assert unreachable == ["Network is unreachable"] * 2
        assert interfaces == "['lo']"

    async def test_is_writable_in_one_place_only(self):
        source = """
        import os, sys
        for folder in ("/", "/usr", "/usr/lib", "/etc", "/dev", sys.prefix, "/dev/shm", "/tmp"):
            try:
                open(os.path.join(folder, "new"), "w").close()
            except OSError:
                continue
            print(folder)
        """

        result = await run_program(textwrap.dedent(source))

        assert result.stdout == "/dev/shm\n/tmp\n"

    async def test_keeps_nothing_for_the_next_program(self):
        await run_program("open('/tmp/left', 'w').write('x')")

        result = await run_program("import os; print(os.listdir('.'))")

        assert result.stdout == "['main.py']\n"

    async def test_hands_on_no_open_file(self):
        source = """
        import os
        for number in range(100):
            try:
                os.fstat(number)
            except OSError:
                continue
            print(number, end=" ")
        """

        result = await run_program(textwrap.dedent(source))

        assert result.stdout == "0 1 2 "

    async def test_hides_installed_packages(self):
        source = """
        import os, sys
        print([os.listdir(place) for place in sys.path if place.endswith("-packages")])
        """

        result = await run_program(textwrap.dedent(source))

        assert result.stderr == ""
        assert set(result.stdout.strip()) <= set("[], ")

    async def test_refuses_uncounted_memory_and_further_namespaces(self):
        source = """
        import ctypes, os
        libc = ctypes.CDLL(None, use_errno=True)
        def errno(code):
            return 0 if code >= 0 else ctypes.get_errno()
        print(errno(libc.memfd_create(b"x", 0)), errno(libc.shmget(0, 1 << 20, 0o1600)),
              errno(libc.unshare(0x10000000)), errno(libc.ptrace(0, 0, 0, 0)))
        """

        result = await run_program(textwrap.dedent(source))

        assert result.stdout == "1 1 1 1\n"

    async def test_ends_a_program_whose_time_is_up(self):
        result = await run_program(
            "print('x', flush=True); import time; time.sleep(60)",
            limits=SandboxLimits(wall_s=0.5),
        )

        assert (result.exit_status, result.limit, result.stdout) == (None, "wall", "x\n")
        assert result.timed_out
        assert result.seconds < 3

    async def test_counts_the_computing_of_all_processes_together(self):
        source = "import os\nos.fork(); os.fork()\nwhile True: pass"

        result = await run_program(source, limits=SandboxLimits(wall_s=10, cpu_s=0.5))

        assert (result.exit_status, result.limit) == (None, "cpu")
        assert result.seconds < 8

    async def test_ends_endless_output_and_keeps_its_head(self):
        result = await run_program("while True: print('x' * 999)", limits=SHORT)

        assert result.limit == "output"
        assert len(result.stdout) == 1024 * 1024
        assert result.stdout.startswith("x" * 999 + "\n")

    async def test_keeps_output_of_exactly_the_bound(self):
        limits = SandboxLimits(output_bytes=1000)

        result = await run_program("print('x' * 999)", limits=limits)

        assert (result.exit_status, len(result.stdout), result.limit) == (0, 1000, None)

    async def test_gives_one_process_no_more_memory_than_its_bound(self):
        source = "a = []\nwhile True: a.append(bytearray(50_000_000))"

        result = await run_program(source, limits=SandboxLimits(memory_bytes=200_000_000))

        assert result.exit_status == 1
        assert result.stderr.endswith("MemoryError\n")

    async def test_gives_all_processes_together_no_more_memory_than_its_bound(self):
        source = """
        import os, time
        for _ in range(7):
            if os.fork() == 0:
                break
        held = b"x" * 60_000_000
        time.sleep(30)
        """

        result = await run_program(
            textwrap.dedent(source), limits=SandboxLimits(memory_bytes=200_000_000)
        )

        assert result.limit == "memory"

    async def test_bounds_what_is_written(self):
        source = """
        block = b"x" * 1_000_000
        for place in ("/tmp", "/dev/shm"):
            for i in range(100):
                try:
                    open(f"{place}/{i}", "wb").write(block)
                except OSError as error:
                    print(error.strerror)
                    break
        try:
            open("/tmp/large", "wb").truncate(100_000_000)
        except OSError as error:
            print(error.strerror)
        """

        result = await run_program(
            textwrap.dedent(source), limits=SandboxLimits(file_bytes=10_000_000)
        )

        assert result.stdout == "No space left on device\n" * 2 + "File too large\n"

    async def test_holds_a_fork_bomb(self):
        source = """
        import os
        while True:
            try:
                os.fork()
            except OSError:
                pass
        """
        before = children()

        bomb = asyncio.create_task(
            run_program(textwrap.dedent(source), limits=SandboxLimits(wall_s=2, cpu_s=1))
        )
        most = 0
        while not bomb.done():
            await asyncio.wait([bomb], timeout=0.1)
            most = max(most, len(children() - before))

        assert bomb.result().limit in ("cpu", "wall")
        assert 4 <= most <= 34  # 32, bwrap itself, and its child before it is the program
        assert children() <= before

    async def test_lets_a_program_have_as_many_processes_as_allowed(self):
        source = """
        import os, time
        count = 1
        while True:
            try:
                if os.fork() == 0:
                    time.sleep(30)
            except BlockingIOError:
                break
            count += 1
        print(count)
        """

        result = await run_program(textwrap.dedent(source), limits=SandboxLimits(processes=8))

        assert result.stdout == "8\n"

    async def test_leaves_no_grandchild_behind(self):
        source = """
        import os, subprocess, sys
        sleeper = "import time; time.sleep(3123)"
        subprocess.Popen([sys.executable, "-c", sleeper], start_new_session=True)
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                subprocess.run([sys.executable, "-c", sleeper])
            os._exit(0)
        print("over")
        """
        before = children()

        result = await run_program(textwrap.dedent(source), limits=SHORT)
        timed_out = await run_program(
            textwrap.dedent(source) + "import time; time.sleep(60)", limits=SandboxLimits(wall_s=1)
        )

        assert result.stdout == "over\n"
        assert timed_out.limit == "wall"
        assert not [line for line in processes().values() if "sleep(3123)" in line]
        assert children() <= before

    async def test_runs_twenty_programs_at_once(self):
        source = """
        import threading
        threads = [threading.Thread(target=int) for _ in range(8)]
        for thread in threads: thread.start()
        print(int(input()) ** 2)
        """
        before = children()

        async with asyncio.TaskGroup() as group:
            runs = [
                group.create_task(run_program(textwrap.dedent(source), stdin=f"{i}\n"))
                for i in range(20)
            ]

        assert [run.result().stdout for run in runs] == [f"{i * i}\n" for i in range(20)]
        assert children() <= before

    async def test_ends_a_program_that_is_no_longer_wanted(self):
        run = asyncio.create_task(run_program("import time; time.sleep(99)", entry=UNWANTED))
        await until(lambda: any("python" in line for line in running(UNWANTED)))

        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run

        assert running(UNWANTED) == []

    async def test_may_be_cancelled_at_any_moment_of_its_start(self):
        for tenths in range(0, 200, 4):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(tenths / 10_000):
                    await run_program("import time; time.sleep(99)", entry=CANCELLED)

        assert running(CANCELLED) == []

    async def test_is_closed_where_the_event_loop_ends_first(self):
        # In a thread, because one loop cannot run within another.
        async def give_up(seconds: float) -> None:
            unwatched = asyncio.create_task(
                run_program("import time; time.sleep(99)", entry=UNWATCHED)
            )
            await asyncio.wait([unwatched], timeout=seconds)

        for tenths in range(0, 200, 10):
            await asyncio.to_thread(asyncio.run, give_up(tenths / 10_000))

        assert running(UNWATCHED) == []

    async def test_is_not_outlived_by_its_program(self):
        source = """
        import asyncio, sys
        from partbook.sandbox import run_program
        asyncio.run(run_program("import time; time.sleep(99)", entry=sys.argv[1]))
        """
        partbook = await asyncio.create_subprocess_exec(
            sys.executable, "-c", textwrap.dedent(source), OUTLIVES
        )
        await until(lambda: any("python" in line for line in running(OUTLIVES)))

        partbook.kill()
        await partbook.wait()

        await until(lambda: running(OUTLIVES) == [])

    async def test_leaves_no_open_file_behind(self):
        await run_program("print(1)")
        before = len(os.listdir("/proc/self/fd"))

        for _ in range(5):
            await run_program("print(1)", files={"a": b"1"})
        await run_program("while True: pass", limits=SandboxLimits(wall_s=0.2))

        assert len(os.listdir("/proc/self/fd")) <= before

    async def test_that_cannot_be_set_up_gives_no_result(self):
        with pytest.raises(WorkerError, match=r"the sandbox failed: bwrap: .*File name too long"):
            await run_program("print(1)", files={"x" * 300: b""})

    async def test_on_a_machine_that_is_full_gives_no_result(self):
        await run_program("print(1)")
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        free = os.dup(0)
        os.close(free)
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (free + 2, hard))
            with pytest.raises(WorkerError, match=r"could not be started: .*Too many open files"):
                await run_program("print(1)", files={f"{i}": b"" for i in range(9)})
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    async def test_is_found_to_be_there(self):
        assert sandbox_available() is None


async def test_without_a_sandbox_nothing_is_run_and_the_error_says_what_to_install(tmp_path: Path):
    # In a process of its own: what was found once is remembered.
    source = """
    import asyncio, os, sys
    os.environ["PATH"] = sys.argv[1]
    from partbook.errors import ConfigError
    from partbook.sandbox import run_program
    try:
        asyncio.run(run_program("open(%r, 'w')" % (sys.argv[1] + "/ran")))
    except ConfigError as error:
        print(error)
    """

    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", textwrap.dedent(source), str(tmp_path)),
        stdout=asyncio.subprocess.PIPE,
    )
    told, _ = await process.communicate()

    assert told.decode() == (
        "programs cannot be run safely, so they are not run: bwrap is not installed; "
        "install bubblewrap 0.8 or newer (`apt install bubblewrap`); "
        "or use a container engine: no docker or podman is installed\n"
    )
    assert not (tmp_path / "ran").exists()


async def test_a_program_is_not_also_one_of_its_files():
    with pytest.raises(ValueError, match=r"'main.py' is the program itself"):
        await run_program("", files={"main.py": b""})
