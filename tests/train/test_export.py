import json

import pytest

pytest.importorskip("torch")
pytest.importorskip("trl")
pytest.importorskip("gguf")
pytest.importorskip("xllamacpp")

import torch
from peft import LoraConfig, get_peft_model
from typer.testing import CliRunner

from partbook.cli.conductors import find_outside
from partbook.cli.main import app
from partbook.errors import ConfigError
from partbook.message import Message, Sampling
from partbook.models.gguf import gguf_facts
from partbook.models.llama import Llama, LocalSpec
from partbook.models.trained import Trained, trained_in_folder, trained_in_gguf
from partbook.prompt import bare_prompt
from partbook.train.card import card_text
from partbook.train.environment import lab_environment
from partbook.train.export import found_policy
from partbook.train.gguf_weights import write_adapter, write_model
from partbook.train.policy import Net, new_net, prompt_text, sample, save_net
from partbook.train.preset import load_preset
from partbook.train.row import lab_rows
from partbook.train.run_folder import RunFolder
from tests.train.small_llama import small_llama

pytestmark = pytest.mark.filterwarnings(
    "ignore::FutureWarning", "ignore::DeprecationWarning", "ignore::UserWarning"
)

SMALL = [
    "policy.hidden=32",
    "policy.inner=32",
    "policy.layers=['conv', 'attention', 'conv', 'attention']",
    "max_completion=12",
]
QUESTIONS = ["What is 12 plus 30?", "Sort fig, kiwi, plum.", "Spell 'over' backwards.", "Name it"]


def in_torch(net: Net, tokens: int) -> list[str]:
    """What the net answers, the likeliest token each time."""
    texts = []
    for question in QUESTIONS:
        turns = [{"role": "user", "content": question}]
        prompt = net.tokenizer.apply_chat_template(
            turns, tokenize=False, add_generation_prompt=True
        )
        read = net.tokenizer(prompt, return_tensors="pt", add_special_tokens=False).input_ids
        with torch.no_grad():
            written = net.model.generate(
                input_ids=read,
                attention_mask=torch.ones_like(read),
                max_new_tokens=tokens,
                do_sample=False,
            )
        texts.append(net.tokenizer.decode(written[0, read.shape[1] :], skip_special_tokens=True))
    return texts


def in_llama(spec: LocalSpec, tokens: int, prompts=QUESTIONS) -> list[str]:
    llama, sampling = Llama(spec), Sampling(tokens, temperature=0.0)
    return [llama.chat([Message("user", one)], sampling, len, ()).text for one in prompts]


def test_a_llama_says_the_same_in_llama_cpp(tmp_path):
    torch.set_num_threads(1)
    net = small_llama()

    write_model(net, Trained("cards", 16), tmp_path / "a.gguf")

    assert in_llama(LocalSpec(tmp_path / "a.gguf", 256, 1, 1), 16) == in_torch(net, 16)


def test_an_adapter_says_the_same_in_llama_cpp(tmp_path):
    torch.set_num_threads(1)
    net = small_llama()
    alone = in_torch(net, 16)
    base, over = tmp_path / "base.gguf", tmp_path / "adapter.gguf"
    write_model(net, Trained("cards", 16), base)
    config = LoraConfig(r=4, lora_alpha=8, target_modules="all-linear", task_type="CAUSAL_LM")
    model = get_peft_model(net.model, config)
    for name, weight in model.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(weight, std=0.1)
    model.save_pretrained(str(tmp_path / "peft"))

    write_adapter(tmp_path / "peft", base, Trained("cards", 16, "toy"), over)

    wanted = in_torch(Net(model, net.tokenizer), 16)
    assert wanted != alone
    assert in_llama(LocalSpec(base, 256, 1, 1, over), 16) == wanted
    assert trained_in_gguf(over) == Trained("cards", 16, "toy")
    assert gguf_facts(over)["general.type"] == "adapter"


def test_a_net_from_scratch_says_the_same_in_llama_cpp(tmp_path):
    torch.set_num_threads(1)
    preset, environment = load_preset("tiny", SMALL), lab_environment()
    net = new_net(preset.policy, 0)
    rows = lab_rows(8, "test", 7)
    prompts = [prompt_text(net.tokenizer, "bare", row, environment) for row in rows]

    write_model(net, Trained("bare", 12), tmp_path / "a.gguf")

    spec = LocalSpec(tmp_path / "a.gguf", 512, 1, 1)
    asked = [bare_prompt(row.question, environment.pool_of(row)) for row in rows]
    assert in_llama(spec, 12, asked) == sample(net, prompts, preset, None)


def policy_of(folder, **more):
    """A run's directory with a policy in it."""
    net = new_net(load_preset("tiny", SMALL).policy, 0)
    save_net(net, folder / "policy", Trained("bare", 12))
    run = RunFolder(folder)
    run.begin(load_preset("tiny").to_dict(), 3)
    run.add("greedy", 0, {"problems": 200, "accuracy": 0.25, "regret": 0.5})
    run.add("greedy", 50, {"problems": 200, "accuracy": 0.75, "regret": 0.125})
    return folder


def test_a_folder_carries_weights_card_and_style(tmp_path):
    policy = policy_of(tmp_path / "run")

    found_policy(policy).to_folder(tmp_path / "out", "Apache-2.0")

    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names >= {"model.safetensors", "config.json", "tokenizer.json", "chat_template.jinja"}
    assert trained_in_folder(tmp_path / "out") == Trained("bare", 12)
    card = (tmp_path / "out" / "README.md").read_text()
    assert card.startswith("---\nlicense: apache-2.0\n")
    assert "| right answers | 0.250 | 0.750 |" in card
    assert "Prompt style: `bare`" in card
    assert "Seed 3" in card


def test_the_card_of_a_run_on_tasks_names_them_and_shows_what_was_measured(tmp_path):
    run = RunFolder(tmp_path / "run")
    run.begin(load_preset("paper-7b-2xh100").to_dict(), 3)
    for step, accuracy in ((0, 0.25), (50, 0.75)):
        measured = {"problems": 40, "accuracy": accuracy, "steps_per_workflow": 2.5}
        run.add("greedy", step, measured)

    card = card_text("x", Trained("paper", 1024), run.path, "MIT")

    assert "Problems are those of math500, mmlu, rlpr, livecodebench (split train)" in card
    assert "Partbook's lab" not in card
    assert "Warm start" not in card
    assert "On 40 held-out problems" in card
    assert "| steps of a workflow | 2.500 | 2.500 |" in card
    assert "regret" not in card


def test_a_gguf_file_of_a_run_has_its_card_beside_it(tmp_path):
    policy = policy_of(tmp_path / "run")

    found_policy(policy).to_gguf(tmp_path / "out.gguf", "Apache-2.0")

    assert trained_in_gguf(tmp_path / "out.gguf") == Trained("bare", 12)
    assert "| right answers | 0.250 | 0.750 |" in (tmp_path / "out.md").read_text()


def test_nothing_is_written_over(tmp_path):
    exported = found_policy(policy_of(tmp_path / "run"))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a").touch()
    (tmp_path / "a.gguf").touch()

    with pytest.raises(ConfigError, match="is not empty"):
        exported.to_folder(tmp_path / "full", "MIT")
    with pytest.raises(ConfigError, match="exists; name a new file"):
        exported.to_gguf(tmp_path / "a.gguf", "MIT")
    with pytest.raises(ConfigError, match=r"that ends in .gguf was expected"):
        exported.to_gguf(tmp_path / "a.bin", "MIT")
    (tmp_path / "notes.md").touch()
    with pytest.raises(ConfigError, match=r"notes.md exists; name a new file"):
        exported.to_gguf(tmp_path / "notes.gguf", "MIT")


def test_a_place_where_nothing_can_be_written_is_a_users_mistake(tmp_path):
    exported = found_policy(policy_of(tmp_path / "run"))
    (tmp_path / "file").touch()

    with pytest.raises(ConfigError, match=r"cannot write .*out.md: "):
        exported.to_gguf(tmp_path / "file" / "out.gguf", "MIT")


@pytest.mark.parametrize("weights", [None, b"damaged"])
def test_an_adapter_whose_weights_cannot_be_read_is_named(tmp_path, weights):
    base, folder = tmp_path / "base.gguf", tmp_path / "peft"
    write_model(small_llama(), Trained("cards", 16), base)
    folder.mkdir()
    (folder / "adapter_config.json").write_text('{"r": 4, "lora_alpha": 8}')
    if weights is not None:
        (folder / "adapter_model.safetensors").write_bytes(weights)

    with pytest.raises(ConfigError, match=r"cannot read the weights .*adapter_model.safetensors"):
        write_adapter(folder, base, Trained("cards", 16, "toy"), tmp_path / "out.gguf")


def test_a_policy_that_says_nowhere_how_it_was_asked_is_told(tmp_path):
    folder = policy_of(tmp_path / "run") / "policy"
    (folder / "partbook.json").unlink()
    assert found_policy(folder).trained == Trained("bare", load_preset("tiny").max_completion)
    (tmp_path / "run" / "resolved.json").unlink()

    with pytest.raises(ConfigError, match="say it by --style and --max-tokens"):
        found_policy(folder)
    assert found_policy(folder, "cards", 40).trained == Trained("cards", 40)


def test_what_llama_cpp_lacks_is_refused_and_leaves_no_half_file(tmp_path):
    folder = policy_of(tmp_path / "run") / "policy"
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    tokenizer["normalizer"] = {"type": "NFC"}
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))

    with pytest.raises(ConfigError, match="cannot be written here: those of SmolLM2"):
        found_policy(folder).to_gguf(tmp_path / "a.gguf", "MIT")
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_the_command_writes_what_run_takes(tmp_path):
    policy, out = policy_of(tmp_path / "run"), tmp_path / "out.gguf"

    result = CliRunner().invoke(
        app, ["train", "export", str(policy), "--to", "gguf", "--out", str(out)]
    )

    assert result.exit_code == 0
    found = find_outside(str(out))
    assert (found.style, found.spec.sampling.max_tokens, found.constrain) == ("bare", 12, False)


def test_an_unknown_form_is_refused(tmp_path):
    result = CliRunner().invoke(
        app, ["train", "export", str(tmp_path), "--to", "onnx", "--out", "x"]
    )

    assert str(result.exception) == "--to: expected hf or gguf; found 'onnx'"
