"""Health: what can be wrong with an installation and its store, and what mends it."""
