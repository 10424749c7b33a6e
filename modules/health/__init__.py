"""Health: checks of an installation and its store, and repairs."""
