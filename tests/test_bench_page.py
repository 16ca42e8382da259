"""The page of `make bench`, built from figures that stand here; what measures them is not run."""

from bench.sheet import PARTS, SECTIONS, page

ABOUT = {"cores": "2", "load at the start": "0.10"}


def engine(file, ratio, times, rival=False):
    return {
        "file": file,
        "engine": file.title(),
        "rival": rival,
        "ratio": [ratio, ratio - 0.1, ratio + 0.1],
        "times": [times, times - 0.1, times + 0.1],
        "cpu_ms": 0.5 * ratio,
        "peak_mb": 60.0,
        "wrong": 0,
    }


def engines_page(ours, rival):
    rows = [engine("partbook", ours, 1.0), engine("langgraph", rival * ours, rival, rival=True)]
    return page(ABOUT, {"engines": {"engines": rows}})


def test_every_part_has_its_section():
    assert [part.name for part in PARTS] == list(SECTIONS)


def test_a_ratio_stands_beside_its_spread_its_bar_and_the_verdict():
    text = engines_page(1.42, 12.0)

    assert "cores 2, load at the start 0.10" in text
    assert (
        "| Partbook | 0.71 | 1.42 (1.32 to 1.52) | 1.00 (0.90 to 1.10) | 60 | 0 "
        "| at most 1.5 x aiohttp | holds |"
    ) in text
    assert "12.00 (11.90 to 12.10) | 60 | 0 | at least 5 x ours | holds |" in text


def test_a_bar_that_does_not_hold_is_missed():
    text = engines_page(1.51, 4.9)

    assert "| at most 1.5 x aiohttp | **missed** |" in text
    assert "| at least 5 x ours | **missed** |" in text


def test_growth_is_judged_by_the_cost_with_a_thousand_at_once():
    point = {
        "concurrency": 1000,
        "steps": 3,
        "cpu_ms_per_workflow": 0.8,
        "peak_rss_mb": 120.0,
        "connections": 2000,
        "workflows_per_s": 900.0,
    }
    found = {"points": [point], "growth": [1.25, 1.2, 1.3], "wrong": 0}

    text = page(ABOUT, {"growth": {"engines": {"partbook-seldom": found}}})

    assert "| partbook-seldom | 1,000 | 3 | 0.80 | 120 | 2000 | 900 |" in text
    assert (
        "takes 1.25 (1.20 to 1.30) times the CPU time of one of 10; at most 1.2: **missed**" in text
    )


def test_a_list_with_lost_runs_is_missed_however_fast_it_is():
    row = {"name": "SQLite", "runs": 9999, "lost": 1, "wall_ms": 40.0, "cpu_ms": 39.0}

    text = page(ABOUT, {"store": {"databases": [row, row | {"runs": 10000, "lost": 0}]}})

    assert "| SQLite | 9,999 | 1 | 40.0 | 39.0 | below 50 ms for 10,000 | **missed** |" in text
    assert "| SQLite | 10,000 | 0 | 40.0 | 39.0 | below 50 ms for 10,000 | holds |" in text


def test_a_part_that_failed_is_missed():
    text = page(ABOUT, {"lab": None})

    assert "## Lab\n\nfailed: **missed**" in text
