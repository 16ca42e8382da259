"""Downloads files of data sets from the Hugging Face hub; the only module that talks to it.

A file that is in the hub's own cache already is used without asking the network. Tokens, mirrors
and proxies are those of `huggingface_hub`: `hf auth login`, `HF_TOKEN`, `HF_ENDPOINT` and
`HTTPS_PROXY`.
"""

from pathlib import Path

from partbook.errors import ConfigError
from partbook.tasks.source import HubFiles

try:
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import (
        EntryNotFoundError,
        GatedRepoError,
        HfHubHTTPError,
        LocalEntryNotFoundError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )
except ImportError as err:
    raise ConfigError(
        "published data sets need the package `datasets`: install `partbook[eval]`, or say --data "
        "with files that you have"
    ) from err

__all__ = ["fetch_files"]


def fetch_files(source: HubFiles, part: str) -> list[Path]:
    """The files of one part in the local cache, downloaded where they are not there.

    Raises:
        ConfigError: they cannot be had; says what to accept, or what to download by hand.
    """
    try:
        return [
            Path(hf_hub_download(source.repo, path, repo_type="dataset", revision=source.revision))
            for path in source.files[part]
        ]
    except GatedRepoError as err:
        raise ConfigError(_gated(source)) from err
    except LocalEntryNotFoundError as err:
        raise ConfigError(f"the hub cannot be reached; {source.by_hand(part)}") from err
    except (RepositoryNotFoundError, RevisionNotFoundError, EntryNotFoundError) as err:
        if source.gated:  # without a token, a gated set may look as if it were not there
            raise ConfigError(_gated(source)) from err
        raise ConfigError(
            f"{source.repo} at {source.revision} is not on the hub any more: {err}; if you have "
            f"the files, say --data FOLDER"
        ) from err
    except (HfHubHTTPError, OSError) as err:
        raise ConfigError(f"the hub gave an error: {err}; {source.by_hand(part)}") from err


def _gated(source: HubFiles) -> str:
    return (
        f"{source.repo} is gated: open {source.page}, log in, accept its terms, then run "
        f"`hf auth login` or set HF_TOKEN to a token of that account; or download the files there "
        f"and say --data FOLDER"
    )
