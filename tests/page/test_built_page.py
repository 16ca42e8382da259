"""The built page is what its sources make, and says whose work is in it."""

import re
import shutil

import pytest
from scripts.page_stamp import ROOT, built_files, main

STATIC = ROOT / "src/partbook/page/static"


@pytest.fixture
def copies(tmp_path):
    """Copies of the sources and of the built page, and the arguments that name them."""
    web, static = tmp_path / "web", tmp_path / "static"
    shutil.copytree(ROOT / "web", web, ignore=shutil.ignore_patterns("node_modules"))
    shutil.copytree(STATIC, static)
    return web, static, ["--web", str(web), "--static", str(static)]


def test_the_page_in_the_repository_is_built_from_the_sources_beside_it():
    assert main(["--check"]) == 0


def test_a_source_that_was_changed_since_is_noticed(copies, capsys):
    web, _, places = copies
    (web / "src" / "app.tsx").write_text("")

    assert main(["--check", *places]) == 1
    assert "npm --prefix web run build" in capsys.readouterr().err


def test_a_built_file_that_was_changed_by_hand_is_noticed(copies):
    _, static, places = copies
    next(static.glob("assets/*.js")).write_text("")

    assert main(["--check", *places]) == 1


def test_a_stamp_makes_it_current_and_tests_of_the_page_do_not_count(copies):
    web, _, places = copies
    (web / "src" / "app.tsx").write_text("")
    main(places)
    (web / "src" / "new.test.ts").write_text("")

    assert main(["--check", *places]) == 0


def test_nothing_in_the_page_is_inline_or_from_elsewhere():
    html = (STATIC / "index.html").read_text()

    assert not re.search(r"<style|<script(?![^>]*\ssrc=)|\sstyle=|\son\w+=", html)
    assert re.findall(r'(?:src|href)="([^"]+)"', html) == [
        name for name in re.findall(r'(?:src|href)="([^"]+)"', html) if name.startswith("/assets/")
    ]


def test_the_licences_of_what_is_in_the_page_come_along():
    told = (STATIC / "assets" / "licences.txt").read_text()
    empty = [part.split("\n")[0] for part in told.split("\n\n== ") if len(part) < 200]

    assert {"react", "@xyflow/react", "katex"} <= set(re.findall(r"^== (\S+)", told, re.M))
    assert empty == []
    assert not [path for path in built_files(STATIC) if path.suffix == ".map"]
