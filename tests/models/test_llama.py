import json
import os
import struct
import subprocess
import sys
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from partbook.errors import ConfigError
from partbook.models.llama import Llama, LocalSpec

SRC = Path(__file__).parents[2] / "src"


@pytest.mark.parametrize("field", ["n_ctx", "slots", "threads"])
def test_a_spec_without_room_or_threads_is_refused(field):
    with pytest.raises(ConfigError, match=rf"toy.gguf: {field} is 0, must be 1 or more"):
        LocalSpec(Path("toy.gguf"), **{field: 0})


def test_a_file_that_is_not_there_is_named(tmp_path):
    pytest.importorskip("xllamacpp", reason="needs pip install 'partbook[local]'")

    with pytest.raises(ConfigError, match=r"there is no model file .*none.gguf"):
        Llama(LocalSpec(tmp_path / "none.gguf"))


@pytest.mark.parametrize("data", [b"", b"junk" * 1000, b"GGUF" + struct.pack("<IQQ", 3, 9, 9)])
def test_a_broken_file_is_refused_in_words(tmp_path, data, capfd):
    pytest.importorskip("xllamacpp", reason="needs pip install 'partbook[local]'")
    path = tmp_path / "broken.gguf"
    path.write_bytes(data)

    with pytest.raises(ConfigError, match=r"llama.cpp cannot load .*broken.gguf: not a GGUF file"):
        Llama(LocalSpec(path))
    assert capfd.readouterr().err == ""


@pytest.mark.models
def test_a_broken_adapter_is_named_beside_its_model(smollm2, tmp_path):
    pytest.importorskip("xllamacpp", reason="needs pip install 'partbook[local]'")
    adapter = tmp_path / "adapter.gguf"
    adapter.write_bytes(b"junk")

    with pytest.raises(ConfigError, match=r"smollm2-135m.gguf with the adapter .*adapter.gguf"):
        Llama(LocalSpec(smollm2, n_ctx=256, slots=1, threads=1, lora=adapter))


def test_without_the_extra_a_model_says_what_to_install(tmp_path):
    code = (
        "import sys\n"
        "sys.modules['xllamacpp'] = None  # as Python itself marks what cannot be imported\n"
        "from pathlib import Path\n"
        "from partbook.models.llama import Llama, LocalSpec\n"
        "Llama(LocalSpec(Path('toy.gguf')))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(SRC)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == 1
    assert "ConfigError: local models need llama.cpp: pip install 'partbook[local]'" in ran.stderr


@pytest.mark.models
def test_the_server_on_loopback_answers_chats(llama_server):
    body = {"messages": [{"role": "user", "content": "Say hi."}], "max_tokens": 4}
    request = Request(
        f"{llama_server}/v1/chat/completions",
        json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )
    with urlopen(request, timeout=60) as answer:
        said = json.load(answer)

    assert said["usage"]["completion_tokens"] in range(1, 5)
