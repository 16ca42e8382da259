"""Where an endpoint is: by a preset's name, by its URL, or nowhere."""

import pytest

from partbook.models.presets import host_of, is_on_this_machine


@pytest.mark.parametrize(
    ("endpoint", "host", "is_here"),
    [
        ("ollama", "127.0.0.1", True),
        ("openai", "api.openai.com", False),
        ("http://localhost:9000/v1", "localhost", True),
        ("http://[::1]:9000/v1", "::1", True),
        ("http://127.0.0.9/v1", "127.0.0.9", True),
        ("https://127.0.0.1.example.com/v1", "127.0.0.1.example.com", False),
        ("no url", "", False),
    ],
)
def test_an_endpoint_is_here_where_its_host_is_a_loopback_address(endpoint, host, is_here):
    assert host_of(endpoint) == host
    assert is_on_this_machine(endpoint) == is_here
