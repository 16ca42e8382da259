import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("trl")

SCRIPT = Path(__file__).parent / "two_ranks.py"


def test_two_ranks_share_the_groups_and_stay_equal(tmp_path):
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]

    subprocess.run(
        [*command, str(SCRIPT), str(tmp_path)],
        check=True,
        timeout=120,
        capture_output=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )

    first, second = (json.loads((tmp_path / f"rank-{i}.json").read_text()) for i in (0, 1))
    # Three groups of four over two ranks: one group is split between them.
    assert [len(rows) for rows in first["seen"]] == [6, 6]
    assert first["seen"][0][-1] == second["seen"][0][0]
    assert first["weights"] == second["weights"]
    assert (tmp_path / "checkpoint-2" / "trainer_state.json").exists()
