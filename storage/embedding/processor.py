"""Which of a model's exported graphs suits the processor: makers offer one in bytes for each kind of instructions."""

import importlib
import platform

_ANY = ("model_quantized.onnx", "model_int8.onnx", "model_qint8.onnx", "model.onnx")
"""Graphs for every processor: one in bytes goes before one in floats, which takes longer."""
_BY_FEATURE = (
    ("AVX512VNNI", "model_qint8_avx512_vnni.onnx"),
    ("AVX512F", "model_qint8_avx512.onnx"),
    ("AVX2", "model_quint8_avx2.onnx"),
)
"""What a processor must have, the fastest first."""
_ARM = ("arm64", "aarch64")


def graph_names(features: frozenset[str] | None = None, machine: str | None = None) -> tuple[str, ...]:
    """Return the names that a graph for this processor may have, the fastest first.

    `features` are its instruction sets, as NumPy calls them; `machine` is its architecture.
    """
    has = _features() if features is None else features
    arm = (machine or platform.machine()).lower() in _ARM
    own = [name for feature, name in _BY_FEATURE if feature in has]
    return (*own, *(["model_qint8_arm64.onnx"] if arm else []), *_ANY)


def _features() -> frozenset[str]:
    try:
        known = importlib.import_module("numpy._core._multiarray_umath").__cpu_features__
    except (ImportError, AttributeError):  # no public part of NumPy: the graphs for every processor are left
        return frozenset()
    return frozenset(name for name, has in known.items() if has)
