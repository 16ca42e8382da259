"""`partbook train export`: trained weights in a form in which others can run them."""

from pathlib import Path
from typing import Annotated

import typer

from partbook.cli.extra import need_packages
from partbook.errors import ConfigError

__all__ = ["export_command"]

_FORMS = ("hf", "gguf")


def export_command(
    policy: Annotated[
        Path, typer.Argument(metavar="POLICY", help="Folder of a policy, or of its run.")
    ],
    to: Annotated[str, typer.Option("--to", help="hf: a folder; gguf: a file for llama.cpp.")],
    out: Annotated[Path, typer.Option("--out", help="The folder or the file.")],
    style: Annotated[
        str, typer.Option("--style", help="How it was asked, where the weights do not say.")
    ] = "",
    max_tokens: Annotated[
        int, typer.Option("--max-tokens", min=0, help="Longest text; likewise.")
    ] = 0,
    base: Annotated[
        str, typer.Option("--base", help="Of an adapter: the model it lies over; likewise.")
    ] = "",
    licence: Annotated[str, typer.Option("--licence", help="SPDX name.")] = "Apache-2.0",
) -> None:
    """Write a trained Conductor for others: a Hugging Face folder or a GGUF file, with its card."""
    if to not in _FORMS:
        raise ConfigError(f"--to: expected {' or '.join(_FORMS)}; found {to!r}")
    need_packages("an export", "torch", "peft", "gguf")
    from partbook.train.export import found_policy

    exported = found_policy(policy, style, max_tokens, base)
    write = exported.to_folder if to == "hf" else exported.to_gguf
    write(out, licence)
    print(f"wrote {out}; try it: partbook plan --conductor {out} QUESTION")
