"""The Hugging Face hub: models in its local cache, and the addresses of a model's files and of their list."""

from pathlib import Path


def cached_model(repository: str) -> Path | None:
    """Return the folder of a model in the hub's local cache, or None; never touch the network.

    The folder may be incomplete: the cache also knows models of which only a part was fetched.
    """
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError

    try:
        return Path(snapshot_download(repository, local_files_only=True))
    except (OSError, HFValidationError):
        return None


def address_of(repository: str, file: str, revision: str | None = None) -> str:
    """Return the URL of a model's file on the hub, or on the mirror that HF_ENDPOINT names."""
    from huggingface_hub import hf_hub_url

    return hf_hub_url(repository, file, revision=revision)


def listing_of(repository: str) -> str:
    """Return the URL of the list of a model's files with their digests, there or on the mirror."""
    from huggingface_hub import constants

    return f"{constants.ENDPOINT}/api/models/{repository}?blobs=true"
