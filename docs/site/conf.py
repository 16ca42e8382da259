"""How Sphinx makes the site: `make site`.

The source folder is the repository, because pages link to README, sources and protocols; what is
no page is left out below. Links to files that are no pages become downloads. A link or an anchor
that leads nowhere ends the build (`-W`), and so does a page that no table of contents names.
The theme loads nothing from elsewhere.
"""

import re
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

ROOT = Path(__file__).parent.parent.parent

project = "Partbook"
author = "the Partbook authors"
copyright = "the Partbook authors, Apache-2.0"
language = "en"

extensions = ["myst_parser"]
root_doc = "docs/index"
include_patterns = [
    *("README.md", "README.ko.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"),
    *("docs/**.md", "examples/bills/README.md", "src/partbook/conductors/embedded.md"),
    "runs/embedded/gsm8k.md",
]
exclude_patterns = [".*", "bench", "build", "dist", "node_modules", "web", "site", "**/__pycache__"]

myst_heading_anchors = 4
myst_enable_extensions: list[str] = []

html_favicon = "../../web/src/mark.svg"
html_theme = "furo"
html_title = "Partbook"
html_extra_path = ["root", "../reports"]
html_static_path = ["static"]
html_css_files = ["partbook.css"]
html_copy_source = False
html_show_sourcelink = False
html_last_updated_fmt = ""
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#a5341c",
        "color-brand-content": "#a5341c",
        "color-background-primary": "#fefcf6",
        "color-background-secondary": "#f8f4ea",
    },
    "dark_css_variables": {"color-brand-primary": "#f0a080", "color-brand-content": "#f0a080"},
}


def setup(app: Sphinx) -> None:
    """Register what follows."""
    app.connect("source-read", _leave_out_what_is_not_there)
    app.connect("source-read", _name_folders)
    app.connect("doctree-read", _open_reports)
    app.connect("html-page-context", _say_the_language)


def _leave_out_what_is_not_there(app: Sphinx, name: str, source: list[str]) -> None:
    """Drop the patterns of the table of contents that no page fits: `NAME*` may be missing."""
    if name == app.config.root_doc:
        kept = [
            line
            for line in source[0].splitlines()
            if not line.endswith("*") or any((ROOT / "docs").glob(f"{line}.md"))
        ]
        source[0] = "\n".join(kept)


def _name_folders(app: Sphinx, name: str, source: list[str]) -> None:
    """Leave of a link to a folder of the repository its words: the site has no page for it."""
    here = (ROOT / name).parent

    def named(link: re.Match[str]) -> str:
        return link[1] if (here / link[2]).is_dir() else link[0]

    source[0] = re.sub(r"\[([^\]]+)\]\(([^)#:]+)\)", named, source[0])


def _open_reports(app: Sphinx, doctree: nodes.document) -> None:
    """Show the reports of evaluations, which are pages, in place of offering them as files."""
    for link in list(doctree.findall(addnodes.download_reference)):
        path = Path(str(link["reftarget"]))
        if path.suffix == ".html":
            depth = app.env.docname.count("/")
            target = "../" * depth + path.name
            link.replace_self(nodes.reference("", "", *link.children, refuri=target))


def _say_the_language(
    app: Sphinx, name: str, template: str, context: dict[str, object], doctree: object
) -> None:
    """Mark Korean pages as such, for screen readers and for the choice of fonts."""
    if name.endswith(".ko"):
        context["language"] = "ko"
