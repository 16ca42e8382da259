import pytest

pytest.importorskip("torch")
pytest.importorskip("trl")
pytest.importorskip("gguf")

import torch
from peft import LoraConfig, get_peft_model

from partbook.errors import ConfigError
from partbook.models.trained import Trained
from partbook.train.gguf_net import open_adapter, open_gguf, save_adapter
from partbook.train.gguf_weights import write_model
from partbook.train.policy import Net, open_net, save_net
from tests.train.small_llama import TEMPLATE, small_llama

pytestmark = pytest.mark.filterwarnings(
    "ignore::FutureWarning", "ignore::DeprecationWarning", "ignore::UserWarning"
)

KEY = "model.layers.1.self_attn.q_proj.weight"


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    path = tmp_path_factory.mktemp("base") / "base.gguf"
    write_model(small_llama(), Trained("cards", 16), path)
    return path


def test_a_file_is_opened_with_its_weights_its_words_and_its_template(base):
    net, wanted = open_gguf(base), small_llama()

    assert torch.equal(net.model.state_dict()[KEY], wanted.model.state_dict()[KEY])
    assert (net.tokenizer.padding_side, net.tokenizer.chat_template) == ("left", TEMPLATE)
    text = "<user>the sum of 12 and 7\n"
    tokens = net.tokenizer(text, add_special_tokens=False).input_ids
    assert tokens == wanted.tokenizer(text, add_special_tokens=False).input_ids


def test_what_was_opened_can_be_written_and_trained_on(base, tmp_path):
    net = open_gguf(base)

    save_net(net, tmp_path)

    again = open_net(str(tmp_path))
    assert torch.equal(again.model.state_dict()[KEY], net.model.state_dict()[KEY])
    assert all(weight.requires_grad for weight in net.model.parameters())


def test_an_adapter_is_kept_alone_and_opened_over_its_base(base, tmp_path):
    net = open_gguf(base)
    config = LoraConfig(r=4, lora_alpha=8, target_modules="all-linear", task_type="CAUSAL_LM")
    model = get_peft_model(net.model, config)
    for name, weight in model.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(weight, std=0.1)
    tokens = torch.tensor([[5, 6, 7]])
    with torch.no_grad():
        wanted = model(input_ids=tokens).logits

    save_adapter(Net(model, net.tokenizer), tmp_path, Trained("cards", 16, str(base)))

    assert not (tmp_path / "model.safetensors").exists()
    again = open_adapter(tmp_path)
    with torch.no_grad():
        assert torch.allclose(again.model(input_ids=tokens).logits, wanted, atol=1e-4)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"there is no model file .*none.gguf"):
        open_gguf(tmp_path / "none.gguf")
    with pytest.raises(ConfigError, match="does not say what its adapter lies over"):
        open_adapter(tmp_path)
