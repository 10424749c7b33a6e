"""Hooks: what agents' clients run at the turns of a session, `agentos hook EVENT`, and what the daemon does then."""
