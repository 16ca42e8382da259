"""Where work is to be played: what `--on` says, read before Ray is imported."""

import socket
from dataclasses import dataclass
from importlib.util import find_spec
from urllib.parse import urlsplit

from partbook.errors import ConfigError

__all__ = ["CONNECT_S", "Where", "check_reachable", "where_of"]

CONNECT_S = 10.0
"""How long a cluster's address may take to answer."""

_EXPECTED = "--on: `ray` or `ray://HOST:PORT` was expected"


@dataclass(frozen=True, slots=True)
class Where:
    """A Ray cluster."""

    host: str = ""
    """Empty: the cluster that this machine is part of."""
    port: int = 0

    @property
    def address(self) -> str:
        """As Ray wants it."""
        return f"ray://{self.host}:{self.port}" if self.host else "auto"


def where_of(text: str) -> Where | None:
    """Read `ray` or `ray://HOST:PORT`; empty: None, this process.

    Raises:
        ConfigError: it is something else, or Ray is not installed.
    """
    if not text:
        return None
    where = Where()
    if text != "ray":
        try:
            parts = urlsplit(text)
            host, port = parts.hostname, parts.port
        except ValueError as err:
            raise ConfigError(f"{_EXPECTED}, found {text!r}: {err}") from err
        if parts.scheme != "ray" or not host or not port or parts.path.strip("/"):
            raise ConfigError(f"{_EXPECTED}, found {text!r}")
        where = Where(host, port)
    if find_spec("ray") is None:
        raise ConfigError("--on ray needs Ray: pip install 'partbook[ray]'")
    return where


def check_reachable(where: Where, timeout_s: float = CONNECT_S) -> None:
    """Refuse an address at which nothing listens; Ray itself would wait for minutes.

    Raises:
        ConfigError: nothing answered in time.
    """
    if not where.host:
        return
    try:
        socket.create_connection((where.host, where.port), timeout_s).close()
    except OSError as err:
        raise ConfigError(
            f"no Ray cluster answers at {where.address}: {err.strerror or err}. The port is that "
            "of Ray's client server, 10001 where `ray start --head` was told no other"
        ) from err
