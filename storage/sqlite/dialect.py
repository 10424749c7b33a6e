"""Portable SQL as SQLite spells it."""


def spelled(sql: str) -> str:
    """Return a portable statement in SQLite's words."""
    return sql
