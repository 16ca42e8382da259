"""Says how often PyTorch and llama.cpp write the same text, greedily, for SmolLM2 and an adapter.

    python bench/compare_export.py [ADAPTER_FOLDER]

Without a folder an adapter of random weights is made, large enough to change what is said. Two
figures: texts that are equal to the end, and tokens of llama.cpp that PyTorch also finds likeliest
after the same text. llama.cpp rounds the activations to 8 bits beside weights of 4 bits, so the
last row is what a user of the adapter gets, and the others show that nothing else differs.
"""

import sys
import tempfile
from pathlib import Path

import torch
from peft import LoraConfig, get_peft_model

from partbook.message import Message, Sampling
from partbook.models.llama import Llama, LocalSpec
from partbook.models.registry import model_path
from partbook.models.trained import Trained
from partbook.train.gguf_net import open_adapter, open_gguf
from partbook.train.gguf_weights import write_adapter, write_model
from partbook.train.policy import Net

BASE = "smollm2-135m"
TOKENS = 24
STARTS = ("Name a", "Tell me about a", "Write one line on a", "What is a", "Add 12 and 30, then a")
THINGS = ["cat", "river", "number", "violin", "moon", "city", "car", "book", "tree", "cloud"]
QUESTIONS = [f"{start} {thing}." for start in STARTS for thing in THINGS]


def with_adapter(folder: str) -> Net:
    if folder:
        return open_adapter(Path(folder))
    torch.manual_seed(0)
    net = open_gguf(model_path(BASE))
    config = LoraConfig(r=8, lora_alpha=16, target_modules="all-linear", task_type="CAUSAL_LM")
    model = get_peft_model(net.model, config)
    for name, weight in model.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(weight, std=0.01)
    return Net(model, net.tokenizer)


def prompt_of(net: Net, question: str) -> str:
    turns = [{"role": "user", "content": question}]
    return net.tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)


def in_torch(net: Net) -> list[str]:
    texts = []
    for start in range(0, len(QUESTIONS), 10):
        prompts = [prompt_of(net, question) for question in QUESTIONS[start : start + 10]]
        batch = net.tokenizer(prompts, return_tensors="pt", padding=True, add_special_tokens=False)
        with torch.no_grad():
            written = net.model.generate(**batch, max_new_tokens=TOKENS, do_sample=False)
        texts += net.tokenizer.batch_decode(
            written[:, batch["input_ids"].shape[1] :], skip_special_tokens=True
        )
    return texts


def in_llama(spec: LocalSpec) -> list[str]:
    llama, sampling = Llama(spec), Sampling(TOKENS, temperature=0.0)
    return [llama.chat([Message("user", one)], sampling, len, ()).text for one in QUESTIONS]


def tokens_alike(net: Net, texts: list[str]) -> float:
    alike = total = 0
    for question, text in zip(QUESTIONS, texts, strict=True):
        read = net.tokenizer(prompt_of(net, question), add_special_tokens=False).input_ids
        said = net.tokenizer(text, add_special_tokens=False).input_ids
        with torch.no_grad():
            logits = net.model(input_ids=torch.tensor([read + said])).logits[0]
        found = logits[len(read) - 1 : -1].argmax(-1).tolist()
        alike += sum(one == other for one, other in zip(found, said, strict=True))
        total += len(said)
    return alike / total


def main() -> None:
    torch.set_num_threads(1)
    net = with_adapter(sys.argv[1] if len(sys.argv) > 1 else "")
    net.model.train(False)
    wanted = in_torch(net)
    with tempfile.TemporaryDirectory() as name:
        folder, base = Path(name), model_path(BASE)
        net.model.save_pretrained(str(folder / "peft"))
        trained = Trained("cards", TOKENS, BASE)
        write_adapter(folder / "peft", base, trained, folder / "adapter.gguf")
        write_model(open_gguf(base), trained, folder / "base.gguf")
        rows = (("over 16-bit weights", folder / "base.gguf"), ("over the pulled file", base))
        for what, path in rows:
            texts = in_llama(LocalSpec(path, 512, 1, 1, folder / "adapter.gguf"))
            same = sum(one == other for one, other in zip(wanted, texts, strict=True))
            print(f"{what}: texts {same} of {len(texts)}, tokens {tokens_alike(net, texts):.4f}")


if __name__ == "__main__":
    main()
