import pytest

from partbook.errors import ConfigError
from partbook.models.registry import model_path


@pytest.fixture(scope="session")
def smollm2():
    """The file of SmolLM2-135M, the smallest real model."""
    try:
        return model_path("smollm2-135m")
    except ConfigError:
        pytest.skip("needs a real model: partbook models pull smollm2-135m")


@pytest.fixture(scope="session")
def llama_server(smollm2):
    """Base URL of a real OpenAI-compatible server on loopback: llama.cpp with SmolLM2-135M.

    Paths start with `/v1`; no key is asked for.
    """
    xllamacpp = pytest.importorskip("xllamacpp", reason="needs pip install 'partbook[local]'")
    params = xllamacpp.CommonParams()
    params.model.path = str(smollm2)
    params.n_ctx, params.n_parallel = 4096, 2
    params.cache_ram_mib = 0
    params.verbosity = -1
    # More threads than idle cores make llama.cpp many times slower, and tests run beside others.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    yield server.listening_address
    del server
