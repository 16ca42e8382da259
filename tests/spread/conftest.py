"""A Ray cluster of several nodes on this machine, for all tests that want one."""

import os
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest

SMALL = {
    "num_cpus": 1,
    "object_store_memory": 80 * 2**20,
    "include_dashboard": False,
    "include_log_monitor": False,
}
"""A node that takes little of the machine."""


@pytest.fixture(scope="session")
def ray_cluster() -> Iterator[Any]:
    """Three nodes of one CPU each, the head among them; tests may remove the others."""
    pytest.importorskip("ray", reason="needs Ray: pip install 'partbook[ray]'")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_raylet_start_wait_time_s"] = "60"  # noqa: SIM112 - so Ray spells it
    from ray.cluster_utils import Cluster  # noqa: PLC0415

    head = SMALL | {"no_monitor": True, "ray_client_server_port": free_port()}
    cluster = _tried(lambda: Cluster(initialize_head=True, head_node_args=head))
    for _ in range(2):
        _tried(lambda: cluster.add_node(**SMALL))
    yield cluster
    cluster.shutdown()


def free_port() -> int:
    """A port of loopback at which nothing listens now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _tried(begin: Callable[[], Any]) -> Any:
    """Ray gives up on a node whose agents start late, as they do on a busy machine."""
    for _ in range(3):
        try:
            return begin()
        except Exception as err:  # noqa: BLE001 - Ray raises no other class here
            failure = err
    raise failure
