import pytest

np = pytest.importorskip("numpy", reason="needs pip install 'partbook[eval]'")

from partbook.evaluate.systems.learning import Adam, clusters, log_shares  # noqa: E402


def test_adam_finds_the_minimum_of_a_bowl():
    weight = np.array([3.0, -2.0])
    adam = Adam([weight], 0.05)
    for _ in range(600):
        adam.step([2 * (weight - np.array([1.0, 5.0]))])

    assert weight == pytest.approx([1, 5], abs=1e-2)


def test_points_around_three_places_are_three_clusters():
    rng = np.random.default_rng(0)
    points = np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], 20, axis=0)
    points = points + rng.normal(0, 0.5, points.shape)

    found = clusters(points, 3, rng)

    assert [len(set(found[i : i + 20])) for i in (0, 20, 40)] == [1, 1, 1]
    assert len(set(found)) == 3


def test_there_are_no_more_clusters_than_different_points():
    assert set(clusters(np.ones((10, 2)), 5, np.random.default_rng(0))) == {0}


def test_shares_sum_to_1_whatever_the_scores():
    shares = np.exp(log_shares(np.array([[1e4, 1e4, -1e4], [0.0, 0.0, 0.0]])))

    assert shares.tolist() == [[0.5, 0.5, 0.0], pytest.approx([1 / 3] * 3)]
