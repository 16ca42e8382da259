"""Opens a GGUF file as a net that can be trained.

The weights come back from their quantised blocks as 32-bit floats. The library marks such a model
as quantised and then refuses to write it, so the weights go into a model of a clean configuration:
what is trained from here can be saved, exported and laid as an adapter over the same file.
"""

from pathlib import Path

import torch
from peft import PeftModel
from tokenizers import pre_tokenizers
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.utils import logging

from partbook.errors import ConfigError
from partbook.models.gguf import gguf_facts
from partbook.models.registry import model_files
from partbook.models.trained import Trained, trained_in_folder, write_trained
from partbook.train.policy import Net

__all__ = ["open_adapter", "open_gguf", "save_adapter"]


def open_gguf(path: Path) -> Net:
    """The net of a GGUF file, with its tokenizer (padding on the left) and chat template.

    Raises:
        ConfigError: there is no such file, or the library cannot read its architecture.
    """
    if not path.is_file():
        raise ConfigError(f"there is no model file {path}")
    logging.disable_progress_bar()  # type: ignore[no-untyped-call] # a run says what it does itself
    folder, name = str(path.parent), path.name
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=name, padding_side="left")
        read = AutoModelForCausalLM.from_pretrained(folder, gguf_file=name, dtype=torch.float32)
    except (OSError, ValueError, KeyError, NotImplementedError) as err:
        raise ConfigError(f"cannot read the weights of {path}: {err}") from err
    config = type(read.config)(**read.config.to_dict())
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    model = type(read)(config)
    model.load_state_dict(read.state_dict())
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    if gguf_facts(path).get("tokenizer.ggml.pre") == "smollm":
        # The library leaves out that digits stand alone.
        tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(False)]
        )
    return Net(model, tokenizer)


def save_adapter(net: Net, folder: Path, trained: Trained) -> None:
    """Write the adapter alone, with how it is to be asked; `trained.base` names what is under it.

    Raises:
        ValueError: the net has no adapter, or its base is not named.
    """
    if not isinstance(net.model, PeftModel) or not trained.base:
        raise ValueError("an adapter with the name of its base was expected")
    net.model.save_pretrained(str(folder))
    net.tokenizer.save_pretrained(folder)
    write_trained(trained, folder)


def open_adapter(folder: Path, *, trainable: bool = False) -> Net:
    """The net of an adapter that `save_adapter` wrote, over its base from the registry of models.

    Args:
        folder: of the adapter.
        trainable: whether the adapter's weights are to be trained on.

    Raises:
        ConfigError: the folder does not name its base, or that is not pulled.
    """
    trained = trained_in_folder(folder)
    if trained is None or not trained.base:
        raise ConfigError(f"{folder} does not say what its adapter lies over")
    net = open_gguf(model_files(trained.base)[0])
    model = PeftModel.from_pretrained(net.model, str(folder), is_trainable=trainable)
    return Net(model, net.tokenizer)  # type: ignore[arg-type] # it behaves like the model it wraps
