"""Licences: read from metadata, permitted or excepted by name, and listed as they are."""

import json
import re
from importlib.metadata import Distribution, PathDistribution

import pytest

pytest.importorskip("license_expression", reason="needs pip install 'partbook[dev]'")
pytest.importorskip("torch", reason="needs make dev")

from scripts.supply.asked import ROOT
from scripts.supply.licence_of import allowed, licence_of
from scripts.supply.licences import NOTICES, Item, Rules, check, items, main, page, page_parts

NO_RULES = Rules(frozenset({"MIT", "Apache-2.0"}), {}, {}, {})


@pytest.fixture
def package(tmp_path):
    """Makes a package that says this about itself."""

    def make(*rows: str) -> Distribution:
        folder = tmp_path / "some-1.dist-info"
        folder.mkdir()
        head = "Metadata-Version: 2.4\nName: some\nVersion: 1\n"
        (folder / "METADATA").write_text(head + "".join(f"{row}\n" for row in rows))
        return PathDistribution(folder)

    return make


@pytest.mark.parametrize(
    ("rows", "licence"),
    [
        (["License-Expression: MIT OR Apache-2.0"], "MIT OR Apache-2.0"),
        (["License-Expression: MIT", "License: GPL-3.0-only"], "MIT"),
        (["License: MPL-2.0 AND MIT"], "MPL-2.0 AND MIT"),
        (["License: Apache 2.0"], "Apache-2.0"),
        (
            ["License: BSD 3-Clause License", "        ", "        Redistribution ..."],
            "BSD-3-Clause",
        ),
        (["License: BSD"], "LicenseRef-BSD"),
        (["Classifier: License :: OSI Approved :: MIT License"], "MIT"),
        (
            [
                "License: Dual License",
                "Classifier: License :: OSI Approved :: BSD License",
                "Classifier: License :: OSI Approved :: Apache Software License",
            ],
            "LicenseRef-BSD AND Apache-2.0",
        ),
        (["License: UNKNOWN"], ""),
        (["License: ours"], ""),
        (["Classifier: License :: Other/Proprietary License"], ""),
        (["Classifier: License :: OSI Approved :: MIT License", "Classifier: License :: Free"], ""),
        ([], ""),
    ],
)
def test_a_licence_is_read_from_whatever_metadata_name_it_and_never_guessed(package, rows, licence):
    assert licence_of(package(*rows)) == licence


@pytest.mark.parametrize(
    ("expression", "holds"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("MIT OR GPL-3.0-only", True),
        ("MIT AND GPL-3.0-only", False),
        ("(MIT OR GPL-3.0-only) AND Apache-2.0", True),
        ("Apache-2.0 WITH LLVM-exception", False),
    ],
)
def test_all_sides_of_and_must_be_permitted_and_one_side_of_or(expression, holds):
    assert allowed(expression, NO_RULES.permitted) == holds


def test_an_unknown_licence_is_refused_in_a_sentence():
    assert check([Item("package", "some", "", ("core",))], NO_RULES) == [
        "package some names no licence that is known; read the files that come with it and state "
        "it in scripts/supply/licences.toml, or do without it"
    ]


@pytest.mark.parametrize("kind", ["package", "model", "page", "conductor"])
def test_copyleft_is_refused_in_a_sentence_whoever_it_comes_with(kind):
    assert check([Item(kind, "some", "MIT AND AGPL-3.0-only")], NO_RULES) == [
        f"{kind} some is under MIT AND AGPL-3.0-only, and AGPL-3.0-only is not permitted; do "
        "without it, or add an exception with its reason to licences.toml"
    ]


def test_an_exception_is_for_one_licence_of_one_package_and_for_those_who_may_need_it():
    mpl = ("some", "MPL-2.0")
    rules = Rules(NO_RULES.permitted, {}, {mpl: "why"}, {mpl: frozenset({"dev"})})

    assert check([Item("package", "some", "MPL-2.0 AND MIT", ("dev",))], rules) == []
    assert len(check([Item("package", "some", "MPL-2.0 AND MIT", ("dev", "core"))], rules)) == 1
    assert len(check([Item("package", "some", "GPL-3.0-only", ("dev",))], rules)) == 2
    assert len(check([Item("package", "other", "MPL-2.0", ("dev",))], rules)) == 2


def test_an_exception_that_nothing_needs_any_more_is_refused():
    rules = Rules(NO_RULES.permitted, {}, {("gone", "MPL-2.0"): "why"}, {})

    assert check([Item("package", "some", "MIT", ("core",))], rules) == [
        "scripts/supply/licences.toml has a rule that nothing needs: gone (MPL-2.0)"
    ]


def test_everything_that_is_used_and_shipped_is_permitted_and_listed():
    rules = Rules.read()
    every = items(rules)
    kinds = {one.kind for one in every}

    assert check(every, rules) == []
    assert main(["--check"]) == 0
    assert kinds == {"package", "model", "conductor", "page"}
    assert all(f"| {one.name} | " in page(every, rules) for one in every)


def test_the_core_is_under_permissive_licences_alone():
    rules = Rules.read()
    core = [one for one in items(rules) if one.used_by == ("core",)]

    assert len(core) > 20
    assert not [one.name for one in core if not allowed(one.licence, rules.permitted)]


def test_each_part_of_the_page_is_told_in_the_version_and_licence_that_was_built():
    told = {one.name: (one.note, one.licence) for one in page_parts()}
    lock = json.loads((ROOT / "web" / "package-lock.json").read_text())["packages"]
    locked = {
        name: (lock[f"node_modules/{name}"]["version"], lock[f"node_modules/{name}"]["license"])
        for name in told
    }
    nested = [path for path in lock if path.count("node_modules/") > 1]

    assert told == locked
    assert not [path for path in nested if path.rsplit("node_modules/", 1)[1] in told]


def test_what_the_page_depends_on_is_in_its_notices():
    told = {one.name for one in page_parts()}
    wanted = json.loads((ROOT / "web" / "package.json").read_text())["dependencies"]

    assert wanted.keys() <= told


def test_each_notice_holds_a_licences_text():
    texts = re.split(r"^== .*$", NOTICES.read_text(), flags=re.MULTILINE)[1:]

    assert len(texts) == len(page_parts())
    assert all(re.search(r"copyright|permission|licen[sc]e", text, re.IGNORECASE) for text in texts)
