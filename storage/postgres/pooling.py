"""Whether a pooler lies before the server: then another process answers than the one that the connection names."""

from typing import Any

import psycopg

from .migrate import CONNECT_S

ANSWERED_BY = "SELECT pg_backend_pid()"
POOLED = "a pooler lies before the server: changes of other daemons are found by looking, not by being told"


def is_pooled(url: str) -> bool:
    """Return whether an address leads to a pooler. Blocks. Raises psycopg.Error."""
    with psycopg.connect(url, autocommit=True, connect_timeout=CONNECT_S, prepare_threshold=None) as connection:
        return is_pooled_by(connection)


def is_pooled_by(connection: psycopg.Connection[Any]) -> bool:
    """Return whether a connection is one to a pooler. Blocks. Raises psycopg.Error."""
    row = connection.execute(ANSWERED_BY).fetchone()
    return row is None or row[0] != connection.info.backend_pid
