"""Features: each a folder that holds all of it, and that costs nothing where it is not used. This is their list."""

from collections.abc import Collection
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..modules.plugins.feature import Feature

_LISTED = (
    "consolidation",
    "procedures",
    "ask",
    "ingest",
    "mirror",
    "sync",
    "lessons",
    "attachments",
    "connectors",
    "anchors",
    "apps",
    "gateway",
    "compat",
    "sealed",
    "teams",
    "dashboard",
    "profile",
    "tiers",
)
"""In the order in which what they bring is listed."""
_BY_THEIR_OWN = ("mirror",)
"""Those that a setting of their own switches on, whatever AGENTOS_FEATURES names."""

THERE = tuple(name for name in _LISTED if (Path(__file__).parent / name / "feature.py").exists())
"""The features that are there: what has no folder is none."""
NAMES = tuple(name for name in THERE if name not in _BY_THEIR_OWN)
"""Those that AGENTOS_FEATURES may name."""


def registered(on: Collection[str] | None = None) -> "tuple[Feature, ...]":
    """Return the features that are on; with None all. What they bring is imported when it is used."""
    names = THERE if on is None else (name for name in THERE if name in on or name in _BY_THEIR_OWN)
    return tuple(import_module(f".{name}.feature", __package__).FEATURE for name in names)
