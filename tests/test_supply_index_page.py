"""The README as a package index shows it."""

import pytest

pytest.importorskip("hatchling", reason="needs make dev")
from scripts.supply.index_page import standing_alone


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("[docs/pool.md](docs/pool.md)", "docs/pool.md"),
        ("[한국어](README.ko.md)", "한국어 (README.ko.md)"),
        ("a\n![A run](docs/images/run.png)\nb", "a\n\nb"),
        ("[paper](https://arxiv.org/abs/2512.04388)", "[paper](https://arxiv.org/abs/2512.04388)"),
        ("[below](#files)", "[below](#files)"),
        ("[mail](mailto:a@example.org)", "[mail](mailto:a@example.org)"),
        ("access = [0] (none)", "access = [0] (none)"),
    ],
)
def test_without_an_address_links_into_the_tree_become_words(written, shown):
    assert standing_alone(written) == shown


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("[b](docs/b.md#c)", "[b](https://example.org/p/blob/v1.2.0/docs/b.md#c)"),
        ("![A run](a.png)", "![A run](https://example.org/p/raw/v1.2.0/a.png)"),
        ("[below](#files)", "[below](#files)"),
    ],
)
def test_with_an_address_they_lead_to_the_tag_of_the_version(written, shown):
    assert standing_alone(written, "https://example.org/p", "1.2.0") == shown
