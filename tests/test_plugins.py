"""What installed packages add, and what they cannot do: as a user meets it, in a process."""

import json
import subprocess
import sys

import pytest

from tests.launcher import Launcher
from tests.plugin_packages import IMPORTS, SAYS_HELLO, Site, worker

MARKED = "import pathlib\npathlib.Path(__file__).with_name('loaded').touch()\n"


@pytest.fixture(scope="module")
def launcher(tmp_path_factory):
    launcher = Launcher(tmp_path_factory.mktemp("launcher"), *IMPORTS)
    yield launcher
    launcher.close()


@pytest.fixture
def site(tmp_path, launcher):
    return Site(tmp_path, launcher)


def test_two_packages_with_one_name_are_named_and_break_nothing_else(site):
    for package in ("first", "second"):
        site.add(
            package, {"partbook.workers": {"hello": f"{package}:PLUGIN"}}, **{package: SAYS_HELLO}
        )

    asked = site.partbook("run", "--pool", site.pool("hello"), "Hi")
    listed = site.partbook("plugins")
    other = site.partbook("run", "--pool", "lab", "Count the vowels in the word castle.")

    assert (asked.returncode, asked.stdout) == (2, "")
    assert asked.stderr == (
        "error: the kind of worker 'hello' is offered by first 1.0 and second 1.0; uninstall all "
        "but one of them\n"
    )
    assert listed.returncode == 1
    assert listed.stdout.count("is offered by first 1.0 and second 1.0") == 2
    assert (other.returncode, other.stderr) == (0, "")


def test_a_package_that_cannot_be_imported_is_named_with_its_line_and_breaks_nothing_else(site):
    site.add("broken", {"partbook.workers": {"bad": "broken:PLUGIN"}}, broken="import nowhere\n")
    site.add("whole", {"partbook.workers": {"good": "whole:PLUGIN"}}, whole=SAYS_HELLO)

    bad = site.partbook("run", "--pool", site.pool("bad"), "Hi")
    good = site.partbook("run", "--pool", site.pool("good"), "Hi")
    listed = site.partbook("plugins", "--json")

    assert bad.returncode == 2
    assert bad.stderr == (
        "error: the kind of worker 'bad' of broken 1.0 cannot be loaded: ModuleNotFoundError: No "
        "module named 'nowhere' (broken.py, line 1)\n"
    )
    assert (good.returncode, good.stdout) == (0, "hello\n")
    found = {one["name"]: one["trouble"] for one in json.loads(listed.stdout)}
    assert found["good"] is None
    assert found["bad"].endswith("No module named 'nowhere' (broken.py, line 1)")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (
            SAYS_HELLO.replace("api=1", "api=2"),
            "was written for version 2 of the plug-in interface, this Partbook has version 1; "
            "install a version of odd that fits",
        ),
        ("PLUGIN = 3\n", "odd:PLUGIN must be a WorkerPlugin, found int"),
        ("raise SystemExit(0)\n", "cannot be loaded: SystemExit: 0"),
        (SAYS_HELLO.replace("PLUGIN", "OTHER"), "has no attribute 'PLUGIN'"),
    ],
    ids=["another version", "another type", "an exit", "no such object"],
)
def test_what_is_no_plug_in_of_this_version_is_refused(site, source, said):
    site.add("odd", {"partbook.workers": {"odd": "odd:PLUGIN"}}, odd=source)

    done = site.partbook("run", "--pool", site.pool("odd"), "Hi")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: the kind of worker 'odd' of odd 1.0")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_name_of_partbooks_own_cannot_be_taken_over(site):
    site.add(
        "thief",
        {
            "partbook.workers": {"calculator": "thief:PLUGIN"},
            "partbook.judges": {"short": "thief:PLUGIN"},
            "partbook.tasks": {"gsm8k": "thief:PLUGIN", "lab": "thief:PLUGIN"},
            "partbook.systems": {"random": "thief:PLUGIN"},
        },
        thief=MARKED,
    )

    computed = site.partbook("run", "--pool", site.pool("calculator"), "6 * 7")
    judged = site.partbook("judge", "short", stdin='{"gold": "tin", "pred": "tin"}')
    compared = site.partbook("evaluate", "lab", "--systems", "random", "-n", "2")
    listed = site.partbook("plugins")

    assert computed.stdout == "42\n"
    assert judged.stdout.startswith("right")
    assert compared.returncode == 0
    assert not (site.folder / "loaded").exists()
    assert (listed.returncode, listed.stdout.count("the name is Partbook's own")) == (1, 5)


def test_no_code_of_a_plug_in_runs_unless_its_name_is_asked_for(site):
    points = {
        "partbook.workers": {"hello": "hi:PLUGIN"},
        "partbook.systems": {"greet": "hi:PLUGIN"},
    }
    site.add("hi", points, hi=MARKED + SAYS_HELLO)
    loaded = site.folder / "loaded"

    site.partbook("--help")
    site.partbook("pool", "list")
    site.partbook("task", "list")
    site.partbook("run", "--pool", "lab", "Count the vowels in the word castle.")
    site.partbook("evaluate", "lab", "--systems", "worker:gus", "-n", "2")
    before = loaded.exists()
    site.partbook("pool", "show", site.pool("hello"))

    assert (before, loaded.exists()) == (False, True)


@pytest.mark.parametrize(
    "kind", ["evil", "evil:PLUGIN", "./evil.py", "evil.py", "partbook.workers"]
)
def test_a_pool_file_cannot_lead_to_code(site, kind):
    (site.folder / "evil.py").write_text(MARKED + SAYS_HELLO)

    done = site.partbook("run", "--pool", site.pool(kind), "Hi")

    assert done.returncode == 2
    assert f"found '{kind}'" in done.stderr
    assert not (site.folder / "loaded").exists()


def test_settings_go_to_the_plug_in_and_wrong_ones_are_refused(site):
    says = worker(
        "return Completion(str(dict(self.spec.plugged.settings)), Usage(1, 1))",
        'settings={"limit": 10, "place": "here"}',
    )
    site.add("own", {"partbook.workers": {"own": "own:PLUGIN"}}, own=says)

    usual = site.partbook("run", "--pool", site.pool("own"), "Hi")
    given = site.partbook("run", "--pool", site.pool("own", "settings = { limit = 3 }"), "Hi")
    wrong = site.partbook("run", "--pool", site.pool("own", 'settings = { limit = "3" }'), "Hi")
    unknown = site.partbook("run", "--pool", site.pool("own", "settings = { limits = 3 }"), "Hi")

    assert usual.stdout == "{'limit': 10, 'place': 'here'}\n"
    assert given.stdout == "{'limit': 3, 'place': 'here'}\n"
    assert (wrong.returncode, unknown.returncode) == (2, 2)
    assert "`limit` must be a whole number, found '3'" in wrong.stderr
    assert "unknown key `limits`; did you mean `limit`?" in unknown.stderr


def test_what_a_worker_raises_fails_its_step_and_shows_no_key(site):
    site.add(
        "own",
        {"partbook.workers": {"own": "own:PLUGIN"}},
        own=worker("raise RuntimeError('refused ' + self.key.reveal())"),
    )
    pool = site.pool("own", 'key_env = "OWN_KEY"')

    done = site.partbook("run", "--json", "--pool", pool, "Hi", OWN_KEY="sk-0123456789abcdefgh")

    trace = json.loads(done.stdout)
    assert (done.returncode, trace["status"], trace["reason"]) == (1, "failed", "worker")
    assert (
        "the kind of worker 'own' of own 1.0 failed: RuntimeError: refused [key]" in trace["detail"]
    )
    assert "sk-0123456789" not in done.stdout + done.stderr


def test_a_worker_that_may_send_text_elsewhere_is_not_local_and_has_no_price(site):
    site.add("away", {"partbook.workers": {"away": "away:PLUGIN"}}, away=SAYS_HELLO)
    here = SAYS_HELLO.replace('about="a worker"', 'about="a worker", is_here=True, is_tool=True')
    site.add("here", {"partbook.workers": {"here": "here:PLUGIN"}}, here=here)

    refused = site.partbook("run", "--pool", site.pool("away"), "--only", "local", "Hi")
    unpriced = site.partbook("run", "--pool", site.pool("away"), "--max-usd", "1", "Hi")
    priced = site.partbook(
        "run", "--pool", site.pool("here"), "--only", "local", "--max-usd", "0", "Hi"
    )

    assert (refused.returncode, "own is not on this machine" in refused.stderr) == (2, True)
    assert (unpriced.returncode, "unknown: own" in unpriced.stderr) == (2, True)
    assert (priced.returncode, priced.stdout) == (0, "hello\n")


def test_what_a_judge_raises_is_not_judged(site):
    judge = """
    from partbook.plugin_api import ConfigError, JudgePlugin

    class Odd:
        async def judge(self, text):
            return {}["x"] if text == "raise" else "right"

    def made(fields):
        if fields["reference"] == "bad":
            raise ConfigError("a good reference was expected")
        return 1 / 0 if fields["reference"] == "bug" else Odd()

    PLUGIN = JudgePlugin(api=1, about="odd", make=made)
    """
    site.add("odd", {"partbook.judges": {"odd": "odd:PLUGIN"}}, odd=judge)

    def said(gold: str, pred: str) -> str:
        done = site.partbook("judge", "odd", stdin=json.dumps({"gold": gold, "pred": pred}))
        return done.stdout + done.stderr

    assert said("x", "raise") == (
        "not judged: the judge 'odd' of odd 1.0 failed: KeyError: 'x' (odd.py, line 6)\n"
    )
    assert said("x", "ok") == "not judged: the judge 'odd' of odd 1.0 gave str, not a Verdict\n"
    assert said("bad", "ok") == "error: a good reference was expected\n"
    assert said("bug", "ok") == (
        "error: the judge 'odd' of odd 1.0 takes no such problem: ZeroDivisionError: division by "
        "zero (odd.py, line 11)\n"
    )


@pytest.mark.parametrize(
    ("load", "said"),
    [
        ("1 / 0", "cannot be loaded: ZeroDivisionError: division by zero (odd.py, line 7)"),
        ("None", "gave NoneType where a Task was expected"),
        ("Task('other', '', {}, '')", "calls its problems 'other'"),
        ("Task('odd', '', {}, '')", "has no problems in the split 'test'"),
        ("Task('odd', '', {'test': (one(), one())}, '')", "has two problems with the id '1'"),
        ("Task('odd', '', {'test': (one('x'),)}, '')", "with a judge 'x' that there is not"),
    ],
)
def test_what_a_task_loads_is_looked_at(site, load, said):
    task = f"""
    from partbook.plugin_api import Problem, Task, TaskPlugin

    def one(judge="short"):
        return Problem("1", "odd", "Which?", judge, "short", "this")
    def loaded(wanted):
        return {load}

    PLUGIN = TaskPlugin(api=1, about="odd", judge="short", load=loaded)
    """
    site.add("odd", {"partbook.tasks": {"odd": "odd:PLUGIN"}}, odd=task)

    done = site.partbook("task", "show", "odd")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: the task 'odd' of odd 1.0 ")
    assert said in done.stderr


def test_a_system_that_fails_ends_the_evaluation_which_goes_on_once_it_is_mended(site):
    system = """
    from partbook.plugin_api import SystemPlugin, SystemWanted

    class Odd:
        def __init__(self, name):
            self.name = name

        async def answer(self, sitting):
            raise LookupError("nobody")

    PLUGIN = SystemPlugin(1, "odd", lambda wanted: Odd(wanted.name), lambda number, models: (1, 1))
    """
    site.add("odd", {"partbook.systems": {"odd": "odd:PLUGIN"}}, odd=system)
    asked = ("evaluate", "lab", "--systems", "odd", "-n", "2", "--out", "out")

    failed = site.partbook(*asked)
    module = site.folder / "odd.py"
    module.write_text(module.read_text().replace('raise LookupError("nobody")', 'return "17"'))
    mended = site.partbook(*asked)

    assert failed.returncode == 2
    assert (
        "the system 'odd' of odd 1.0 failed: LookupError: nobody (odd.py, line 9)" in failed.stderr
    )
    assert "Traceback" not in failed.stderr
    assert (mended.returncode, "odd" in mended.stdout) == (0, True)


def test_results_of_another_version_of_a_plug_in_are_not_gone_on_with(site, tmp_path):
    points = {"partbook.workers": {"hello": "hi:PLUGIN"}}
    site.add("hi", points, hi=SAYS_HELLO)
    task = tmp_path / "task.jsonl"
    task.write_text('{"question": "Say hello.", "answer": "hello"}\n')
    asked = (
        "evaluate",
        str(task),
        "--pool",
        site.pool("hello"),
        "--systems",
        "worker:own",
        "--out",
        "out",
    )

    first = site.partbook(*asked)
    (site.folder / "hi-1.0.dist-info").rename(site.folder / "hi-1.1.dist-info")
    info = site.folder / "hi-1.1.dist-info" / "METADATA"
    info.write_text(info.read_text().replace("1.0", "1.1"))
    second = site.partbook(*asked)

    assert (first.returncode, second.returncode) == (0, 2)
    assert "its plug-in partbook.workers/hello is hi 1.0, here it is hi 1.1" in second.stderr


def test_without_plug_ins_the_list_says_so(site):
    done = site.partbook("plugins")

    assert (done.returncode, done.stdout) == (0, "no plug-ins are installed; see docs/plugins.md\n")


def test_an_unknown_name_is_answered_with_those_of_plug_ins_too(site):
    site.add("hi", {"partbook.workers": {"hello": "hi:PLUGIN"}}, hi=SAYS_HELLO)

    done = site.partbook("pool", "show", site.pool("hallo"))

    assert "`kind` must be one of http, local, torch" in done.stderr
    assert "conductor, hello; found 'hallo'" in done.stderr


def test_the_surface_for_plug_ins_holds_what_it_lists():
    told = subprocess.run(
        [
            sys.executable,
            "-c",
            "import partbook.plugin_api as a; print(all(hasattr(a, n) for n in a.__all__))",
        ],
        capture_output=True,
        text=True,
        check=True,
    )

    assert told.stdout == "True\n"
