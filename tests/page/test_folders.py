"""Reports and trainings, found under one folder."""

import json
import os
import time

import pytest

pytest.importorskip("starlette", reason="needs pip install 'partbook[serve]'")

from partbook.store import Store, Tags
from tests.fakes import pool_of
from tests.page.live import page_serving
from tests.server.models import Saying
from tests.traces import a_trace

REPORT = {"title": "2 systems on 3 problems", "problems": 3, "systems": [{"system": "a"}]}
RESOLVED = {"preset": {"name": "tiny", "about": "small", "grpo": {"steps": 20}}, "seed": 1}


@pytest.fixture
def root(tmp_path):
    return tmp_path / "runs"


def write(root, name: str, **files: object) -> None:
    folder = root / name
    folder.mkdir(parents=True)
    for file, data in files.items():
        kind, name = file.split("_")
        text = data if isinstance(data, str) else json.dumps(data)
        (folder / f"{name}.{kind}").write_text(text)


def lines(*values: object) -> str:
    return "".join(f"{json.dumps(value)}\n" for value in values)


async def test_reports_are_listed_the_newest_first_and_shown_as_they_were_written(place, root):
    write(root, "deep/rivals", json_report=REPORT)
    write(root, "exam", json_report=REPORT | {"title": "an exam"})
    os.utime(root / "deep" / "rivals" / "report.json", (1.0, 1.0))
    async with page_serving(pool_of(Saying(("42",))), place, reports=root) as client:
        found = (await client.get("/page/reports")).body["reports"]
        one = await client.get("/page/reports/deep/rivals")
        encoded = await client.get("/page/reports/deep%2Frivals")

    assert [(one["id"], one["name"], one["about"], one["systems"]) for one in found] == [
        ("exam", "exam", "an exam", ["a"]),
        ("deep/rivals", "rivals", "2 systems on 3 problems", ["a"]),
    ]
    assert found[1]["at"] == 1.0
    assert (one.body, encoded.body) == (REPORT, REPORT)


@pytest.mark.parametrize("name", ["nothing", "../outside", "%2e%2e/outside", "/etc", "."])
async def test_no_name_leads_out_of_the_folder(place, root, name):
    write(root, "exam", json_report=REPORT)
    write(root.parent, "outside", json_report=REPORT, json_resolved=RESOLVED, jsonl_metrics="")
    async with page_serving(pool_of(Saying(("42",))), place, reports=root) as client:
        found = [await client.get(f"/page/{kind}/{name}") for kind in ("reports", "trainings")]

    assert {reply.status for reply in found} == {404}


async def test_links_are_not_followed(place, root):
    write(root.parent, "outside", json_report=REPORT)
    root.mkdir()
    (root / "link").symlink_to(root.parent / "outside")
    async with page_serving(pool_of(Saying(("42",))), place, reports=root) as client:
        found = (await client.get("/page/reports")).body

    assert found == {"reports": []}


async def test_files_that_hold_something_else_are_passed_over(place, root):
    write(root, "list", json_report="[1, 2]")
    write(root, "cut", json_report='{"systems": [')
    write(root, "other", json_report={"systems": "none"})
    write(root, "deep", json_report="[" * 100_000)
    write(root, "nan", json_report='{"systems": [], "problems": NaN}')
    async with page_serving(pool_of(Saying(("42",))), place, reports=root) as client:
        found = (await client.get("/page/reports")).body["reports"]

    assert [(one["id"], one["problems"]) for one in found] == [("nan", None)]


async def test_without_a_folder_there_is_nothing(place):
    async with page_serving(pool_of(Saying(("42",))), place) as client:
        reports = (await client.get("/page/reports")).body
        trainings = (await client.get("/page/trainings")).body

    assert (reports, trainings) == ({"reports": []}, {"trainings": []})


async def test_a_training_is_followed_step_by_step(place, root):
    steps = [{"kind": "step", "step": n, "reward": 0.5} for n in (1, 2, 3)]
    first = {"kind": "greedy", "step": 0, "accuracy": 0.1}
    metrics = lines(first, *steps) + '{"kind": "step", "step": 4, "rew'
    write(root, "out/tiny", json_resolved=RESOLVED, jsonl_metrics=metrics)
    async with page_serving(pool_of(Saying(("42",))), place, reports=root) as client:
        [listed] = (await client.get("/page/trainings")).body["trainings"]
        whole = (await client.get("/page/trainings/out/tiny")).body
        later = (await client.get("/page/trainings/out/tiny?after=2")).body

    at = listed.pop("at")
    assert abs(time.time() - at) < 60
    assert listed == {
        "id": "out/tiny",
        "name": "tiny",
        "preset": "tiny",
        "about": "small",
        "steps": 3,
        "planned_steps": 20,
        "is_running": True,
    }
    assert whole["resolved"] == RESOLVED
    assert whole["metrics"] == [first, *steps]
    assert later["metrics"] == steps[2:]
    assert whole["samples"] == []


async def test_a_training_at_its_end_or_long_silent_does_not_run(place, root):
    done = lines({"kind": "step", "step": 20, "loss": float("nan")})
    write(root, "done", json_resolved=RESOLVED, jsonl_metrics=done)
    write(root, "quiet", json_resolved=RESOLVED, jsonl_metrics=lines({"kind": "step", "step": 1}))
    os.utime(root / "quiet" / "metrics.jsonl", (1.0, 1.0))
    async with page_serving(pool_of(Saying(("42",))), place, reports=root) as client:
        found = (await client.get("/page/trainings")).body["trainings"]
        [line] = (await client.get("/page/trainings/done")).body["metrics"]

    assert [(one["id"], one["is_running"]) for one in found] == [("done", False), ("quiet", False)]
    assert line["loss"] is None


async def test_rollouts_that_were_kept_are_its_samples(place, root):
    write(root, "tiny", json_resolved=RESOLVED, jsonl_metrics="")
    with Store.open(place) as store:
        store.save(a_trace("a", 100.0), Tags("sums", "train tiny step 7", "right"))
        store.save(a_trace("b", 200.0), Tags("sums", "train tiny step 8", "wrong"))
        store.save(a_trace("c", 300.0), Tags("sums", "train tiny-2 step 1", "wrong"))
    async with page_serving(pool_of(Saying(("42",))), place, reports=root) as client:
        found = (await client.get("/page/trainings/tiny")).body["samples"]

    assert [(s["run"], s["step"], s["reward"], s["valid"], s["verdict"]) for s in found] == [
        ("b", 8, 0.5, True, "wrong"),
        ("a", 7, 1.0, True, "right"),
    ]
    assert found[0]["text"] == "model_id = [0, 1, 2]"
