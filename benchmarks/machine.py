"""Facts about the machine that the figures were measured on."""

import importlib.metadata
import os
import platform
import sqlite3
from pathlib import Path
from typing import Any

PACKAGES = ("agentos-mcp", "mcp", "chromadb", "onnxruntime", "numpy", "aiosqlite")


def facts() -> dict[str, Any]:
    """Return cores, memory, load, and the versions that matter."""
    return {
        "system": platform.platform(),
        "cores": os.cpu_count(),
        "memory_mb": _memory_mb(),
        "load": [round(load, 2) for load in os.getloadavg()],
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "packages": {name: _version(name) for name in PACKAGES},
    }


def _memory_mb() -> int | None:
    info = Path("/proc/meminfo")
    if not info.exists():
        return None
    total = next(line for line in info.read_text(encoding="ascii").splitlines() if line.startswith("MemTotal:"))
    return int(total.split()[1]) // 1024


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
