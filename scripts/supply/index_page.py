"""The README as a package index shows it, where links into the tree would lead nowhere.

A metadata hook of hatchling, loaded by its path while the wheel is built: standard library and
hatchling only. Once `[project.urls]` of pyproject.toml names a `Source`, links and pictures lead
there, at the tag of the version. Without one a link becomes its words and its path, which the
source distribution has, and a picture is left out.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

__all__ = ["IndexPage", "standing_alone"]

_INTO_THE_TREE = re.compile(r"(?P<picture>!?)\[(?P<words>[^]]*)\]\((?!\w+:|#)(?P<path>[^)\s]+)\)")


def standing_alone(markdown: str, source: str = "", version: str = "") -> str:
    """Markdown without relative links.

    Args:
        markdown: with links that are relative to the root of the tree.
        source: address of the repository, without a slash at its end; empty: there is none.
        version: the release, whose tag is `v` and the version.

    >>> standing_alone("see [docs/a.md](docs/a.md) and [b](docs/b.md)")
    'see docs/a.md and b (docs/b.md)'
    >>> standing_alone("see [b](docs/b.md)", "https://example.org/p", "0.1.0")
    'see [b](https://example.org/p/blob/v0.1.0/docs/b.md)'
    """

    def put(found: re.Match[str]) -> str:
        picture, words, path = found.group("picture", "words", "path")
        if source:
            kind = "raw" if picture else "blob"
            return f"{picture}[{words}]({source}/{kind}/v{version}/{path})"
        if picture:
            return ""
        return path if words == path else f"{words} ({path})"

    return _INTO_THE_TREE.sub(put, markdown)


class IndexPage(MetadataHookInterface):
    """Puts the README that stands alone into the metadata."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set `readme` of the project's table."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        source = metadata.get("urls", {}).get("Source", "").rstrip("/")
        alone = standing_alone(text, source, metadata["version"])
        metadata["readme"] = {"content-type": "text/markdown", "text": alone}
