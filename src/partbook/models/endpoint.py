"""Where a model is asked: the URL of an endpoint, checked, and the proxy on the way to it."""

import socket
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.request import getproxies, proxy_bypass

from yarl import URL

from partbook.errors import ConfigError
from partbook.models.presets import PRESETS, is_on_this_machine

__all__ = ["KEY_PARAMETERS", "endpoint_url", "proxy_of"]

KEY_PARAMETERS = frozenset({"key", "api_key", "apikey", "api-key", "token", "access_token"})
"""Parameters of a URL that hold a key, which then stands in a file for everybody to read."""


def endpoint_url(endpoint: str) -> URL:
    """The URL of an endpoint.

    Raises:
        ConfigError: it is no http(s) URL, holds a key, or is a link-local address: no model is
            served there, but the keys of a cloud's machines are. Names are not looked up.
    """
    expected = f"endpoint {endpoint!r}: expected a URL like {PRESETS['openai'].endpoint}"
    try:
        url = URL(endpoint)
    except ValueError as error:
        raise ConfigError(f"{expected} ({error})") from error
    if url.scheme not in ("http", "https") or not url.host:
        raise ConfigError(expected)
    if (address := _address(url.host)) is not None and address.is_link_local:
        raise ConfigError(
            f"the endpoint {url.host} is a link-local address, where clouds serve the keys of a "
            "machine and nobody serves a model"
        )
    if url.user or url.password:
        raise ConfigError(
            f"the endpoint at {url.host} holds a user name or password; give the key by key_env"
        )
    if named := KEY_PARAMETERS & {name.lower() for name in url.query}:
        raise ConfigError(
            f"the endpoint at {url.host} holds a key in its parameter {min(named)!r}; give the key "
            "by key_env"
        )
    return url


def _address(host: str) -> IPv4Address | IPv6Address | None:
    """The address that a host is, also in the spellings of old (`2852039166`); None: a name."""
    try:
        address = ip_address(host)
    except ValueError:
        try:
            return IPv4Address(socket.inet_aton(host))
        except (OSError, ValueError):
            return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def proxy_of(url: URL) -> str | None:
    """The proxy that the environment names for this URL (`HTTPS_PROXY`, `NO_PROXY` and so on).

    Raises:
        ConfigError: it is of a kind that cannot be used.
    """
    if is_on_this_machine(str(url)) or proxy_bypass(url.host or ""):
        return None
    proxies = getproxies()
    proxy = proxies.get(url.scheme) or proxies.get("all")
    if proxy is not None and not proxy.startswith(("http://", "https://")):
        raise ConfigError(
            f"the environment's proxy for {url.scheme} must begin with http:// or https://"
        )
    return proxy
