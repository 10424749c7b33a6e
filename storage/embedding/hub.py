"""Models of the Hugging Face hub: the local cache, and the download into it."""

from pathlib import Path

from ...modules.errors import AgentOSError

# Without the copies of the weights in other formats that many repositories carry beside the safetensors.
_SAFE_FILES = ["*.json", "*.txt", "*.model", "*.safetensors"]
_OTHER_FORMATS = ["onnx/*", "openvino/*"]


class DownloadFailed(AgentOSError):
    """The hub could not be reached, or has no such model."""

    code = "download_failed"


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


def address_of(repository: str, file: str) -> str:
    """Return the URL of a model's file on the hub, or on the mirror that HF_ENDPOINT names."""
    from huggingface_hub import hf_hub_url

    return hf_hub_url(repository, file)


def download_model(repository: str) -> Path:
    """Fetch a model into the hub's local cache, and return its folder. Raises DownloadFailed."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError

    try:
        folder = Path(snapshot_download(repository, allow_patterns=_SAFE_FILES, ignore_patterns=_OTHER_FORMATS))
        if not any(folder.rglob("*.safetensors")):  # an older repository: the pickled weights are all it has
            snapshot_download(repository, allow_patterns=["pytorch_model*.bin", "*/pytorch_model*.bin"])
    except (OSError, HFValidationError) as problem:
        raise DownloadFailed(f"could not download {repository}: {problem}") from problem
    return folder
