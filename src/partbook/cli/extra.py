"""Says which packages of an extra are missing, before anything is begun."""

from importlib.util import find_spec

from partbook.errors import ConfigError

__all__ = ["need_packages", "need_training"]


def need_packages(what: str, *names: str, extra: str = "train") -> None:
    """Refuse to go on without packages.

    Args:
        what: what needs them, as a sentence begins.
        names: of their modules.
        extra: which one brings them.

    Raises:
        ConfigError: some of them are missing.
    """
    missing = [name for name in names if find_spec(name) is None]
    if missing:
        raise ConfigError(
            f"{what} needs {', '.join(missing)}; install the extra: pip install 'partbook[{extra}]'"
        )


def need_training() -> None:
    """Refuse to train without the packages of the extra `train`.

    Raises:
        ConfigError: some of them are missing.
    """
    need_packages("training", "torch", "trl", "peft", "matplotlib")
