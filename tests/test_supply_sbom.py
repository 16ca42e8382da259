"""The bills of materials: valid, complete, and the same each time."""

import json

import pytest

pytest.importorskip("cyclonedx", reason="needs pip install 'partbook[dev]'")
pytest.importorskip("torch", reason="needs make dev")

from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component
from scripts.supply.asked import Asked
from scripts.supply.closure import closure, installed
from scripts.supply.licences import page_parts
from scripts.supply.sbom import bill, written

from partbook.models.registry import known_models


@pytest.fixture(scope="module")
def core():
    return json.loads(written(bill(everything=False)))


@pytest.fixture(scope="module")
def everything():
    return json.loads(written(bill(everything=True)))


def names(said, prefix):
    return {one["name"] for one in said["components"] if one["bom-ref"].startswith(prefix)}


def test_a_bill_that_the_schema_refuses_is_not_written():
    made = Bom(components=[Component(name="some", version="1")])
    made.version = -1

    with pytest.raises(ValueError, match=r"not a bill of CycloneDX 1\.6"):
        written(made)


def test_the_core_is_listed_with_what_the_wheel_carries_and_no_extra(core):
    assert names(core, "pypi:") == closure(Asked.read().core).keys()
    assert len(names(core, "npm:")) == len({one.name.split("/")[-1] for one in page_parts()})
    assert names(core, "conductor:") == {"embedded"}
    assert names(core, "model:") == set()


def test_everything_is_listed_in_the_versions_that_are_installed(everything):
    asked = Asked.read()
    versions = {
        one["name"]: one["version"]
        for one in everything["components"]
        if one["bom-ref"].startswith("pypi:")
    }
    here = installed()

    assert versions.keys() == closure([*asked.everything, *asked.build]).keys()
    assert {name: here[name].version for name in versions} == versions
    assert {"torch", "starlette", "pytest", "hatchling"} <= versions.keys()


def test_models_have_the_hash_and_licence_of_their_file(everything):
    listed = {
        one["name"]: (one["hashes"], one["licenses"], one["type"])
        for one in everything["components"]
        if one["bom-ref"].startswith("model:")
    }

    assert listed == {
        one.name: (
            [{"alg": "SHA-256", "content": one.sha256}],
            [{"license": {"id": one.licence}}],
            "machine-learning-model",
        )
        for one in known_models()
    }


def test_every_part_has_a_licence_and_a_way_to_it_from_the_root(everything):
    needs = {one["ref"]: one.get("dependsOn", []) for one in everything["dependencies"]}
    reached, waiting = set(), ["partbook"]
    while waiting:
        if (one := waiting.pop()) not in reached:
            reached.add(one)
            waiting += needs[one]

    assert all(one["licenses"] for one in everything["components"])
    assert {one["bom-ref"] for one in everything["components"]} == reached - {"partbook"}


def test_it_is_the_same_when_it_is_written_again(core):
    assert json.loads(written(bill(everything=False))) == core
