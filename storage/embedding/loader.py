"""Loads the embedding model that the settings ask for, with the fastest encoder that can run it."""

import logging
from pathlib import Path

from .architecture import UnsupportedModel
from .encoder import Encoder
from .locate import ModelFiles, locate
from .onnx_encoder import built_encoder, ready_encoder
from .prompted import PromptedEncoder, prompts_of
from .ready_graph import graph_in
from .reference import SentenceTransformerEncoder

logger = logging.getLogger(__name__)


def load_encoder(model: str, offline: bool, cache_dir: Path, installed: Path | None = None) -> Encoder:
    """Load a model: a folder, or a name such as `all-MiniLM-L6-v2`. Blocks for 0.5 s, or seconds with torch.

    `offline` forbids a download; `cache_dir` keeps digests and graphs; `installed`, see `locate`. Raises
    EmbeddingUnavailable.
    """
    files = locate(model, offline, cache_dir, installed)
    prompts = prompts_of(files.folder, files.name)
    encoder = _encoder(files, cache_dir)
    return PromptedEncoder(encoder, prompts) if prompts.name else encoder


def _encoder(files: ModelFiles, cache_dir: Path) -> Encoder:
    try:
        return built_encoder(files, cache_dir)
    except UnsupportedModel as reason:
        logger.info("%s: no graph of ours: %s", files.name, reason)
    if (graph := graph_in(files.folder)) is not None:
        try:
            return ready_encoder(files, graph, cache_dir)
        except UnsupportedModel as reason:
            logger.info("%s: its own graph is not used: %s", files.name, reason)
    logger.info("%s runs on sentence-transformers", files.name)
    return SentenceTransformerEncoder(files)
