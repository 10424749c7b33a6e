"""Installs any model of the hub in a home: listed there with digests, fetched, checked, then moved into place."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from ...modules.errors import cause
from .default_weights import ModelFile
from .hub import listing_of
from .processor import graph_names
from .weights_install import InstallFailed, Wanted, install_files
from .weights_sources import Hub, Progress, open_client

if TYPE_CHECKING:
    import httpx2

MODEL_BYTES_MAX = 4 << 30
FILES_MAX = 500
_LISTING_BYTES_MAX = 8 << 20
_SETTINGS = (".json", ".txt", ".model")
"""How the names of a model's settings and vocabularies end."""
_OTHER_FORMATS = frozenset({"onnx", "openvino"})
_GRAPH_FOLDERS = ("onnx/", "")
_REPOSITORY = re.compile(r"[\w.-]{1,96}/[\w.-]{1,96}", re.ASCII)
_REVISION = re.compile(r"[0-9a-f]{40}")
_DIGEST = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_NAME = re.compile(r"[\w .+@=/-]{1,200}", re.ASCII)


def installed_hub_model(models: Path, repository: str) -> Path | None:
    """Return the folder of a hub's model in a home, the one that was installed last; None where there is none."""
    if not _REPOSITORY.fullmatch(repository):
        return None
    found = [path for path in models.glob(f"{_folder_name(repository)}@*") if path.is_dir()]
    return max(found, key=lambda path: path.stat().st_mtime_ns, default=None)


def install_hub_model(models: Path, repository: str, progress: Progress) -> Path:
    """Install the newest revision of a model in a home's folder of models; return its folder there.

    What an earlier run has fetched is kept. Blocks. Raises InstallFailed.
    """
    if not _REPOSITORY.fullmatch(repository):
        raise InstallFailed(f"{repository!r} is no name of a model on the hub")
    with open_client() as client:
        revision, files = _listed(client, repository)
    wanted = chosen(files, repository)
    folder = models / f"{_folder_name(repository)}@{revision[:12]}"
    otherwise = "Run it again to go on with what was fetched"
    made = install_files(models, Wanted(repository, folder, wanted, otherwise), [Hub(repository, revision)], progress)
    made.touch()  # an earlier revision may be there as well
    return made


def chosen(files: Sequence[ModelFile], repository: str) -> list[ModelFile]:
    """Return the files of a model to fetch: its settings, and the graph for this processor, else its weights.

    Raises InstallFailed where there are no weights, or too many.
    """
    by_name = {file.name: file for file in files}
    plain = [file for file in files if _OTHER_FORMATS.isdisjoint(PurePosixPath(file.name).parts)]
    settings = [file for file in plain if file.name.endswith(_SETTINGS)]
    graphs = (place + name for name in graph_names() for place in _GRAPH_FOLDERS if place + name in by_name)
    reads = any(PurePosixPath(file.name).name == "tokenizer.json" for file in settings)
    graph = next(graphs, None) if reads else None  # without the fast tokenizer only torch's libraries can read
    if graph is not None:  # its own weights may lie beside it, and a layer's in a folder of its own
        weights = [file for file in files if file.name.startswith(graph)]
        weights += [file for file in plain if "_Dense/" in file.name and file.name.endswith(".safetensors")]
    else:
        weights = [file for file in plain if file.name.endswith(".safetensors")] or [
            file for file in plain if re.fullmatch(r"(?:\w+/)?pytorch_model[\w-]*\.bin", file.name)
        ]
    wanted = [*settings, *weights]
    if not weights or "config.json" not in {PurePosixPath(file.name).name for file in settings}:
        raise InstallFailed(f"{repository} has no config.json with weights that can be loaded")
    if (size := sum(file.size for file in wanted)) > MODEL_BYTES_MAX:
        raise InstallFailed(f"{repository} takes {size / 1e9:,.1f} GB, more than {MODEL_BYTES_MAX / 1e9:,.1f} GB")
    return wanted


def _folder_name(repository: str) -> str:
    return repository.replace("/", "--")


def _listed(client: "httpx2.Client", repository: str) -> tuple[str, list[ModelFile]]:
    """Return a model's newest revision and its files, as the hub lists them. Raises InstallFailed."""
    from httpx2 import HTTPError, InvalidURL

    url = listing_of(repository)
    body = bytearray()
    try:
        with client.stream("GET", url) as response:
            if response.status_code != 200:
                raise InstallFailed(_refusal(repository, response.status_code))
            for chunk in response.iter_bytes():
                body += chunk
                if len(body) > _LISTING_BYTES_MAX:
                    raise InstallFailed(f"the hub's list of {repository} does not end")
    except (HTTPError, InvalidURL) as problem:
        raise InstallFailed(f"the hub cannot be reached: {cause(problem)}") from problem
    try:
        found = json.loads(body)
        revision, files = str(found["sha"]), list(_files(found["siblings"]))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise InstallFailed(f"what answers at {url} is no hub of models") from problem
    if not _REVISION.fullmatch(revision) or len(files) > FILES_MAX:
        raise InstallFailed(f"the hub's list of {repository} names no revision, or more than {FILES_MAX} files")
    return revision, files


def _refusal(repository: str, status: int) -> str:
    if status in (401, 403, 404):
        return f"the hub has no model {repository} that anybody may fetch ({status})"
    return f"the hub answers {status}; try again later"


def _files(listed: Sequence[dict[str, Any]]) -> Iterator[ModelFile]:
    """Yield the files of a list that have a size, a digest and a name within the folder; nothing else is fetched."""
    for entry in listed:
        large = entry.get("lfs") or {}
        name, size = entry.get("rfilename"), large.get("size", entry.get("size"))
        digest = large.get("sha256") or entry.get("blobId")
        if not (isinstance(name, str) and isinstance(size, int) and isinstance(digest, str)):
            continue
        parts = name.split("/")
        if _NAME.fullmatch(name) and size >= 0 and _DIGEST.fullmatch(digest) and not {"", ".", ".."} & set(parts):
            yield ModelFile(name, size, digest)
