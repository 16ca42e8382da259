"""The site as it is built: links lead somewhere, and nothing is loaded from elsewhere."""

import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest

pytest.importorskip("myst_parser", reason="needs what `make dev` installs")

ROOT = Path(__file__).parent.parent.parent
LOADS = {
    ("img", "src"),
    ("script", "src"),
    ("iframe", "src"),
    ("source", "src"),
    ("object", "data"),
    ("use", "href"),
}
"""What a browser fetches by itself."""


class Page(HTMLParser):
    """What a page holds: its anchors, where its links go, what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.anchors |= {given.get(name) or "" for name in ("id", "name")}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"] or "")
        if tag == "link" and given.get("rel") not in ("index", "search", "next", "prev"):
            self.loads.append(given.get("href") or "")
        self.loads += [given[name] or "" for kind, name in LOADS if kind == tag and name in given]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built strictly."""
    built = tmp_path_factory.mktemp("built") / "site"
    called = [sys.executable, "scripts/build_site.py", str(built)]
    done = subprocess.run(called, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return built


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Page]:
    """All pages by their path on the site."""
    found = site.rglob("*.html")
    return {p.relative_to(site).as_posix(): Page(p.read_text(encoding="utf-8")) for p in found}


def targets(pages: dict[str, Page]) -> Iterator[tuple[str, str, str]]:
    """Page, path on the site and anchor of every link that stays on the site."""
    for name, page in pages.items():
        for link in page.links:
            if not urlsplit(link).scheme:
                went = urlsplit(urljoin(f"/{name}", link))
                yield name, unquote(went.path).lstrip("/") or "index.html", unquote(went.fragment)


def test_every_link_leads_to_a_page_or_file(site, pages):
    missing = {(name, path) for name, path, _ in targets(pages) if not (site / path).is_file()}

    assert missing == set()


def test_every_anchor_is_there(pages):
    missing = {
        (name, path, anchor)
        for name, path, anchor in targets(pages)
        if anchor and path in pages and anchor not in pages[path].anchors
    }

    assert missing == set()


def test_nothing_is_loaded_from_another_host(site, pages):
    asked = {(name, load) for name, page in pages.items() for load in page.loads if "//" in load}
    sheets = {path.name for path in site.rglob("*.css") if "//" in _urls(path)}

    assert asked == set()
    assert sheets == set()


def test_the_guides_and_the_korean_pages_are_reachable_from_the_first_page(pages):
    reached = {path for name, path, _ in targets(pages) if name == "docs/index.html"}

    for wanted in (
        "docs/quickstart.html",
        "docs/how-it-works.html",
        "docs/guides/training-7b.html",
        "docs/reference/values.html",
        "docs/adr/0016-a-site-by-sphinx.html",
        "docs/log.html",
        "README.ko.html",
        "docs/savings.ko.html",
        "docs/audit.ko.html",
    ):
        assert wanted in reached


def _urls(sheet: Path) -> str:
    """What a style sheet fetches, as one text."""
    text = sheet.read_text(encoding="utf-8")
    parts = [part.split(")")[0] for part in text.split("url(")[1:]]
    return " ".join(part for part in parts if not part.strip("'\"").startswith("data:"))
