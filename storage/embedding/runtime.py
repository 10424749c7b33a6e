"""ONNX Runtime without telemetry."""

import os
from typing import Any


def onnxruntime() -> Any:  # the module, which is untyped
    """Return the library, loaded at the first call, with its telemetry off.

    Its published builds report to their maker from 1.31 on, and store an identifier in the user's cache folder. Only
    this variable, set before the library is loaded, prevents all of that.
    """
    os.putenv("ORT_DISABLE_TELEMETRY", "1")
    # NumPy first: the library imports NumPy's inner modules first, and if another thread imports NumPy at the same
    # time, either may see it half loaded, and it cannot be loaded again in this process.
    import numpy  # noqa: F401
    import onnxruntime

    return onnxruntime
