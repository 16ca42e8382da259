"""A net, or an adapter, as a GGUF file for llama.cpp.

Names of tensors come from the package `gguf`, which llama.cpp's own converter uses. What is known
here is what that converter does beside naming: the rows of queries and keys of a Llama are put in
another order, because llama.cpp turns neighbouring pairs where the library turns halves; the
adapter of such a matrix is put in order with it.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gguf import MODEL_ARCH, GGUFWriter, LlamaFileType, get_tensor_name_map
from safetensors import SafetensorError
from safetensors.torch import load_file

from partbook.errors import ConfigError
from partbook.models.gguf import gguf_facts
from partbook.models.trained import Trained
from partbook.train.gguf_words import add_tokenizer
from partbook.train.policy import Net

__all__ = ["write_adapter", "write_model"]

_ARCHS: Mapping[str, MODEL_ARCH] = {"llama": MODEL_ARCH.LLAMA, "lfm2": MODEL_ARCH.LFM2}
"""Nets that can be written, by the library's name for them."""

_SMALL = 50_000_000
"""Nets with fewer weights are written in 32 bits: it costs little, and nothing is rounded."""

Array = np.ndarray[Any, np.dtype[np.float32]]


def write_model(net: Net, trained: Trained, path: Path) -> None:
    """Write a whole net: in 16-bit floats, a small one in 32-bit floats.

    Raises:
        ConfigError: llama.cpp has no such net or no such tokenizer, or the file cannot be written.
    """
    config = net.model.config
    arch = _ARCHS.get(config.model_type)
    if arch is None:
        raise ConfigError(
            f"a GGUF file of a {config.model_type} net cannot be written here, only of "
            f"{', '.join(_ARCHS)}; export --to hf and convert that with llama.cpp's own script"
        )
    names = get_tensor_name_map(arch, config.num_hidden_layers)
    is_small = net.parameters < _SMALL
    writer = _writer(path, config.model_type, trained)
    writer.add_type("model")
    writer.add_name(path.stem)
    writer.add_file_type(LlamaFileType.ALL_F32 if is_small else LlamaFileType.MOSTLY_F16)
    _add_shape(writer, config)
    add_tokenizer(writer, net.tokenizer, config.vocab_size)
    heads = (config.num_attention_heads, config.num_key_value_heads)
    for key, value in net.model.state_dict().items():
        if key == "lm_head.weight" and config.tie_word_embeddings:
            continue
        name = names.get_name(key, (".weight", ".bias"))
        if name is None:
            raise ConfigError(f"llama.cpp knows no weights {key} of a {config.model_type} net")
        array: Array = value.detach().to(torch.float32).cpu().numpy()
        if config.model_type == "llama":
            array = _in_pairs(key, array, *heads)
        if key.endswith("conv.conv.weight"):
            array = array.squeeze(1)
        exact = is_small or array.ndim == 1 or key.endswith("conv.conv.weight")
        writer.add_tensor(name, array if exact else array.astype(np.float16))
    _write(writer, path)


def write_adapter(folder: Path, base: Path, trained: Trained, path: Path) -> None:
    """Write a LoRA adapter in 16-bit floats.

    Args:
        folder: what PEFT saved: `adapter_config.json` and `adapter_model.safetensors`.
        base: GGUF file of the Llama that it lies over.
        trained: kept with it.
        path: the file to write.

    Raises:
        ConfigError: the adapter or its base is of a kind that cannot be written.
    """
    config = _adapter_config(folder)
    facts = gguf_facts(base)
    if facts.get("general.architecture") != "llama":
        raise ConfigError(f"an adapter lies over a Llama here, {base} is none")
    heads, layers = facts["llama.attention.head_count"], facts["llama.block_count"]
    kv_heads = facts.get("llama.attention.head_count_kv", heads)
    names = get_tensor_name_map(MODEL_ARCH.LLAMA, int(layers))
    writer = _writer(path, "llama", trained)
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    # llama.cpp scales by alpha / rank; with `use_rslora` PEFT does by alpha / sqrt(rank).
    root = float(config["r"]) ** 0.5 if config.get("use_rslora") else 1.0
    writer.add_float32("adapter.lora.alpha", config["lora_alpha"] * root)
    for module, part, value in _parts(folder):
        name = names.get_name(f"{module}.weight", (".weight",))
        if name is None:
            raise ConfigError(f"llama.cpp knows no weights {module} of a Llama")
        array: Array = value.to(torch.float32).numpy()
        if part == "b":
            array = _in_pairs(f"{module}.weight", array, int(heads), int(kv_heads))
        writer.add_tensor(f"{name}.lora_{part}", array.astype(np.float16))
    _write(writer, path)


def _writer(path: Path, arch: str, trained: Trained) -> GGUFWriter:
    writer = GGUFWriter(path, arch)
    for key, value in trained.to_dict().items():
        if isinstance(value, int):
            writer.add_uint32(f"partbook.{key}", value)
        else:
            writer.add_string(f"partbook.{key}", value)
    return writer


def _write(writer: GGUFWriter, path: Path) -> None:
    try:
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
    except OSError as err:
        raise ConfigError(f"cannot write {path}: {err.strerror or err}") from err
    finally:
        writer.close()


def _add_shape(writer: GGUFWriter, config: Any) -> None:
    """The sizes of a net, from the library's configuration of it."""
    heads = config.num_attention_heads
    width = getattr(config, "head_dim", None) or config.hidden_size // heads
    writer.add_vocab_size(config.vocab_size)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(heads)
    writer.add_rope_dimension_count(width)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    if config.model_type == "llama":
        writer.add_head_count_kv(config.num_key_value_heads)
        writer.add_layer_norm_rms_eps(config.rms_norm_eps)
        return
    # A layer of LFM2 without heads is a convolution.
    kinds = config.layer_types
    writer.add_head_count_kv(
        [config.num_key_value_heads if kind == "full_attention" else 0 for kind in kinds]
    )
    writer.add_layer_norm_rms_eps(config.norm_eps)
    writer.add_shortconv_l_cache(config.conv_L_cache)


def _in_pairs(key: str, array: Array, heads: int, kv_heads: int) -> Array:
    """The rows of queries and keys, head by head, from halves to neighbouring pairs."""
    if not key.endswith(("q_proj.weight", "k_proj.weight")):
        return array
    count = heads if key.endswith("q_proj.weight") else kv_heads
    rows, *rest = array.shape
    halves = array.reshape(count, 2, rows // count // 2, *rest)
    return halves.swapaxes(1, 2).reshape(rows, *rest)


def _adapter_config(folder: Path) -> dict[str, Any]:
    path = folder / "adapter_config.json"
    try:
        config: dict[str, Any] = json.loads(path.read_bytes())
    except (OSError, ValueError) as err:
        raise ConfigError(f"cannot read {path}: {err}") from err
    for key in ("use_dora", "rank_pattern", "alpha_pattern", "modules_to_save"):
        if config.get(key):
            raise ConfigError(f"{path}: an adapter with `{key}` cannot be written as GGUF")
    return config


def _parts(folder: Path) -> Iterator[tuple[str, str, torch.Tensor]]:
    """Name of the matrix, `a` or `b`, and the values, of all parts of an adapter."""
    path = folder / "adapter_model.safetensors"
    try:
        weights = load_file(path)
    except (OSError, SafetensorError) as err:
        raise ConfigError(f"cannot read the weights {path}: {err}") from err
    for key, value in weights.items():
        module, _, rest = key.removeprefix("base_model.model.").partition(".lora_")
        if rest not in ("A.weight", "B.weight"):
            raise ConfigError(f"{folder}: the part {key} of the adapter cannot be written as GGUF")
        yield module, rest[0].lower(), value
