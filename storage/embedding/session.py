"""Tools to run a model on ONNX Runtime and tokenizers: its session, its tokenizer, its padded batches."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import runtime
from .architecture import UnsupportedModel

if TYPE_CHECKING:
    from tokenizers import Tokenizer


def open_session(graph: bytes, weights_folder: Path) -> Any:  # an InferenceSession, which is untyped
    """Return a session for a graph whose weights are in a folder: one thread, which sleeps when idle."""
    onnxruntime = runtime.onnxruntime()

    options = onnxruntime.SessionOptions()
    # One thread that sleeps when idle: more of them cost more processor time, and gain nothing from end to end.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    folder_entry = "session.model_external_initializers_file_folder_path"
    options.add_session_config_entry(folder_entry, str(weights_folder))
    options.enable_mem_pattern = False  # it would plan a block for each of the many shapes that texts come in
    options.log_severity_level = 3  # errors only: standard error belongs to the server
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def give_back() -> Any:  # RunOptions, which are untyped
    """Return options for a run after which the session releases its working memory."""
    onnxruntime = runtime.onnxruntime()

    options = onnxruntime.RunOptions()
    options.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
    return options


def open_tokenizer(path: Path, *, lower_case: bool = False) -> Tokenizer:
    """Return the tokenizer of a model, which lowers the case first if asked to.

    Raises UnsupportedModel where there is no such file.
    """
    from tokenizers import Tokenizer, normalizers

    if not path.is_file():
        raise UnsupportedModel(f"there is no {path.name}")
    tokenizer = Tokenizer.from_file(str(path))
    if lower_case:
        before = [normalizers.Lowercase(), *([tokenizer.normalizer] if tokenizer.normalizer else [])]
        tokenizer.normalizer = normalizers.Sequence(before)
    return tokenizer
