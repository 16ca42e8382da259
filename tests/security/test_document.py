"""docs/security.md names what is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")


def test_every_module_and_test_that_the_document_names_is_there():
    named = set(re.findall(r"`([\w/.-]+(?:\.py|/))`", TEXT))
    below = [ROOT, ROOT / "src" / "partbook"]

    missing = {name for name in named if not any((place / name).exists() for place in below)}

    assert len(named) > 30
    assert missing == set()


def test_every_link_inside_the_document_leads_somewhere():
    headings = re.findall(r"^## (.+)$", TEXT, re.MULTILINE)
    anchors = {heading.lower().replace(" ", "-") for heading in headings}

    assert set(re.findall(r"\]\(#([\w-]+)\)", TEXT)) <= anchors
