"""Hush: the libraries say only what is wrong; a run says itself what it does."""

import warnings

from transformers.utils import logging

__all__ = ["hush"]


def hush() -> None:
    """Silence notices, warnings about coming versions, and progress bars of loading."""
    warnings.filterwarnings("ignore", category=FutureWarning, module=r"transformers|trl|peft")
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
