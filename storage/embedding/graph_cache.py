"""Keeps built graphs on disk, so that one is built once per model and not at every start."""

import hashlib
import json
import logging
import os
from dataclasses import asdict
from pathlib import Path

from .adapter import Adapter
from .architecture import BertArchitecture, UnsupportedModel
from .graph import GRAPH_VERSION, build_graph
from .private_file import write_private
from .safetensors_header import read_header

GRAPHS_MAX = 6
"""How many graphs of one model's weights are kept, including those of earlier versions of AgentOS."""

logger = logging.getLogger(__name__)


def graph_of(
    shape: BertArchitecture,
    weights: Path,
    sha256: str,
    cache_dir: Path,
    adapter: Adapter | None = None,
) -> bytes:
    """Return the graph for a weights file with this digest: from `cache_dir/<digest>/`, else built and kept there.

    Raises UnsupportedModel when the graph cannot take the weights, EmbeddingUnavailable when the weights are damaged.
    """
    if not weights.is_file():
        raise UnsupportedModel("the weights are not one model.safetensors")
    key = json.dumps([GRAPH_VERSION, asdict(shape), weights.name, *([] if adapter is None else [adapter.digest])])
    name = f"graph-{hashlib.sha256(key.encode()).hexdigest()[:16]}"
    folder = cache_dir / sha256[:16]
    cached = _read(folder, name)
    if cached is not None:
        return cached
    data = build_graph(shape, read_header(weights), weights, adapter)
    try:
        write_private(current := folder / f"{name}-{_check(data)}.onnx", data)
        _drop_unused(folder, current)
    except OSError as problem:  # only costs building it again at the next start
        logger.warning("could not keep a graph of the embedding model, or remove unused ones: %s", problem)
    return data


def _read(folder: Path, name: str) -> bytes | None:
    """Return the cached graph, or None when there is none whose content agrees with the check in its name."""
    for path in sorted(folder.glob(f"{name}-*.onnx")):
        try:
            data = path.read_bytes()
        except OSError:
            continue
        if path.stem == f"{name}-{_check(data)}":
            _note_use(path)
            return data
    return None


def _note_use(path: Path) -> None:
    try:
        os.utime(path)
    except OSError as problem:  # it may be built again one day
        logger.debug("could not note that %s was used: %s", path, problem)


def _drop_unused(folder: Path, current: Path) -> None:
    """Remove the least recently used graphs beyond GRAPHS_MAX. Raises OSError, unless a file is already gone."""
    others = sorted((_used_at(path), path) for path in folder.glob("graph-*.onnx") if path != current)
    for _, path in others[: -(GRAPHS_MAX - 1)]:
        path.unlink(missing_ok=True)


def _used_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _check(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
