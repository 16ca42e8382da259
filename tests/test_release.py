"""What a release says about itself agrees: version, changelog, citation, model card."""

import datetime
import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import files, version
from pathlib import Path

import pytest
from scripts.supply.asked import LOCKED_PYTHONS

WHY = "needs the packages of `make dev`"
jsonschema = pytest.importorskip("jsonschema", reason=WHY)
yaml = pytest.importorskip("yaml", reason=WHY)
hub = pytest.importorskip("huggingface_hub", reason=WHY)

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = ROOT / "CITATION.cff"
HEADING = re.compile(r"^## (\d+\.\d+\.\d+\S*) - (\d{4}-\d{2}-\d{2})$", re.MULTILINE)


def test_the_installed_version_is_that_of_the_project():
    assert version("partbook") == PROJECT["version"], "run: pip install --no-deps -e ."


def test_the_command_and_the_package_say_the_same_version():
    called = subprocess.run(
        [sys.executable, "-m", "partbook", "--version"], capture_output=True, text=True, check=True
    )
    imported = subprocess.run(
        [sys.executable, "-c", "import partbook; print(partbook.__version__)"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert called.stdout == f"partbook {imported.stdout}" == f"partbook {version('partbook')}\n"


def test_changelog_and_citation_are_of_the_version_and_the_day():
    newest = HEADING.search((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    cited = yaml.safe_load(CITATION.read_text(encoding="utf-8"))

    assert newest is not None, "expected a heading like: ## 0.1.0 - 2026-11-30"
    assert newest.groups() == (PROJECT["version"], str(cited["date-released"]))
    assert cited["version"] == PROJECT["version"]
    assert cited["license"] == PROJECT["license"]


def test_the_chart_is_of_the_version():
    chart = yaml.safe_load((ROOT / "deploy/helm/partbook/Chart.yaml").read_text(encoding="utf-8"))

    assert (chart["version"], chart["appVersion"]) == (PROJECT["version"], PROJECT["version"])


def test_the_sample_plug_in_asks_for_this_version():
    sample = tomllib.loads((ROOT / "examples/plugin/pyproject.toml").read_text(encoding="utf-8"))
    first, second, _ = PROJECT["version"].split(".", 2)

    assert sample["project"]["dependencies"] == [
        f"partbook>={first}.{second},<{first}.{int(second) + 1}"
    ]


def test_the_classifiers_name_the_pythons_that_the_lock_is_for():
    first, end = (tuple(int(part) for part in bound.split(".")) for bound in LOCKED_PYTHONS)
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))

    assert named == [f"3.{minor}" for minor in range(first[1], end[1])]
    assert PROJECT["requires-python"] == f">={named[0]}"


def test_the_citation_is_valid_and_cites_the_paper():
    schemas = [
        path for path in files("cffconvert") or () if path.match("schemas/1.2.0/schema.json")
    ]
    if not schemas:
        pytest.skip("needs the schema: pip install --no-deps cffconvert")
    schema = json.loads(schemas[0].read_text(encoding="utf-8"))
    # JSON has no dates; YAML reads one where the schema wants its text.
    cited = json.loads(json.dumps(yaml.safe_load(CITATION.read_text()), default=_day))

    jsonschema.Draft7Validator(schema, format_checker=jsonschema.FormatChecker()).validate(cited)
    paper = cited["references"][0]
    assert paper["url"] == "https://arxiv.org/abs/2512.04388"
    assert [author["family-names"] for author in paper["authors"]] == [
        "Nielsen",
        "Cetin",
        "Schwendeman",
        "Sun",
        "Xu",
        "Tang",
    ]


def _day(value: object) -> str:
    assert isinstance(value, datetime.date)
    return value.isoformat()


def test_the_model_card_has_the_head_that_hugging_face_reads():
    card = hub.ModelCard.load(ROOT / "src/partbook/conductors/embedded.md")

    assert card.data.to_dict() == {
        "license": "apache-2.0",
        "language": ["en"],
        "base_model": "HuggingFaceTB/SmolLM2-135M-Instruct",
        "base_model_relation": "adapter",
        "library_name": "gguf",
        "pipeline_tag": "text-generation",
        "tags": ["partbook", "orchestration", "lora"],
    }
    for part in ("## What it does", "## Training", "## Figures", "## Limits", "## Licence"):
        assert part in card.text
