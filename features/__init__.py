"""Features: each a folder that holds all of it, and that costs nothing where it is not used. This is their list."""

from collections.abc import Collection
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..modules.plugins.feature import Feature

_LISTED = ("sync", "lessons", "attachments", "connectors", "anchors", "apps")
"""In the order in which what they bring is listed."""

NAMES = tuple(name for name in _LISTED if (Path(__file__).parent / name / "feature.py").exists())
"""The features that are there: what has no folder is none."""


def registered(on: Collection[str] | None = None) -> "tuple[Feature, ...]":
    """Return the features that are on; with None all. What they bring is imported when it is used."""
    there = (name for name in NAMES if on is None or name in on)
    return tuple(import_module(f".{name}.feature", __package__).FEATURE for name in there)
