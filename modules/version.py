"""The version of this package; pyproject.toml reads it from here."""

VERSION = "0.1.0"

OLDEST_PYTHON = (3, 11)
"""What pyproject.toml requires."""
