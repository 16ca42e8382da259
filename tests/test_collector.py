import subprocess
import sys

PLAY = """
import gc, sys
import partbook
print(gc.get_threshold())
from partbook.cli.main import main
sys.argv = ["partbook", "--version"]
try:
    main()
except SystemExit:
    print(gc.get_threshold())
"""


def test_commands_collect_garbage_seldom_and_an_import_changes_nothing():
    usual = subprocess.run(
        [sys.executable, "-c", "import gc; print(gc.get_threshold())"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    done = subprocess.run([sys.executable, "-c", PLAY], capture_output=True, text=True, check=True)

    lines = done.stdout.splitlines()
    assert lines[0] == usual.strip()
    assert lines[1].startswith("partbook ")
    assert lines[2] == "(10000, 50, 50)"
