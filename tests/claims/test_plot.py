"""The picture of the claims: which statements are drawn, and that nothing makes no file."""

import pytest

pytest.importorskip("matplotlib")

from partbook.claims.effect import Effect
from partbook.claims.plot import plot_claims
from partbook.claims.verdicts import Claim, finding


def claims():
    """One statement in shares that holds, one in counts that fails, one that was not run."""
    gain = finding("more right answers", "", Effect((0.1, 0.2, 0.15), (0.1, 0.2)), above=0)
    longer = finding("fewer steps", "", Effect((1.0, 1.2, 1.1), None), below=0, unit="count")
    absent = finding("more of it", "", None, above=0)
    return [Claim("a", "one", (gain, absent)), Claim("c", "two", (longer,))]


def test_statements_with_an_effect_are_drawn_in_a_panel_of_their_unit(tmp_path):
    path = tmp_path / "claims.svg"

    drawn = plot_claims(claims(), path)

    text = path.read_text()
    assert drawn
    for words in ("(a) more right answers", "(c) fewer steps", "share of problems", "steps or"):
        assert f"<!-- {words}" in text
    assert "more of it" not in text


def test_where_nothing_was_run_nothing_is_written(tmp_path):
    path = tmp_path / "claims.png"

    assert not plot_claims([Claim("a", "one", (finding("x", "", None, above=0),))], path)
    assert not path.exists()
