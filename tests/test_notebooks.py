"""The notebooks of `examples/` run from their first cell to their last, and say what they say.

They are kept without outputs: what a cell prints belongs to whoever runs it, and goes stale. What
their text relies on is looked for here in what the cells really print.
"""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="needs the packages of `make dev`")

EXAMPLES = Path(__file__).parent.parent / "examples"
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))
MOST_CPU_S = 25

SAYS = {
    "start": (
        "answered | Here is what I found. Answer: egaro",
        "I worked it out. Answer: egnaro",
        "step 0: access 1 is not an earlier step (there is none)",
        "stopped | the limit of 1 calls is reached",
    ),
    "evaluate": ("self-consistency:5@gus beside worker:ada", "a difference", "60 then 80 problems"),
    "learning": (
        "the best workflow        right     1.0",
        "[-0.5, 0.0, 0.0, 0.5]",
        "step 40 sampled  right 0.61",
    ),
}

RUN = """
import sys, warnings
warnings.simplefilter("ignore")
import nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
for cell in notebook.cells:
    for output in cell.get("outputs", ()):
        print(output.get("text") or output.get("data", {}).get("text/plain", ""))
"""


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_a_notebook_runs_without_a_key_and_prints_what_its_text_says(path, tmp_path):
    env = os.environ | {
        "JUPYTER_PLATFORM_DIRS": "1",
        "IPYTHONDIR": str(tmp_path),
        "PARTBOOK_STORE": str(tmp_path / "runs.db"),
        "TMPDIR": str(tmp_path),
    }
    before = resource.getrusage(resource.RUSAGE_CHILDREN)

    done = subprocess.run(
        [sys.executable, "-c", RUN, str(path)],
        capture_output=True,
        text=True,
        cwd=EXAMPLES,
        env=env,
        timeout=300,
        check=False,
    )

    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stderr[-2000:]
    assert [said for said in SAYS[path.stem] if said not in done.stdout] == []
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < MOST_CPU_S


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_a_notebook_is_kept_without_outputs(path):
    notebook = nbformat.read(path, as_version=4)

    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell for cell in code if cell.outputs or cell.execution_count is not None] == []


def test_every_notebook_is_looked_at():
    assert {path.stem for path in NOTEBOOKS} == set(SAYS)
