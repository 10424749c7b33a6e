"""SQLite files that somebody else may have made."""

import sqlite3


def distrust(connection: sqlite3.Connection) -> None:
    """Let a connection read alone, and run nothing that the file's schema asks for. Raises sqlite3.Error.

    The schema is read first: its checks may call json_valid, which SQLite refuses where it does not trust them.
    """
    connection.execute("SELECT 1 FROM sqlite_master LIMIT 1")
    for pragma in ("trusted_schema=OFF", "cell_size_check=ON", "query_only=ON"):
        connection.execute(f"PRAGMA {pragma}")
