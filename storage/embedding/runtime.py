"""ONNX Runtime, which must tell nobody that it runs."""

import os
from typing import Any


def onnxruntime() -> Any:  # the module, which is untyped
    """The library, loaded at the first call; its telemetry is off.

    Its published builds report to their maker from 1.31 on, and note an identifier in the user's cache folder. Only
    this variable, set before the library is loaded, keeps all of that from being started.
    """
    os.putenv("ORT_DISABLE_TELEMETRY", "1")
    # NumPy first, as everybody imports it: the library begins with NumPy's inner modules, and beside a thread that
    # begins with NumPy itself either one then sees half of it, and it cannot be loaded again in this process.
    import numpy  # noqa: F401
    import onnxruntime

    return onnxruntime
