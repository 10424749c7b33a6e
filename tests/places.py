"""Where things are that tests read, whatever folder a test is in."""

from pathlib import Path

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
"""The checkout, which is the package."""
SOURCE = ROOT / ".src"
"""What makes it importable by its name."""
RELEASED = TESTS / "integration" / "released"
"""Dumps of every released schema, with a little in them."""
