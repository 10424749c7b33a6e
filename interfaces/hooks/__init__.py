"""Hooks: the program that agents' clients run at points of a session, `agentos hook EVENT`, and the daemon's side."""
