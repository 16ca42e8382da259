"""How large the core may be; .ci/run measures it where its wheel is installed."""

import pytest

pytest.importorskip("packaging", reason="needs make dev")
from scripts.supply.size import Size, table, verdict


@pytest.mark.parametrize(
    ("megabytes", "wrong"),
    [
        ((18, 57, 31), ""),
        (
            (31, 57, 0),
            "the core is 31.0 MB to fetch and 57.0 MB installed; at most 30 and 62 are allowed",
        ),
        (
            (18, 63, 0),
            "the core is 18.0 MB to fetch and 63.0 MB installed; at most 30 and 62 are allowed",
        ),
    ],
)
def test_the_core_is_bounded_as_it_is_fetched_and_as_it_is_installed(megabytes, wrong):
    half = Size("a", *(mb * 500_000 for mb in megabytes))

    assert verdict([half, half]) == wrong


def test_the_table_ends_on_the_sums():
    rows = table([Size("a", 1_000_000, 2_000_000, 0), Size("b", 250_000, 0, 5_000_000)])

    assert rows.splitlines()[-1].split() == ["all", "1.25", "2.00", "5.00"]
